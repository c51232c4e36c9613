# The same work by scikit-learn: peer.py density K | nearest | kmeans CHARTS ITERATIONS
import json, sys, time
import numpy as np
import sklearn
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

stars = np.fromfile("stars.f32", np.float32).reshape(-1, 3)
if sys.argv[1] == "kmeans":
    first = np.fromfile("first.f32", np.float32).reshape(-1, 3)
    def work():
        return KMeans(len(first), init=first, n_init=1, max_iter=int(sys.argv[2]), tol=0, algorithm="lloyd").fit(stars)
else:
    sky, k = (np.fromfile("sky.f32", np.float32).reshape(-1, 3), int(sys.argv[2])) if sys.argv[1] == "density" else (stars, 2)
    def work():
        return NearestNeighbors(n_neighbors=k, algorithm="kd_tree", n_jobs=-1).fit(stars).kneighbors(sky)[0]
times = []
while len(times) < 5 and sum(times) < 3:
    start = time.perf_counter()
    found = work()
    times.append(time.perf_counter() - start)
if sys.argv[1] == "kmeans":
    result = [found.inertia_]
elif sys.argv[1] == "density":
    result = (found[::1009, -1].astype(float) ** 2).tolist()
else:
    result = found[::101, -1].astype(float).tolist()
print(json.dumps({"version": sklearn.__version__, "seconds": sorted(times)[(len(times) - 1) // 2], "result": result}))
