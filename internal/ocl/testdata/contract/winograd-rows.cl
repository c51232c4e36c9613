// winograd 55 tiles of 5 x 32 columns of 2x8, 64 channels: a CPU driver: windows of 3 x 3 that move by one, with fewer multiplications
// launch contract_winograd_kernels global [4 4 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments N=64 C=64 ALL_PANELS=4 PACK_K=16 n0=576 n1=1 n2=6 n3=64 n4=9
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define NR 16
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global half *restrict y0_, \
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
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n1, n2);
    const IDX x1 = k - q0 * n3;
    const int i2 = n0 * n + q0 + n4 * x1;
    const float v3 = LOAD_float16(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

#include "contract/cpu_winograd_transform.cl"
#include "contract/cpu_winograd_kernels.cl"
// launch contract_winograd global [4 2 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments N=64 C=64 ALL_PANELS=4 H=20 W=21 A_DOWN=1472 A_RIGHT=64 ALL_TILES=220 DOWN=10 ACROSS=11 TILES=55 PANELS=2 DEPTH=64 PLANE_IMAGE=3528 PLANE_SUM=1768 n0=940802361 n1=9 n2=32384 n3=-2045222521 n4=5 n5=20 n6=1472 n7=21 n8=64 n9=1431655766 n10=8 n11=192 n12=576 n13=1 n14=6 n15=9 n16=26880 n17=420
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define NR 16
#define MR 5
#define NV 2
#define VL 8
#define VT float8
#define SPACE 90112
#define ROWS_ADJOIN 1
#define A_TYPE half
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) vload_half8(0, p)
#define A_ONE(p, i) LOAD_float16(p, i)
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global half *restrict y0_, \
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
    const IDX n11, \
    const IDX n12, \
    const IDX n13, \
    const IDX n14, \
    const IDX n15, \
    const IDX n16, \
    const IDX n17
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
    const IDX n9, \
    const IDX n10, \
    const IDX n11, \
    const IDX n12, \
    const IDX n13, \
    const IDX n14, \
    const IDX n15, \
    const IDX n16, \
    const IDX n17
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15, n16, n17

static inline long a_row_hook(const IDX b, const IDX i FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(i, n0, n1);
    const IDX q1 = (int)FASTDIV(i, n3, n4);
    const IDX x2 = q1 - q0 * n5;
    const IDX x3 = i - q1 * n7;
    const int i4 = n2 * q0 + n6 * x2 + n8 * x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_ROW(b, i) a_row_hook(b, i FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX q1 = (int)FASTDIV(m, n3, n4);
    const IDX x2 = q1 - q0 * n5;
    const IDX x3 = m - q1 * n7;
    const IDX q4 = (int)FASTDIV(k, n9, n10);
    const IDX x5 = k - q4 * n11;
    const int i6 = n2 * q0 + n6 * x2 + n8 * x3 + n6 * q4 + x5;
    const float v7 = LOAD_float16(p0, i6);
    return v7;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n13, n14);
    const IDX x1 = k - q0 * n8;
    const int i2 = n12 * n + q0 + n15 * x1;
    const float v3 = LOAD_float16(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_float16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX x1 = m - q0 * n17;
    const int i2 = n16 * q0 + x1 + n17 * n;
    const long v3 = (long)(i2);
    return v3;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float16(y0_ + o_y0, i, (v))

#include "lib/cpu_transpose.cl"
#include "contract/cpu_winograd_transform.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_winograd.cl"
