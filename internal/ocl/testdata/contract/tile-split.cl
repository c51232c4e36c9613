// tile tile 32x32x16 items 8x8 split k 10: a GPU: tiles in local memory
// launch contract_tile global [2560] local [64]
// options 
// arguments TILES_M=2 TILES_N=2 M=50 N=60 K=9000 BATCHES=1 CHUNK=912 n0=9000
#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define TM 32
#define TN 32
#define TK 16
#define TX 8
#define TY 8
#define VW 4
#define VEC double4
#define SPREAD(v, p) vstore4(v, 0, p)
#define STAGES 1
#define SLICES 1
#define BAND 8
#define SUMS_FROM (int)((IDX)M >> (8 * sizeof(IDX) - 1))
#define LEVELS 1
#define TERMS 512
#define A_BY_K 1
#define LA 1
#define B_BY_K 1
#define LB 1
#define STEADY 0
#define SPLIT 1
#define PARAMS __global const double *restrict p0_, \
    const ulong o_p0, \
    __global const double *restrict p1_, \
    const ulong o_p1, \
    __global double *restrict y0_, \
    const ulong o_y0, \
    __global double *restrict PART, \
    const IDX TILES_M, \
    const IDX TILES_N, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX CHUNK, \
    const IDX n0
#define FN_PARAMS , __global const double *p0, \
    __global const double *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline double load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * m + k;
    const double v1 = LOAD_float64(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline double load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n0 * n + k;
    const double v1 = LOAD_float64(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

#include "lib/block_sums.cl"
#include "contract/gpu_tile.cl"
// launch contract_sum global [3008] local [64]
// options 
// arguments M=50 N=60 BATCHES=1 SPLITS=10 n0=60
#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define SPAN 1
#define LEVELS 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (double)(v)))
#define PARAMS __global const double *restrict p0_, \
    const ulong o_p0, \
    __global const double *restrict p1_, \
    const ulong o_p1, \
    __global double *restrict y0_, \
    const ulong o_y0, \
    __global double *restrict PART, \
    const IDX M, \
    const IDX N, \
    const IDX BATCHES, \
    const IDX SPLITS, \
    const IDX n0
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, PART, M, N, BATCHES, SPLITS, n0
#define FN_PARAMS , __global const double *p0, \
    __global const double *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline double epilogue_hook(const IDX b, const IDX m, const IDX n, const double acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float64(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/any_sum.cl"
