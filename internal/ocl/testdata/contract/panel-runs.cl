// panel block 8x32: a CPU driver: vectors over panels of columns
// launch contract_panel global [3 18 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=392 S_FROM=0 ROW_TILES=5 TILES=2 M=40 N=576 RUN=14 A_STEP=1 B_STEP=64 RUN_COLUMNS=192 RUN_PANELS=6 n0=576 n1=1 n2=6 n3=64 n4=9 n5=196 n6=1314785907 n7=8 n8=7840 n9=16384 n10=613566757 n11=4 n12=14 n13=1024 n14=1431655766 n15=8 n16=192
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 8
#define NV 2
#define VL 16
#define NR 32
#define VT float16
#define VLOAD vload16
#define A_DIRECT 1
#define B_DIRECT 1
#define HALF 0
#define SPLIT 0
#define ACROSS 0
#define LEVELS 0
#define LONG_RUNS 0
#define BY_COLUMN 1
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define TURNED 1
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p, i) LOAD_float32(p, i)
#define FAR 0
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload16(0, p)
#define FAR_B 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
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
    const IDX n10, \
    const IDX n11, \
    const IDX n12, \
    const IDX n13, \
    const IDX n14, \
    const IDX n15, \
    const IDX n16
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, N, RUN, A_STEP, B_STEP, RUN_COLUMNS, RUN_PANELS, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15, n16
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
    const IDX n10, \
    const IDX n11, \
    const IDX n12, \
    const IDX n13, \
    const IDX n14, \
    const IDX n15, \
    const IDX n16
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15, n16

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(n, n1, n2);
    const IDX x1 = n - q0 * n3;
    const int i2 = n0 * m + q0 + n4 * x1;
    const long v3 = (long)(i2);
    return v3;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const int i0 = n5 * m;
    const long v1 = (long)(i0);
    return v1;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n6, n7);
    const IDX x1 = k - q0 * n5;
    const int i2 = n8 * q0 + x1;
    const long v3 = (long)(i2);
    return v3;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

static inline long b_batch_hook(const IDX b FN_PARAMS) {
    const long v0 = (long)(0);
    return v0;
}
#define B_BATCH(b) b_batch_hook(b FN_ARGS)

static inline long b_row_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n6, n7);
    const IDX q1 = (int)FASTDIV(k, n10, n11);
    const IDX x2 = q1 - q0 * n12;
    const IDX x3 = k - q1 * n12;
    const int i4 = n9 * q0 + n13 * x2 + n3 * x3;
    const long v5 = (long)(i4);
    return v5;
}
#define B_ROW(k) b_row_hook(k FN_ARGS)

static inline long b_column_hook(const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(n, n14, n15);
    const IDX x1 = n - q0 * n16;
    const int i2 = n13 * q0 + x1;
    const long v3 = (long)(i2);
    return v3;
}
#define B_COLUMN(n) b_column_hook(n FN_ARGS)

#include "lib/cpu_transpose.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_panel.cl"
