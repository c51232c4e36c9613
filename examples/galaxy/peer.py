# The attractions of galaxy.cl in NumPy: along x, of the first bodies. Arguments: how many, the softening.
import json, sys, time
import numpy as np

some, eps2 = int(sys.argv[1]), np.float32(float(sys.argv[2]) ** 2)
x, y, z, m = np.fromfile("p.f32", np.float32).reshape(4, -1)

start = time.perf_counter()
ax, ay, az = (np.empty(some, np.float32) for _ in range(3))
for i in range(0, some, 64):  # blocks that stay in the caches
    block = slice(i, i + 64)
    dx, dy, dz = x - x[block, None], y - y[block, None], z - z[block, None]
    d2 = dx * dx + dy * dy + dz * dz + eps2
    s = m / (d2 * np.sqrt(d2))
    ax[block], ay[block], az[block] = (dx * s).sum(1), (dy * s).sum(1), (dz * s).sum(1)
print(json.dumps({"version": np.__version__, "seconds": time.perf_counter() - start, "result": ax.tolist()}))
