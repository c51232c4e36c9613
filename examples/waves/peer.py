"""The same steps by SciPy's transforms, on two threads."""
import json, sys, time
import numpy as np
import scipy
from scipy import fft

steps = int(sys.argv[1])
before, now, factor = (np.fromfile(f, np.float32) for f in ("before.f32", "now.f32", "factor.f32"))
n = int(np.sqrt(len(now)))
before, now, factor = (x.reshape(n, n) for x in (before, now, factor))
k = np.fft.fftfreq(n, 1 / n)
k2 = (-4 * np.pi**2 * (k[:, None] ** 2 + np.arange(n // 2 + 1) ** 2)).astype(np.float32)

def move():
    u, v = before, now
    for _ in range(steps):
        u, v = v, 2 * v - u + factor * fft.irfft2(k2 * fft.rfft2(v, workers=2), (n, n), workers=2)
    return v

move()
times = []
for _ in range(3):
    start = time.perf_counter()
    u = move()
    times.append(time.perf_counter() - start)
print(json.dumps({"version": scipy.__version__, "seconds": sorted(times)[1], "result": u.ravel().tolist()}))
