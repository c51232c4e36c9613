// tile 256 items in 4 parts, 12 at a time of 64 features: ANYCL_VARIANT
// launch attention_tile_dq global [4096 3] local [256 1]
// options -cl-single-precision-constant
// arguments M=500 ROWS=1000 N=600 LOW=-500 HIGH=100 n0=64000 n1=103079216 n2=9 n3=32000 n4=500 n5=64 n6=38400 n7=1000
#define ACC float
#define D 64
#define E 64
#define SCALE (0x1.99999ap-02f)
#define SCALE2 (0x1.2776c6p-01f)
#define LOG2E (0x1.715476p+00f)
#define LN2 (0x1.62e43p-01f)
#define BANDED 1
#define LANES 64
#define PARTS 4
#define LEAVES 4
#define BN 12
#define LONG 0
#define HAS_MASK 0
#define STORE_DQ(i, v) STORE_float32(y0_ + o_y0, i, v)
#define WITH_TOPS 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global const float *restrict p2_, \
    const ulong o_p2, \
    __global const float *restrict p3_, \
    const ulong o_p3, \
    __global const float *restrict p4_, \
    const ulong o_p4, \
    __global const float *restrict p5_, \
    const ulong o_p5, \
    __global const float *restrict p6_, \
    const ulong o_p6, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX M, \
    const IDX ROWS, \
    const IDX N, \
    const IDX LOW, \
    const IDX HIGH, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    __global const float *p2, \
    __global const float *p3, \
    __global const float *p4, \
    __global const float *p5, \
    __global const float *p6, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, p4_ + o_p4, p5_ + o_p5, p6_ + o_p6, n0, n1, n2, n3, n4, n5, n6, n7

static inline float load_q_hook(const IDX b, const IDX r, const IDX d FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n1, n2);
    const IDX x1 = r - q0 * n4;
    const int i2 = n0 * b + n3 * q0 + n5 * x1 + d;
    const float v3 = LOAD_float32(p0, i2);
    return v3;
}
#define LOAD_Q(b, r, d) load_q_hook(b, r, d FN_ARGS)

static inline float load_k_hook(const IDX b, const IDX n, const IDX d FN_PARAMS) {
    const int i0 = n6 * b + n5 * n + d;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define LOAD_K(b, n, d) load_k_hook(b, n, d FN_ARGS)

static inline float load_v_hook(const IDX b, const IDX n, const IDX e FN_PARAMS) {
    const int i0 = n6 * b + n5 * n + e;
    const float v1 = LOAD_float32(p2, i0);
    return v1;
}
#define LOAD_V(b, n, e) load_v_hook(b, n, e FN_ARGS)

static inline float load_do_hook(const IDX b, const IDX r, const IDX e FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n1, n2);
    const IDX x1 = r - q0 * n4;
    const int i2 = n0 * b + n3 * q0 + n5 * x1 + e;
    const float v3 = LOAD_float32(p3, i2);
    return v3;
}
#define LOAD_DO(b, r, e) load_do_hook(b, r, e FN_ARGS)

static inline float load_top_hook(const IDX b, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n1, n2);
    const IDX x1 = r - q0 * n4;
    const int i2 = n7 * b + n4 * q0 + x1;
    const float v3 = LOAD_float32(p4, i2);
    return v3;
}
#define LOAD_TOP(b, r) load_top_hook(b, r FN_ARGS)

static inline float load_share_hook(const IDX b, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n1, n2);
    const IDX x1 = r - q0 * n4;
    const int i2 = n7 * b + n4 * q0 + x1;
    const float v3 = LOAD_float32(p5, i2);
    return v3;
}
#define LOAD_SHARE(b, r) load_share_hook(b, r FN_ARGS)

static inline float load_delta_hook(const IDX b, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n1, n2);
    const IDX x1 = r - q0 * n4;
    const int i2 = n7 * b + n4 * q0 + x1;
    const float v3 = LOAD_float32(p6, i2);
    return v3;
}
#define LOAD_DELTA(b, r) load_delta_hook(b, r FN_ARGS)

#include "lib/block_sums.cl"
#include "attention/any_sums.cl"
#include "attention/any_top.cl"
#include "attention/gpu_weight.cl"
#include "attention/gpu_shared.cl"
#include "attention/gpu_tile_dq.cl"
