// strip 4 rows x 3 vectors of 8, step 1, 4 x 114 an item: a CPU driver: windows along lines, read where they lie
// launch contract_pack_a global [1 1 16] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=16 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=36 S_FROM=0 ROW_TILES=0 TILES=0 M=4 A_PLANE=144 n0=1 n1=3 n2=8 n3=144 n4=36
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define PACK_K 64
#define MR 4
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global half *restrict y0_, \
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
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, A_PACK, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, A_PLANE, n0, n1, n2, n3, n4
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(b, n0, n1);
    const IDX x1 = b - q0 * n2;
    const int i2 = n3 * x1 + n4 * m + k;
    const float v3 = LOAD_float16(p0, i2);
    return v3;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

#include "contract/cpu_pack_a.cl"
// launch contract_strip global [1 1 16] local [1 1 1]
// options -cl-single-precision-constant
// arguments M=4 K=36 WINDOWS=28 LINE_VECTORS=4 VECTORS=112 SPAN=114 TILES=1 A_PLANE=144 LAST=54830 n0=3600 n1=30 n2=-954437176 n3=4 n4=900 n5=1431655766 n6=2 n7=3 n8=3136 n9=784
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 4
#define NV 3
#define LEVELS 0
#define TAPS 64
#define SPACE 128
#define B_TYPE half
#define B_PTR (p1_ + o_p1)
#define VL 8
#define VT float8
#define STEP 1
#define LINE_TYPE half
#define LINE_LOAD(p) vload_half8(0, p)
#define LINE_ONE(p, i) LOAD_float16(p, i)
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define WHOLE 0
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global half *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict A_PACK, \
    const IDX M, \
    const IDX K, \
    const IDX WINDOWS, \
    const IDX LINE_VECTORS, \
    const IDX VECTORS, \
    const IDX SPAN, \
    const IDX TILES, \
    const IDX A_PLANE, \
    const IDX LAST, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, A_PACK, M, K, WINDOWS, LINE_VECTORS, VECTORS, SPAN, TILES, A_PLANE, LAST, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9

static inline long b_at_hook(const IDX b, const IDX r, const IDX i FN_PARAMS) {
    const int i0 = n0 * b + n1 * r + i;
    const long v1 = (long)(i0);
    return v1;
}
#define B_AT(b, r, i) b_at_hook(b, r, i FN_ARGS)

static inline long b_tap_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n2, n3);
    const IDX q1 = (int)FASTDIV(k, n5, n6);
    const IDX x2 = q1 - q0 * n7;
    const IDX x3 = k - q1 * n7;
    const int i4 = n4 * q0 + n1 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define B_TAP(k) b_tap_hook(k FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_float16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n8 * b + n9 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float16(y0_ + o_y0, i, (v))

#include "contract/cpu_line.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_strip.cl"
