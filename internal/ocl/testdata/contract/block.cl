// block 504x64 of 8x32 depth 502: a CPU driver: blocks in the cache of one core
// launch contract_block global [8 1 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments M=500 N=501 K=502 BATCHES=1 ROWS=504 GROUP=504 PANELS=2 DEPTH=502 LOTS=1 n0=502 n1=501
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 8
#define NV 2
#define VL 16
#define NR 32
#define VT float16
#define VSTORE vstore16
#define SPACE_A 0
#define SPACE_B 32768
#define ROWS_ADJOIN 0
#define LEVELS 0
#define SPACE_SUM 0
#define RESTS 0
#define A_DIRECT 1
#define A_ALONG_K 1
#define A_ALONG_M 0
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) vload16(0, p)
#define A_ONE(p, i) LOAD_float32(p, i)
#define B_ALONG_K 1
#define B_ALONG_N 0
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload16(0, p)
#define B_ONE(p, i) LOAD_float32(p, i)
#define PUT_VECTOR(v, p) (*(__global VT_ANYWHERE *)(p) = (v))
#define OUT_VECTOR(b, m, n, x) PUT_VECTOR((x), (y0_ + o_y0) + OUT_AT(b, m, n))
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX ROWS, \
    const IDX GROUP, \
    const IDX PANELS, \
    const IDX DEPTH, \
    const IDX LOTS, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

static inline long a_row_hook(const IDX b, const IDX i FN_PARAMS) {
    const int i0 = n0 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define A_ROW(b, i) a_row_hook(b, i FN_ARGS)

static inline long b_column_hook(const IDX b, const IDX i FN_PARAMS) {
    const int i0 = n0 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define B_COLUMN(b, i) b_column_hook(b, i FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n0 * n + k;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n1 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "lib/cpu_transpose.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_block.cl"
