// panel block 6x16 pack a: ANYCL_VARIANT
// launch contract_pack_a global [7 1 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=52 S_FROM=0 ROW_TILES=0 TILES=0 M=40 A_PLANE=0 n0=52
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define PACK_K 64
#define MR 6
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global const ushort *restrict p1_, \
    const ulong o_p1, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict A_PACK, \
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
    const IDX A_PLANE, \
    const IDX n0
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, A_PACK, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, A_PLANE, n0
#define FN_PARAMS , __global const ushort *p0, \
    __global const ushort *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * m + k;
    const float v1 = LOAD_bfloat16(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

#include "contract/cpu_pack_a.cl"
// launch contract_panel global [1 32 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=52 S_FROM=0 ROW_TILES=7 TILES=7 M=40 N=501 RUN=52 A_PLANE=0 B_STEP=501 RUN_COLUMNS=501 RUN_PANELS=32 n0=501
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 6
#define NV 2
#define VL 8
#define NR 16
#define VT float8
#define VLOAD vload8
#define A_DIRECT 0
#define B_DIRECT 1
#define HALF 0
#define SPLIT 0
#define ACROSS 0
#define LEVELS 0
#define LONG_RUNS 0
#define BY_COLUMN 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define B_TYPE ushort
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) as_float8(convert_uint8(vload8(0, p)) << 16)
#define FAR_B 3
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global const ushort *restrict p1_, \
    const ulong o_p1, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict A_PACK, \
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
    const IDX A_PLANE, \
    const IDX B_STEP, \
    const IDX RUN_COLUMNS, \
    const IDX RUN_PANELS, \
    const IDX n0
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, A_PACK, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, N, RUN, A_PLANE, B_STEP, RUN_COLUMNS, RUN_PANELS, n0
#define FN_PARAMS , __global const ushort *p0, \
    __global const ushort *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_bfloat16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_bfloat16(y0_ + o_y0, i, (v))

static inline long b_batch_hook(const IDX b FN_PARAMS) {
    const long v0 = (long)(0);
    return v0;
}
#define B_BATCH(b) b_batch_hook(b FN_ARGS)

static inline long b_row_hook(const IDX k FN_PARAMS) {
    const int i0 = n0 * k;
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
