"""Times pandas on questions of db-benchmark (h2o), over tables made by the recipe of questions.go from another seed.

    /usr/bin/python3 tools/cmd/bench/columns/pandas_h2o.py [ROWS]      # Debian's python3-pandas

Prints the best of two times of each question, in milliseconds; those with ranks in groups and the join of the big table are left out.
"""
import sys
import time

import numpy as np
import pandas as pd

n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
groups, many, medium = 100, max(n // 100, 1), max(n // 1000, 1)
random = np.random.default_rng(42)


def ints(k):
    return random.integers(1, k + 1, n, dtype=np.int32)


def texts(numbers, pattern):
    return np.array([pattern % i for i in range(numbers.max() + 1)], dtype=object)[numbers]


g = pd.DataFrame({
    "id1": texts(ints(groups), "id%03d"), "id2": texts(ints(groups), "id%03d"), "id3": texts(ints(many), "id%010d"),
    "id4": ints(groups), "id5": ints(groups), "id6": ints(many),
    "v1": ints(5), "v2": ints(15), "v3": np.round(random.random(n) * 100, 6),
})


def distinct(k):
    return random.permutation(k + max(k // 10, 1))[:k].astype(np.int32) + 1


id1, id2, id3 = ints(11 if n >= 10_000_000 else 2), ints(medium + medium // 10), ints(n)
x = pd.DataFrame({"id1": id1, "id2": id2, "id3": id3, "id4": texts(id1, "id%d"), "id5": texts(id2, "id%d"), "id6": texts(id3, "id%d"), "v1": random.random(n)})
keys = distinct(max(n // 1_000_000, 1))
small = pd.DataFrame({"id1": keys, "id4": texts(keys, "id%d"), "v2": random.random(len(keys))})
keys = distinct(medium)
right = pd.DataFrame({"id2": keys, "id5": texts(keys, "id%d"), "v2": random.random(medium)})


def by(keys):
    return g.groupby(keys, as_index=False, sort=False, observed=True)


for name, ask in {
    "q1": lambda: by("id1").agg({"v1": "sum"}),
    "q2": lambda: by(["id1", "id2"]).agg({"v1": "sum"}),
    "q3": lambda: by("id3").agg({"v1": "sum", "v3": "mean"}),
    "q4": lambda: by("id4").agg({"v1": "mean", "v2": "mean", "v3": "mean"}),
    "q5": lambda: by("id6").agg({"v1": "sum", "v2": "sum", "v3": "sum"}),
    "q6": lambda: by(["id4", "id5"]).agg({"v3": ["median", "std"]}),
    "q7": lambda: by("id3").agg({"v1": "max", "v2": "min"}),
    "q10": lambda: by(["id1", "id2", "id3", "id4", "id5", "id6"]).agg({"v3": ["sum", "count"]}),
    "j1": lambda: x.merge(small, on="id1"),
    "j2": lambda: x.merge(right, on="id2"),
    "j3": lambda: x.merge(right, on="id2", how="left"),
    "j4": lambda: x.merge(right, on="id5"),
}.items():
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        ask()
        best = min(best, time.perf_counter() - start)
    print(f"{name} {1e3 * best:.0f} ms", flush=True)
