// strip 8 rows x 3 vectors of 16, step 2, 32 x 51 an item: a CPU driver: windows along lines, read where they lie
// launch contract_pack_a global [4 1 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments B_FROM=0 LOTS=1 M_FROM=0 N_FROM=0 K_FROM=0 K_TO=27 S_FROM=0 ROW_TILES=0 TILES=0 M=32 A_PLANE=0 n0=27
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define PACK_K 64
#define MR 8
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
#define ARGS p0_, o_p0, p1_, o_p1, p2_, o_p2, p3_, o_p3, y0_, o_y0, A_PACK, B_FROM, LOTS, M_FROM, N_FROM, K_FROM, K_TO, S_FROM, ROW_TILES, TILES, M, A_PLANE, n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    __global const float *p2, \
    __global const float *p3, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * m + k;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

#include "contract/cpu_pack_a.cl"
// launch contract_strip global [16 1 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments M=32 K=27 WINDOWS=112 LINE_VECTORS=7 VECTORS=784 SPAN=51 TILES=4 A_PLANE=0 LAST=50591 n0=452 n1=2 n2=-954437176 n3=4 n4=51076 n5=1431655766 n6=2 n7=3 n8=226 n9=613566757 n10=7 n11=112 n12=12544
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 8
#define NV 3
#define LEVELS 0
#define TAPS 64
#define SPACE 64
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define VL 16
#define VT float16
#define STEP 2
#define LINE_TYPE float
#define LINE_LOAD(p) (*(__global const VT_ANYWHERE *)(p))
#define LINE_ONE(p, i) LOAD_float32(p, i)
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define WHOLE 0
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
    const IDX n9, \
    const IDX n10, \
    const IDX n11, \
    const IDX n12
#define ARGS p0_, o_p0, p1_, o_p1, p2_, o_p2, p3_, o_p3, y0_, o_y0, A_PACK, M, K, WINDOWS, LINE_VECTORS, VECTORS, SPAN, TILES, A_PLANE, LAST, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12
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
    const IDX n12
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12

static inline long b_at_hook(const IDX b, const IDX r, const IDX i FN_PARAMS) {
    const int i0 = n0 * r + n1 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define B_AT(b, r, i) b_at_hook(b, r, i FN_ARGS)

static inline long b_tap_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n2, n3);
    const IDX q1 = (int)FASTDIV(k, n5, n6);
    const IDX x2 = q1 - q0 * n7;
    const IDX x3 = k - q1 * n7;
    const int i4 = n4 * q0 + n8 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define B_TAP(k) b_tap_hook(k FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(n, n9, n10);
    const IDX x1 = n - q0 * n11;
    const float v2 = LOAD_float32(p2, x1);
    const float v3 = (float)(acc + v2);
    const int i4 = n12 * m + n11 * q0 + x1;
    const float v5 = LOAD_float32(p3, i4);
    const float v6 = (float)(v3 + v5);
    const float v7 = (float)(fmax(v6, (float)0));
    return v7;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(n, n9, n10);
    const IDX x1 = n - q0 * n11;
    const int i2 = n12 * m + n11 * q0 + x1;
    const long v3 = (long)(i2);
    return v3;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "contract/cpu_line.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_strip.cl"
