// pack view=1x1000x300 blocks=1x64x304: a CPU driver: inputs that lie along rows are packed to lie along columns
// launch map_pack global [1 16 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments OUTER=1 ROWS=1000 COLS=300 OSPAN=1 RSPAN=64 CSPAN=304 n0=1000 n1=300
#define IN float
#define VL 16
#define VT float16
#define BLOCK_COLS 128
#define PLAIN 1
#define BUFFERED 0
#define OUT float
#define EACH_TURNED(DO) DO(0)
#define VALUE_OF(o, r, c, at) VALUE(o, r, c, tile0 at)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX OUTER, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX OSPAN, \
    const IDX RSPAN, \
    const IDX CSPAN, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

static inline float16 turneds0_hook(const IDX o, const IDX r, const IDX c FN_PARAMS) {
    const int i0 = r + n0 * c;
    FETCH_LINE(p0 + i0 + 32);
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define TURNEDS0(o, r, c) turneds0_hook(o, r, c FN_ARGS)

static inline float value_hook(const IDX o, const IDX r, const IDX c, const float acc FN_PARAMS) {
    const int i0 = n1 * r + c;
    const float v1 = LOAD_float32(p1, i0);
    const float v2 = (float)(acc * v1);
    return v2;
}
#define VALUE(o, r, c, acc) value_hook(o, r, c, acc FN_ARGS)

static inline long place_hook(const IDX o, const IDX r FN_PARAMS) {
    const int i0 = n1 * r;
    const long v1 = (long)(i0);
    return v1;
}
#define PLACE(o, r) place_hook(o, r FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "lib/cpu_transpose.cl"
#include "map/cpu_pack.cl"
