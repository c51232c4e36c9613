// lane tile 16 of 64 features, blocks of 64 pack K pack V: a CPU driver: vectors over positions
// launch attention_pack global [4 3] local [1 1]
// options -cl-single-precision-constant
// arguments COUNT=60 B_FROM=0 n0=3840 n1=64
#define ACC float
#define WIDTH 64
#define SPAN 16
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
    __global float *restrict PACK, \
    const IDX COUNT, \
    const IDX B_FROM, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    __global const half *p2, \
    __global const uchar *p3, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0, n1

static inline float load_hook(const IDX b, const IDX r, const IDX x FN_PARAMS) {
    const int i0 = n0 * b + n1 * r + x;
    const float v1 = LOAD_float16(p1, i0);
    return v1;
}
#define LOAD(b, r, x) load_hook(b, r, x FN_ARGS)

#include "attention/cpu_pack.cl"
// launch attention_pack global [4 3] local [1 1]
// options -cl-single-precision-constant
// arguments COUNT=60 B_FROM=0 n0=1920 n1=32
#define ACC float
#define WIDTH 32
#define SPAN 16
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
    __global float *restrict PACK, \
    const IDX COUNT, \
    const IDX B_FROM, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    __global const half *p2, \
    __global const uchar *p3, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0, n1

static inline float load_hook(const IDX b, const IDX r, const IDX x FN_PARAMS) {
    const int i0 = n0 * b + n1 * r + x;
    const float v1 = LOAD_float16(p2, i0);
    return v1;
}
#define LOAD(b, r, x) load_hook(b, r, x FN_ARGS)

#include "attention/cpu_pack.cl"
// launch attention_lane global [4 3] local [1 1]
// options -cl-single-precision-constant
// arguments M=50 ROWS=50 N=60 TILES=4 B_FROM=0 K_ROWS=60 K_STEP=64 V_ROWS=60 V_STEP=32 n0=3200 n1=64 n2=60
#define ACC float
#define D 64
#define E 32
#define SCALE (0x1.99999ap-02f)
#define SCALE2 (0x1.2776c6p-01f)
#define LOG2E (0x1.715476p+00f)
#define LN2 (0x1.62e43p-01f)
#define BANDED 0
#define QV 2
#define VL 8
#define KR 6
#define KB 64
#define LONG 0
#define VT float8
#define FLOAT_EXP2 1
#define AS_VT as_float8
#define AS_IT as_int8
#define VLOAD(p) vload8(0, p)
#define VSTORE vstore8
#define FILL_Q(tile, depth, b, first, count) FILL_EACH(LOAD_Q, tile, depth, b, first, count)
#define SPILL_O(tile, depth, i0, have, factor) SPILL_EACH(STORE_O, tile, depth, i0, have, factor)
#define K_AT(b) (K_PACK + (size_t)((b) - B_FROM) * 64 * K_ROWS)
#define V_AT(b) (V_PACK + (size_t)((b) - B_FROM) * 32 * V_ROWS)
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
    __global float *restrict K_PACK, \
    __global float *restrict V_PACK, \
    const IDX M, \
    const IDX ROWS, \
    const IDX N, \
    const IDX TILES, \
    const IDX B_FROM, \
    const IDX K_ROWS, \
    const IDX K_STEP, \
    const IDX V_ROWS, \
    const IDX V_STEP, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    __global const half *p2, \
    __global const uchar *p3, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, n0, n1, n2

static inline float load_q_hook(const IDX b, const IDX r, const IDX d FN_PARAMS) {
    const int i0 = n0 * b + n1 * r + d;
    const float v1 = LOAD_float16(p0, i0);
    return v1;
}
#define LOAD_Q(b, r, d) load_q_hook(b, r, d FN_ARGS)

static inline uchar mask_of_hook(const IDX b, const IDX r, const IDX n FN_PARAMS) {
    const int i0 = n2 * b + n;
    const uchar v1 = LOAD_bool(p3, i0);
    return v1;
}
#define MASK_OF(b, r, n) mask_of_hook(b, r, n FN_ARGS)

#include "lib/block_sums.cl"
#include "attention/any_sums.cl"
#include "attention/any_top.cl"
#include "attention/cpu_shared.cl"
#include "lib/cpu_transpose.cl"
#include "attention/cpu_load_store.cl"
#include "attention/cpu_lane.cl"
