// tile 128 items in 4 parts, 32 at a time of 64 features: ANYCL_VARIANT
// launch attention_tile global [256 3] local [128 1]
// options -cl-single-precision-constant
// arguments M=50 ROWS=50 N=60 n0=3200 n1=64 n2=3840 n3=1920 n4=32 n5=60
#define ACC float
#define D 64
#define E 32
#define SCALE (0x1.99999ap-02f)
#define SCALE2 (0x1.2776c6p-01f)
#define LOG2E (0x1.715476p+00f)
#define LN2 (0x1.62e43p-01f)
#define BANDED 0
#define LANES 32
#define PARTS 4
#define LEAVES 4
#define BN 32
#define LONG 0
#define MASK(b, r, n) (MASK_OF(b, r, n) ? (float)0 : (float)-INFINITY)
#define HAS_MASK 1
#define STORE_O(i, v) STORE_float16(y0_ + o_y0, i, v)
#define STORE_TOP(i, v) STORE_float32(y1_ + o_y1, i, v)
#define STORE_SHARE(i, v) STORE_float32(y2_ + o_y2, i, v)
#define WITH_TOPS 1
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global const half *restrict p2_, \
    const ulong o_p2, \
    __global const uchar *restrict p3_, \
    const ulong o_p3, \
    __global half *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict y1_, \
    const ulong o_y1, \
    __global float *restrict y2_, \
    const ulong o_y2, \
    const IDX M, \
    const IDX ROWS, \
    const IDX N, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    __global const half *p2, \
    __global const uchar *p3, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0, n1, n2, n3, n4, n5

static inline float load_q_hook(const IDX b, const IDX r, const IDX d FN_PARAMS) {
    const int i0 = n0 * b + n1 * r + d;
    const float v1 = LOAD_float16(p0, i0);
    return v1;
}
#define LOAD_Q(b, r, d) load_q_hook(b, r, d FN_ARGS)

static inline float load_k_hook(const IDX b, const IDX n, const IDX d FN_PARAMS) {
    const int i0 = n2 * b + n1 * n + d;
    const float v1 = LOAD_float16(p1, i0);
    return v1;
}
#define LOAD_K(b, n, d) load_k_hook(b, n, d FN_ARGS)

static inline float load_v_hook(const IDX b, const IDX n, const IDX e FN_PARAMS) {
    const int i0 = n3 * b + n4 * n + e;
    const float v1 = LOAD_float16(p2, i0);
    return v1;
}
#define LOAD_V(b, n, e) load_v_hook(b, n, e FN_ARGS)

static inline uchar mask_of_hook(const IDX b, const IDX r, const IDX n FN_PARAMS) {
    const int i0 = n5 * b + n;
    const uchar v1 = LOAD_bool(p3, i0);
    return v1;
}
#define MASK_OF(b, r, n) mask_of_hook(b, r, n FN_ARGS)

#include "lib/block_sums.cl"
#include "attention/any_sums.cl"
#include "attention/any_top.cl"
#include "attention/gpu_weight.cl"
#include "attention/gpu_shared.cl"
#include "attention/gpu_tile.cl"
