# The four prices in NumPy, without Greeks. Arguments: paths, steps, strike, barrier, spot, volatility, rate, years.
import json, sys, time
import numpy as np

paths, steps = int(sys.argv[1]), int(sys.argv[2])
strike, barrier, spot, vol, rate, years = map(float, sys.argv[3:])
random = np.random.Generator(np.random.SFC64(1))  # the fastest of NumPy

start = time.perf_counter()
dt = years / steps
moves = random.standard_normal((paths, steps), np.float32) * np.float32(vol * dt**0.5) + np.float32((rate - vol * vol / 2) * dt)
logs = np.cumsum(moves, 1) + np.float32(np.log(spot))
above = logs - np.float32(np.log(barrier))
before = above - moves
survive = np.where(np.minimum(above, before) > 0, 1 - np.exp(above * before * np.float32(-2 / (vol * vol * dt))), 0).prod(1)
call = lambda s: np.maximum(s - np.float32(strike), 0) * np.float32(np.exp(-rate * years))
european, geometric, arithmetic = call(np.exp(logs[:, -1])), call(np.exp(logs.mean(1))), call(np.exp(logs).mean(1))
knock = european * survive
prices = [float(x.mean()) for x in (european, geometric, knock, arithmetic)]
seconds = time.perf_counter() - start
print(json.dumps({"version": np.__version__, "seconds": seconds, "result": {"Price": prices[2], "Error": float(knock.std() / paths**0.5)}}))
