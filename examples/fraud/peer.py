# The same models by LightGBM, or scikit-learn where it is not installed: peer.py trees|logistic FEATURES LEARNED TREES DEPTH RATE
import json, sys, time
import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

what, features, learned, trees, depth, rate = sys.argv[1], *map(int, sys.argv[2:6]), float(sys.argv[6])
x, y = np.fromfile("x.f32", np.float32).reshape(-1, features), np.fromfile("y.f32", np.float32)
name, version = "scikit-learn", sklearn.__version__
if what == "logistic":
    mean, deviation = x[:learned].mean(0), x[:learned].std(0)
    x = (x - mean) / deviation
    make = lambda: LogisticRegression(C=1e6, max_iter=300)
else:
    try:
        import lightgbm
        name, version = "LightGBM", lightgbm.__version__
        make = lambda: lightgbm.LGBMClassifier(n_estimators=trees, max_depth=depth, num_leaves=2 ** depth, learning_rate=rate, max_bin=64,
                                               reg_lambda=1, min_child_samples=1, min_child_weight=1, verbose=-1)
    except ImportError:
        from sklearn.ensemble import HistGradientBoostingClassifier
        make = lambda: HistGradientBoostingClassifier(max_iter=trees, max_depth=depth, max_leaf_nodes=2 ** depth, learning_rate=rate, max_bins=64,
                                                      l2_regularization=1, min_samples_leaf=4, early_stopping=False)
times = []
while len(times) < 5 and sum(times) < 3:
    start = time.perf_counter()
    model = make().fit(x[:learned], y[:learned])
    times.append(time.perf_counter() - start)
area = roc_auc_score(y[learned:], model.predict_proba(x[learned:])[:, 1])
print(json.dumps({"name": name, "version": version, "seconds": sorted(times)[(len(times) - 1) // 2], "result": {what: area}}))
