# The lattice Boltzmann step of fluid.cl in NumPy, on the same cavity. Arguments: width, cells, plus, minus, speed, steps.
import json, sys, time
import numpy as np

width, cells, plus, minus, u, steps = (t(a) for t, a in zip((int, int, float, float, float, int), sys.argv[1:]))
kind = np.fromfile("kind.u8", np.uint8).reshape(-1, width)
solid, lid = kind != 0, kind == 2
c = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)
pairs = [(1, 3), (2, 4), (5, 7), (6, 8)]
plus, minus = np.float32(plus), np.float32(minus)
f = np.zeros((9,) + kind.shape, np.float32)

start = time.perf_counter()
for _ in range(steps):
    g = np.stack([np.roll(f[q], (c[q][1], c[q][0]), (0, 1)) for q in range(9)])
    more = g.sum(0)
    jx, jy = g[1] - g[3] + g[5] - g[6] - g[7] + g[8], g[2] - g[4] + g[5] + g[6] - g[7] - g[8]
    inv = 1 / (1 + more)
    even = more - np.float32(1.5) * (jx * jx + jy * jy) * inv
    f[0] = np.where(solid, 0, g[0] - plus * (g[0] - w[0] * even))
    for a, b in pairs:
        cj = c[a][0] * jx + c[a][1] * jy
        e = plus * (np.float32(0.5) * (g[a] + g[b]) - w[a] * (even + np.float32(4.5) * cj * cj * inv))
        o = minus * (np.float32(0.5) * (g[a] - g[b]) - 3 * w[a] * cj)
        push = np.float32(6 * u) * w[a] * c[a][0] * lid
        f[a], f[b] = np.where(solid, g[b] + push, g[a] - e - o), np.where(solid, g[a] - push, g[b] - e + o)
seconds = time.perf_counter() - start

rho = 1 + f.sum(0)
ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho / np.float32(u)
middle = (ux[:, (cells + 1) // 2] + ux[:, cells // 2 + 1]) / 2
print(json.dumps({"version": np.__version__, "seconds": seconds, "result": middle[1 : cells + 1].tolist()}))
