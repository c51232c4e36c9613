// panel block 6x16 pack b: ANYCL_VARIANT
// launch contract_pack_b global [2 32 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments A_WHOLE=126 B_WHOLE=126 B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=126 S_FROM=0 ROW_TILES=0 TILES=0 N=501 B_PLANE=0 n0=504 n1=4 n2=2 n3=3
#define ACC uint
#define MAC(a, b, c) DOT_US(a, b, c)
#define WORDS 4
#define PACK_K 64
#define NR 16
#define ALONG_K 1
#define VL 8
#define VT uint8
#define VSTORE vstore8
#define B_TYPE char
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload8(0, (__global const uint *)(p))
#define B_ONE(p, i) as_uint(vload4(0, (p) + (i)))
#define PARAMS __global const uchar *restrict p0_, \
    const ulong o_p0, \
    __global const char *restrict p1_, \
    const ulong o_p1, \
    __global int *restrict y0_, \
    const ulong o_y0, \
    __global uint *restrict B_PACK, \
    const IDX A_WHOLE, \
    const IDX B_WHOLE, \
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
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, B_PACK, A_WHOLE, B_WHOLE, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, N, B_PLANE, n0, n1, n2, n3
#define FN_PARAMS , __global const uchar *p0, \
    __global const char *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3

static inline uint load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n0 * n + n1 * k;
    const char v1 = LOAD_int8(p1, i0);
    const int i2 = n0 * n + n1 * k + 1;
    const char v3 = LOAD_int8(p1, i2);
    const int i4 = n0 * n + n1 * k + n2;
    const char v5 = LOAD_int8(p1, i4);
    const int i6 = n0 * n + n1 * k + n3;
    const char v7 = LOAD_int8(p1, i6);
    const uint v8 = (uint)((uint)(uchar)v1 | (uint)(uchar)v3 << 8 | (uint)(uchar)v5 << 16 | (uint)(uchar)v7 << 24);
    return v8;
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
// launch contract_panel global [6 32 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments A_WHOLE=126 B_WHOLE=126 B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=126 S_FROM=0 ROW_TILES=84 TILES=14 M=500 N=501 RUN=126 A_STEP=4 B_PLANE=0 n0=501 n1=504 n2=4
#define ACC uint
#define MAC(a, b, c) DOT_US(a, b, c)
#define WORDS 4
#define MR 6
#define NV 2
#define VL 8
#define NR 16
#define VT uint8
#define VLOAD vload8
#define A_DIRECT 1
#define B_DIRECT 0
#define HALF 1
#define SPLIT 0
#define ACROSS 0
#define LEVELS 0
#define LONG_RUNS 0
#define BY_COLUMN 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (int)(v)))
#define PUT_VECTOR(v, p) (*(__global VT_ANYWHERE *)(p) = (v))
#define OUT_VECTOR(b, m, n, x) PUT_VECTOR((x), (y0_ + o_y0) + OUT_AT(b, m, n))
#define A_TYPE uchar
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p, i) as_uint(vload4(0, (p) + (i)))
#define FAR 0
#define PARAMS __global const uchar *restrict p0_, \
    const ulong o_p0, \
    __global const char *restrict p1_, \
    const ulong o_p1, \
    __global int *restrict y0_, \
    const ulong o_y0, \
    __global uint *restrict B_PACK, \
    const IDX A_WHOLE, \
    const IDX B_WHOLE, \
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
    const IDX n2
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, B_PACK, A_WHOLE, B_WHOLE, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, N, RUN, A_STEP, B_PLANE, n0, n1, n2
#define FN_PARAMS , __global const uchar *p0, \
    __global const char *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2

static inline int epilogue_hook(const IDX b, const IDX m, const IDX n, const int acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_int32(y0_ + o_y0, i, (v))

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const int i0 = n1 * m;
    const long v1 = (long)(i0);
    return v1;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const int i0 = n2 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

#include "lib/block_sums.cl"
#include "contract/cpu_panel.cl"
