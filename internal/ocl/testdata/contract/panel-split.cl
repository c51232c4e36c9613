// panel block 10x32 split k 49: a CPU driver: vectors over panels of columns
// launch contract_panel global [1 1 49] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=100352 S_FROM=0 ROW_TILES=1 TILES=1 M=9 N=32 RUN=28 CHUNK=2072 BATCHES=1 A_STEP=1 B_STEP=32 RUN_COLUMNS=32 RUN_PANELS=1 n0=1431655766 n1=2 n2=30 n3=3 n4=1314785907 n5=10 n6=900 n7=613566757 n8=5 n9=28 n10=32
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 10
#define NV 2
#define VL 16
#define NR 32
#define VT float16
#define VLOAD vload16
#define A_DIRECT 1
#define B_DIRECT 1
#define HALF 0
#define SPLIT 1
#define ACROSS 0
#define LEVELS 2
#define TERMS 128
#define BLOCKS 16
#define LONG_RUNS 0
#define OUT_VECTOR(b, m, n, x) *(__global VT_ANYWHERE *)(PART + (((size_t)(S_FROM + s) * BATCHES + (b)) * M + (m)) * N + (n)) = (x)
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p, i) LOAD_float32(p, i)
#define FAR 0
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload16(0, p)
#define FAR_B 2
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PART, \
    const IDX B_FROM, \
    const IDX LOTS, \
    const IDX M_FROM, \
    const IDX N_FROM, \
    const IDX K_FROM, \
    const IDX K_TO, \
    const IDX S_FROM, \
    const IDX ROW_TILES, \
    const IDX TILES, \
    const IDX M, \
    const IDX N, \
    const IDX RUN, \
    const IDX CHUNK, \
    const IDX BATCHES, \
    const IDX A_STEP, \
    const IDX B_STEP, \
    const IDX RUN_COLUMNS, \
    const IDX RUN_PANELS, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9, \
    const IDX n10
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, PART, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, N, RUN, CHUNK, BATCHES, A_STEP, B_STEP, RUN_COLUMNS, RUN_PANELS, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9, \
    const IDX n10
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX x1 = m - q0 * n3;
    const int i2 = n2 * q0 + x1;
    const long v3 = (long)(i2);
    return v3;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n4, n5);
    const IDX q1 = (int)FASTDIV(k, n7, n8);
    const IDX x2 = q1 - q0 * n9;
    const IDX x3 = k - q1 * n9;
    const int i4 = n6 * q0 + n2 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

static inline long b_batch_hook(const IDX b FN_PARAMS) {
    const long v0 = (long)(0);
    return v0;
}
#define B_BATCH(b) b_batch_hook(b FN_ARGS)

static inline long b_row_hook(const IDX k FN_PARAMS) {
    const int i0 = n10 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_ROW(k) b_row_hook(k FN_ARGS)

static inline long b_column_hook(const IDX n FN_PARAMS) {
    const long v0 = (long)(n);
    return v0;
}
#define B_COLUMN(n) b_column_hook(n FN_ARGS)

#include "lib/block_sums.cl"
#include "contract/cpu_panel.cl"
// launch contract_sum global [9] local [1]
// options -cl-single-precision-constant
// arguments M=9 N=32 BATCHES=1 SPLITS=49 n0=32
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define SPAN 64
#define LEVELS 1
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
    const IDX SPLITS, \
    const IDX n0
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, PART, M, N, BATCHES, SPLITS, n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/any_sum.cl"
