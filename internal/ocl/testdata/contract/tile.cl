// tile tile 128x64x16 items 8x16 slices 2: a GPU: tiles in local memory
// launch contract_tile global [24576] local [256]
// options -cl-single-precision-constant
// arguments A_WIDE=1 B_WIDE=0 TILES_M=4 TILES_N=8 M=500 N=501 K=502 BATCHES=3 n0=251000 n1=500 n2=251502 n3=501 n4=250500
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define TM 128
#define TN 64
#define TK 16
#define TX 8
#define TY 16
#define VW 4
#define VEC float4
#define SPREAD(v, p) vstore4(v, 0, p)
#define STAGES 1
#define SLICES 2
#define BAND 8
#define SUMS_FROM (int)((IDX)M >> (8 * sizeof(IDX) - 1))
#define LEVELS 0
#define A_BY_K 0
#define LA 4
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define B_BY_K 0
#define LB 4
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define STEADY 1
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX A_WIDE, \
    const IDX B_WIDE, \
    const IDX TILES_M, \
    const IDX TILES_N, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4

static inline long a_at_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * b + m + n1 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define A_AT(b, m, k) a_at_hook(b, m, k FN_ARGS)

static inline long b_at_hook(const IDX b, const IDX n, const IDX k FN_PARAMS) {
    const int i0 = n2 * b + n + n3 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_AT(b, n, k) b_at_hook(b, n, k FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * b + m + n1 * k;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n2 * b + n + n3 * k;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n4 * b + n3 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/gpu_tile.cl"
