# Dijkstra's algorithm of SciPy on the same map, for some of the trips. Arguments: the side, how many.
import json, sys, time
import numpy as np, scipy
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

side, some = int(sys.argv[1]), int(sys.argv[2])
cost = np.fromfile("cost.i32", np.int32)
starts, ends = np.fromfile("starts.i32", np.int32), np.fromfile("ends.i32", np.int32)

start = time.perf_counter()
free = np.flatnonzero(cost)
rows, columns, lengths = [], [], []
for step, length in ((1, 5), (side - 1, 7), (side, 5), (side + 1, 7)):  # the others are these backwards
    near = free[cost[free + step] != 0]
    rows.append(near)
    columns.append(near + step)
    lengths.append(length * (cost[near] + cost[near + step]))
graph = coo_matrix((np.concatenate(lengths), (np.concatenate(rows), np.concatenate(columns))), shape=(cost.size,) * 2).tocsr()
d = dijkstra(graph, directed=False, indices=ends[:some])
seconds = time.perf_counter() - start
result = np.where(np.isfinite(d), d, 1 << 28)[np.arange(some), starts[:some]]
print(json.dumps({"version": scipy.__version__, "seconds": seconds, "result": result.astype(int).tolist()}))
