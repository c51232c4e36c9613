"""The same scores by parasail, a library of SIMD kernels for alignment, on all processors."""
import json, os, sys, time
from multiprocessing.pool import ThreadPool
import parasail

match, mismatch, gap, extend = map(int, sys.argv[1:])
genome = open("genome.txt").read()
reads = open("reads.txt").read().split()
matrix = parasail.matrix_create("ACGTN", match, -mismatch)

def score(read):
    """8 bits for a score, and 16 where these are too few."""
    return parasail.sw_striped_profile_sat(parasail.profile_create_sat(read, matrix), genome, gap, extend).score

with ThreadPool(os.cpu_count()) as pool:
    pool.map(score, reads[:2])
    start = time.perf_counter()
    scores = pool.map(score, reads, chunksize=8)
    seconds = time.perf_counter() - start
print(json.dumps({"version": parasail.__version__, "seconds": seconds, "result": scores}))
