"""The same likelihoods and gradients with NumPy and SciPy's LAPACK: the gradient by hand, from the derivatives of the covariance (Rasmussen and
Williams, 2006, equation 5.9)."""
import json, time
import numpy as np
import scipy
from scipy.linalg import cho_factor, cho_solve

t, y = np.fromfile("t.f64"), np.fromfile("y.f64")
thetas = np.fromfile("theta.f64").reshape(-1, 5)
d = t[:, None] - t[None, :]
d2, s2 = d * d, np.sin(np.pi / 12 * d) ** 2
eye = np.eye(len(t))

def gradient(theta):
    a, b, c, e, noise = np.exp(theta)
    slow = a * a * np.exp(-0.5 * d2 / b**2)
    yearly = c * c * np.exp(-2 * s2 / e**2)
    factor = cho_factor(slow + yearly + noise**2 * eye, lower=True)
    alpha = cho_solve(factor, y)
    w = cho_solve(factor, eye) - np.outer(alpha, alpha)
    parts = [2 * slow, slow * d2 / b**2, 2 * yearly, yearly * 4 * s2 / e**2, 2 * noise**2 * eye]
    return [0.5 * np.sum(w * k) for k in parts]

def run():
    return np.array([gradient(x) for x in thetas])

run()
times = []
for _ in range(5):
    start = time.perf_counter()
    g = run()
    times.append(time.perf_counter() - start)
print(json.dumps({"version": scipy.__version__, "seconds": sorted(times)[2], "result": g.ravel().tolist()}))
