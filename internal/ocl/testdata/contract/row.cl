// row group 128 rows 1 columns 1 lanes 8 split k 5: few outputs (5) of many terms (90000)
// launch contract_row global [3200] local [128]
// options -cl-single-precision-constant
// arguments M=1 N=5 K=90000 BATCHES=1 CHUNK=18432 n0=90000
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define WG 128
#define LANES 8
#define ROWS 1
#define COLUMNS 1
#define LEVELS 0
#define SPLIT 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PART, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX CHUNK, \
    const IDX n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const float v0 = LOAD_float32(p0, k);
    return v0;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n0 * n + k;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

#include "lib/block_sums.cl"
#include "contract/gpu_row.cl"
// launch contract_sum global [64] local [64]
// options -cl-single-precision-constant
// arguments M=1 N=5 BATCHES=1 SPLITS=5
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define SPAN 1
#define LEVELS 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PART, \
    const IDX M, \
    const IDX N, \
    const IDX BATCHES, \
    const IDX SPLITS
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, PART, M, N, BATCHES, SPLITS
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const long v0 = (long)(n);
    return v0;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/any_sum.cl"
