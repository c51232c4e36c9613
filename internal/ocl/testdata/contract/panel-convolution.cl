// panel block 8x32 pack b: a CPU driver: vectors over panels of columns
// launch contract_pack_b global [3 2 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=144 S_FROM=0 ROW_TILES=0 TILES=0 N=64 B_PLANE=0 n0=144
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define PACK_K 64
#define NR 32
#define ALONG_K 1
#define VL 16
#define VT float16
#define VSTORE vstore16
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload16(0, p)
#define B_ONE(p, i) LOAD_float32(p, i)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global const float *restrict p2_, \
    const ulong o_p2, \
    __global const float *restrict p3_, \
    const ulong o_p3, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict B_PACK, \
    const IDX B_FROM, \
    const IDX LOTS, \
    const IDX M_FROM, \
    const IDX N_FROM, \
    const IDX K_FROM, \
    const IDX K_TO, \
    const IDX S_FROM, \
    const IDX ROW_TILES, \
    const IDX TILES, \
    const IDX N, \
    const IDX B_PLANE, \
    const IDX n0
#define ARGS p0_, o_p0, p1_, o_p1, p2_, o_p2, p3_, o_p3, y0_, o_y0, B_PACK, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, N, B_PLANE, n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    __global const float *p2, \
    __global const float *p3, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n0 * n + k;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline long b_column_hook(const IDX b, const IDX i FN_PARAMS) {
    const int i0 = n0 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define B_COLUMN(b, i) b_column_hook(b, i FN_ARGS)

#include "lib/cpu_transpose.cl"
#include "contract/cpu_pack_b.cl"
// launch contract_panel global [18 2 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=144 S_FROM=0 ROW_TILES=171 TILES=10 M=1368 N=64 RUN=3 A_STEP=1 B_PLANE=0 n0=64 n1=2134925265 n2=9 n3=6720 n4=-1356305461 n5=5 n6=18 n7=21 n8=19 n9=-954437176 n10=4 n11=420 n12=1431655766 n13=2 n14=3
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 8
#define NV 2
#define VL 16
#define NR 32
#define VT float16
#define VLOAD vload16
#define A_DIRECT 1
#define B_DIRECT 0
#define HALF 1
#define SPLIT 0
#define ACROSS 0
#define LEVELS 0
#define LONG_RUNS 0
#define BY_COLUMN 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p, i) LOAD_float32(p, i)
#define FAR 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global const float *restrict p2_, \
    const ulong o_p2, \
    __global const float *restrict p3_, \
    const ulong o_p3, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict B_PACK, \
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
    const IDX B_PLANE, \
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
    const IDX n14
#define ARGS p0_, o_p0, p1_, o_p1, p2_, o_p2, p3_, o_p3, y0_, o_y0, B_PACK, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, N, RUN, A_STEP, B_PLANE, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    __global const float *p2, \
    __global const float *p3, \
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
    const IDX n14
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = LOAD_float32(p2, n);
    const float v1 = (float)(acc + v0);
    const int i2 = n0 * m + n;
    const float v3 = LOAD_float32(p3, i2);
    const float v4 = (float)(v1 + v3);
    const float v5 = (float)(fmax(v4, (float)0));
    return v5;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n1, n2);
    const IDX q1 = (int)FASTDIV(m, n4, n5);
    const IDX x2 = q1 - q0 * n6;
    const IDX x3 = m - q1 * n8;
    const int i4 = n3 * q0 + n7 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n9, n10);
    const IDX q1 = (int)FASTDIV(k, n12, n13);
    const IDX x2 = q1 - q0 * n14;
    const IDX x3 = k - q1 * n14;
    const int i4 = n11 * q0 + n7 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

#include "lib/block_sums.cl"
#include "contract/cpu_panel.cl"
