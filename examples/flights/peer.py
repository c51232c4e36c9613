# The same model by scikit-learn: peer.py FEATURES LEARNED
import json, sys, time
import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

features, learned = map(int, sys.argv[1:3])
x, y = np.fromfile("x.f32", np.float32).reshape(-1, features), np.fromfile("y.f32", np.float32)
times = []
while len(times) < 5 and sum(times) < 3:
    start = time.perf_counter()
    model = LogisticRegression(C=1, max_iter=300).fit(x[:learned], y[:learned])
    times.append(time.perf_counter() - start)
area = roc_auc_score(y[learned:], model.decision_function(x[learned:]))
print(json.dumps({"version": sklearn.__version__, "seconds": sorted(times)[(len(times) - 1) // 2], "result": area}))
