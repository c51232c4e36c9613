// lane tile 32 of 64 features, blocks of 64: a CPU driver: vectors over positions
// launch attention_lane_dkv global [19 3] local [1 1]
// options -cl-single-precision-constant
// arguments M=500 ROWS=1000 N=600 LOW=-500 HIGH=100 TILES=19 B_FROM=0 Q_STEP=64 DO_STEP=64 n0=38400 n1=64 n2=64000 n3=1000 n4=103079216 n5=9 n6=500
#define ACC float
#define D 64
#define E 64
#define SCALE (0x1.99999ap-02f)
#define SCALE2 (0x1.2776c6p-01f)
#define LOG2E (0x1.715476p+00f)
#define LN2 (0x1.62e43p-01f)
#define BANDED 1
#define QV 2
#define VL 16
#define KR 8
#define KB 64
#define LONG 0
#define VT float16
#define FLOAT_EXP2 1
#define AS_VT as_float16
#define AS_IT as_int16
#define VLOAD(p) vload16(0, p)
#define VSTORE vstore16
#define K_TYPE float
#define K_PTR (p1_ + o_p1)
#define K_ROW(b, r) (K_PTR + K_START(b, r))
#define FILL_K(tile, depth, b, first, count) FILL_ROWS(K_ROW, tile, depth, b, first, count)
#define V_TYPE float
#define V_PTR (p2_ + o_p2)
#define V_ROW(b, r) (V_PTR + V_START(b, r))
#define FILL_V(tile, depth, b, first, count) FILL_ROWS(V_ROW, tile, depth, b, first, count)
#define SPILL_DK(tile, depth, i0, have, factor) SPILL_ROWS((y0_ + o_y0), tile, depth, i0, have, factor)
#define SPILL_DV(tile, depth, i0, have, factor) SPILL_ROWS((y1_ + o_y1), tile, depth, i0, have, factor)
#define Q_TYPE float
#define Q_PTR (p0_ + o_p0)
#define Q_AT(b) (Q_PTR + Q_START(b))
#define DO_TYPE float
#define DO_PTR (p3_ + o_p3)
#define DO_AT(b) (DO_PTR + DO_START(b))
#define HAS_MASK 0
#define STORE_DK(i, v) STORE_float32(y0_ + o_y0, i, v)
#define STORE_DV(i, v) STORE_float32(y1_ + o_y1, i, v)
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
    __global float *restrict y1_, \
    const ulong o_y1, \
    const IDX M, \
    const IDX ROWS, \
    const IDX N, \
    const IDX LOW, \
    const IDX HIGH, \
    const IDX TILES, \
    const IDX B_FROM, \
    const IDX Q_STEP, \
    const IDX DO_STEP, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6
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
    const IDX n6
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, p4_ + o_p4, p5_ + o_p5, p6_ + o_p6, n0, n1, n2, n3, n4, n5, n6

static inline long k_start_hook(const IDX b, const IDX n FN_PARAMS) {
    const int i0 = n0 * b + n1 * n;
    const long v1 = (long)(i0);
    return v1;
}
#define K_START(b, n) k_start_hook(b, n FN_ARGS)

static inline long v_start_hook(const IDX b, const IDX n FN_PARAMS) {
    const int i0 = n0 * b + n1 * n;
    const long v1 = (long)(i0);
    return v1;
}
#define V_START(b, n) v_start_hook(b, n FN_ARGS)

static inline long q_start_hook(const IDX b FN_PARAMS) {
    const int i0 = n2 * b;
    const long v1 = (long)(i0);
    return v1;
}
#define Q_START(b) q_start_hook(b FN_ARGS)

static inline long do_start_hook(const IDX b FN_PARAMS) {
    const int i0 = n2 * b;
    const long v1 = (long)(i0);
    return v1;
}
#define DO_START(b) do_start_hook(b FN_ARGS)

static inline float load_top_hook(const IDX b, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n4, n5);
    const IDX x1 = r - q0 * n6;
    const int i2 = n3 * b + n6 * q0 + x1;
    const float v3 = LOAD_float32(p4, i2);
    return v3;
}
#define LOAD_TOP(b, r) load_top_hook(b, r FN_ARGS)

static inline float load_share_hook(const IDX b, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n4, n5);
    const IDX x1 = r - q0 * n6;
    const int i2 = n3 * b + n6 * q0 + x1;
    const float v3 = LOAD_float32(p5, i2);
    return v3;
}
#define LOAD_SHARE(b, r) load_share_hook(b, r FN_ARGS)

static inline float load_delta_hook(const IDX b, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n4, n5);
    const IDX x1 = r - q0 * n6;
    const int i2 = n3 * b + n6 * q0 + x1;
    const float v3 = LOAD_float32(p6, i2);
    return v3;
}
#define LOAD_DELTA(b, r) load_delta_hook(b, r FN_ARGS)

#include "lib/block_sums.cl"
#include "attention/any_sums.cl"
#include "attention/any_top.cl"
#include "attention/cpu_shared.cl"
#include "lib/cpu_transpose.cl"
#include "attention/cpu_load_store.cl"
#include "attention/cpu_lane_dkv.cl"
