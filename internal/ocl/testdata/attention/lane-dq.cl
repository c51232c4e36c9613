// lane tile 32 of 64 features, blocks of 64: a CPU driver: vectors over positions
// launch attention_lane_dq global [32 3] local [1 1]
// options -cl-single-precision-constant
// arguments M=500 ROWS=1000 N=600 LOW=-500 HIGH=100 TILES=32 B_FROM=0 K_STEP=64 V_STEP=64 n0=64000 n1=103079216 n2=9 n3=32000 n4=500 n5=64 n6=38400 n7=1000
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
#define Q_TYPE float
#define Q_PTR (p0_ + o_p0)
#define Q_ROW(b, r) (Q_PTR + Q_START(b, r))
#define FILL_Q(tile, depth, b, first, count) FILL_ROWS(Q_ROW, tile, depth, b, first, count)
#define DO_TYPE float
#define DO_PTR (p3_ + o_p3)
#define DO_ROW(b, r) (DO_PTR + DO_START(b, r))
#define FILL_DO(tile, depth, b, first, count) FILL_ROWS(DO_ROW, tile, depth, b, first, count)
#define SPILL_DQ(tile, depth, i0, have, factor) SPILL_ROWS((y0_ + o_y0), tile, depth, i0, have, factor)
#define K_TYPE float
#define K_PTR (p1_ + o_p1)
#define K_AT(b) (K_PTR + K_START(b))
#define V_TYPE float
#define V_PTR (p2_ + o_p2)
#define V_AT(b) (V_PTR + V_START(b))
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
    const IDX TILES, \
    const IDX B_FROM, \
    const IDX K_STEP, \
    const IDX V_STEP, \
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

static inline long q_start_hook(const IDX b, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n1, n2);
    const IDX x1 = r - q0 * n4;
    const int i2 = n0 * b + n3 * q0 + n5 * x1;
    const long v3 = (long)(i2);
    return v3;
}
#define Q_START(b, r) q_start_hook(b, r FN_ARGS)

static inline long do_start_hook(const IDX b, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(r, n1, n2);
    const IDX x1 = r - q0 * n4;
    const int i2 = n0 * b + n3 * q0 + n5 * x1;
    const long v3 = (long)(i2);
    return v3;
}
#define DO_START(b, r) do_start_hook(b, r FN_ARGS)

static inline long k_start_hook(const IDX b FN_PARAMS) {
    const int i0 = n6 * b;
    const long v1 = (long)(i0);
    return v1;
}
#define K_START(b) k_start_hook(b FN_ARGS)

static inline long v_start_hook(const IDX b FN_PARAMS) {
    const int i0 = n6 * b;
    const long v1 = (long)(i0);
    return v1;
}
#define V_START(b) v_start_hook(b FN_ARGS)

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
#include "attention/cpu_shared.cl"
#include "lib/cpu_transpose.cl"
#include "attention/cpu_load_store.cl"
#include "attention/cpu_lane_dq.cl"
