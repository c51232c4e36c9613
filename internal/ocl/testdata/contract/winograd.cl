// winograd 56 tiles of 8 x 32 columns of 2x16, 64 channels: ANYCL_VARIANT
// launch contract_winograd_kernels global [8 2 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments N=64 C=64 ALL_PANELS=2 PACK_K=8 n0=576 n1=1 n2=6 n3=64 n4=9
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define NR 32
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
    __global float *restrict KERNELS, \
    const IDX N, \
    const IDX C, \
    const IDX ALL_PANELS, \
    const IDX PACK_K, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    __global const float *p2, \
    __global const float *p3, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0, n1, n2, n3, n4

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n1, n2);
    const IDX x1 = k - q0 * n3;
    const int i2 = n0 * n + q0 + n4 * x1;
    const float v3 = LOAD_float32(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

#include "contract/cpu_winograd_transform.cl"
#include "contract/cpu_winograd_kernels.cl"
// launch contract_winograd global [2 2 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments N=64 C=64 ALL_PANELS=2 H=20 W=21 A_DOWN=1472 A_RIGHT=64 ALL_TILES=110 DOWN=10 ACROSS=11 TILES=56 PANELS=1 DEPTH=64 PLANE_IMAGE=3600 PLANE_SUM=1808 n0=-2045222521 n1=5 n2=1472 n3=21 n4=64 n5=1431655766 n6=8 n7=192 n8=576 n9=1 n10=6 n11=9
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define NR 32
#define MR 8
#define NV 2
#define VL 16
#define VT float16
#define SPACE 90112
#define ROWS_ADJOIN 0
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) vload16(0, p)
#define A_ONE(p, i) LOAD_float32(p, i)
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
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
    __global float *restrict KERNELS, \
    const IDX N, \
    const IDX C, \
    const IDX ALL_PANELS, \
    const IDX H, \
    const IDX W, \
    const IDX A_DOWN, \
    const IDX A_RIGHT, \
    const IDX ALL_TILES, \
    const IDX DOWN, \
    const IDX ACROSS, \
    const IDX TILES, \
    const IDX PANELS, \
    const IDX DEPTH, \
    const IDX PLANE_IMAGE, \
    const IDX PLANE_SUM, \
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
    const IDX n11
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
    const IDX n11
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11

static inline long a_row_hook(const IDX b, const IDX i FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(i, n0, n1);
    const IDX x1 = i - q0 * n3;
    const int i2 = n2 * q0 + n4 * x1;
    const long v3 = (long)(i2);
    return v3;
}
#define A_ROW(b, i) a_row_hook(b, i FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX x1 = m - q0 * n3;
    const IDX q2 = (int)FASTDIV(k, n5, n6);
    const IDX x3 = k - q2 * n7;
    const int i4 = n2 * q0 + n4 * x1 + n2 * q2 + x3;
    const float v5 = LOAD_float32(p0, i4);
    return v5;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n9, n10);
    const IDX x1 = k - q0 * n4;
    const int i2 = n8 * n + q0 + n11 * x1;
    const float v3 = LOAD_float32(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = LOAD_float32(p2, n);
    const float v1 = (float)(acc + v0);
    const int i2 = n4 * m + n;
    const float v3 = LOAD_float32(p3, i2);
    const float v4 = (float)(v1 + v3);
    const float v5 = (float)(fmax(v4, (float)0));
    return v5;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n4 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "contract/cpu_winograd_transform.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_winograd.cl"
