// panel block 8x32 pack b: ANYCL_VARIANT
// launch contract_pack_b global [8 16 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=502 S_FROM=0 ROW_TILES=0 TILES=0 N=501 B_PLANE=0 n0=502
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
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, B_PACK, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, N, B_PLANE, n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

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
// launch contract_panel global [4 16 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=502 S_FROM=0 ROW_TILES=63 TILES=16 M=500 N=501 RUN=502 A_STEP=1 B_PLANE=0 n0=501 n1=502
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
#define PUT_VECTOR(v, p) (*(__global VT_ANYWHERE *)(p) = (v))
#define OUT_VECTOR(b, m, n, x) PUT_VECTOR((x), (y0_ + o_y0) + OUT_AT(b, m, n))
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p, i) LOAD_float32(p, i)
#define FAR 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
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
    const IDX n1
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, B_PACK, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, N, RUN, A_STEP, B_PLANE, n0, n1
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

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

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const int i0 = n1 * m;
    const long v1 = (long)(i0);
    return v1;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const long v0 = (long)(k);
    return v0;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

#include "lib/block_sums.cl"
#include "contract/cpu_panel.cl"
