// block 400x64 of 8x16 depth 248: a CPU driver: blocks in the cache of one core
// launch contract_block global [8 1 1] local [1 1 1]
// options 
// arguments M=400 N=510 K=5200 BATCHES=1 ROWS=400 GROUP=16 PANELS=4 DEPTH=248 LOTS=1 n0=400 n1=510
#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define MR 8
#define NV 2
#define VL 8
#define NR 16
#define VT double8
#define VSTORE vstore8
#define SPACE_A 4096
#define SPACE_B 16384
#define ROWS_ADJOIN 0
#define LEVELS 0
#define SPACE_SUM 32768
#define RESTS 0
#define A_DIRECT 0
#define A_ALONG_K 0
#define A_ALONG_M 1
#define A_TYPE double
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) vload8(0, p)
#define MSTORE vstore8
#define B_ALONG_K 0
#define B_ALONG_N 1
#define B_TYPE double
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload8(0, p)
#define PUT_VECTOR(v, p) (*(__global VT_ANYWHERE *)(p) = (v))
#define OUT_VECTOR(b, m, n, x) PUT_VECTOR((x), (y0_ + o_y0) + OUT_AT(b, m, n))
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (double)(v)))
#define PARAMS __global const double *restrict p0_, \
    const ulong o_p0, \
    __global const double *restrict p1_, \
    const ulong o_p1, \
    __global double *restrict y0_, \
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
#define FN_PARAMS , __global const double *p0, \
    __global const double *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

static inline long a_column_hook(const IDX b, const IDX k FN_PARAMS) {
    const int i0 = n0 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define A_COLUMN(b, k) a_column_hook(b, k FN_ARGS)

static inline double load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = m + n0 * k;
    const double v1 = LOAD_float64(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline long b_row_hook(const IDX b, const IDX k FN_PARAMS) {
    const int i0 = n1 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_ROW(b, k) b_row_hook(b, k FN_ARGS)

static inline double load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n + n1 * k;
    const double v1 = LOAD_float64(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline double epilogue_hook(const IDX b, const IDX m, const IDX n, const double acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n1 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float64(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/cpu_block.cl"
