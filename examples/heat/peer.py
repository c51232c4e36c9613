"""The same steps by SciPy: Crank and Nicolson with conjugate gradients, preconditioned by the diagonal."""
import json, sys, time
import numpy as np
import scipy
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, cg

steps, tolerance = int(sys.argv[1]), float(sys.argv[2])
ptr, col = np.fromfile("ptr.i32", np.int32), np.fromfile("col.i32", np.int32)
n = len(ptr) - 1
a = sp.csr_matrix((np.fromfile("a.f32", np.float32), col, ptr), (n, n))
b = sp.csr_matrix((np.fromfile("b.f32", np.float32), col, ptr), (n, n))
first = np.fromfile("u.f32", np.float32)
inverse = 1 / a.diagonal()
m = LinearOperator((n, n), lambda r: r.ravel() * inverse, dtype=np.float32)

def cool():
    u = first
    for _ in range(steps):
        u, info = cg(a, b @ u, x0=u, tol=tolerance, M=m, maxiter=1000)
        assert info == 0
    return u

cool()
times = []
for _ in range(3):
    start = time.perf_counter()
    u = cool()
    times.append(time.perf_counter() - start)
print(json.dumps({"version": scipy.__version__, "seconds": sorted(times)[1], "result": u.tolist()}))
