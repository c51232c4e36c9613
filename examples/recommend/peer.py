# Alternating least squares by NumPy: peer.py LAMBDA STEPS
import json, sys, time
import numpy as np

K, lam, steps = 16, np.float32(float(sys.argv[1])), int(sys.argv[2])
read = lambda name, dtype=np.int32: np.fromfile(name, dtype)
by_user = read("users.starts"), read("users.others"), read("users.values", np.float32)
by_film = read("films.starts"), read("films.others"), read("films.values", np.float32)
test = read("test.users"), read("test.films"), read("test.values", np.float32)
films = read("first", np.float32).reshape(-1, K)

def solve(table, y):
    starts, others, values = table
    n = len(starts) - 1
    a, b = np.empty((n, K, K), np.float32), np.empty((n, K, 1), np.float32)
    for u in range(n):
        part = y[others[starts[u]:starts[u + 1]]]
        a[u] = part.T @ part + lam * max(len(part), 1) * np.eye(K, dtype=np.float32)
        b[u, :, 0] = part.T @ values[starts[u]:starts[u + 1]]
    return np.linalg.solve(a, b)[:, :, 0]

start, errors = time.perf_counter(), []
for _ in range(steps):
    users = solve(by_user, films)
    films = solve(by_film, users)
    errors.append(float(np.sqrt(((((users[test[0]] * films[test[1]]).sum(1)) - test[2]) ** 2).mean())))
print(json.dumps({"version": np.__version__, "seconds": time.perf_counter() - start, "result": errors}))
