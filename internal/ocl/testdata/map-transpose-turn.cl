// turn view=1x64x100 side=16: a GPU: tiles turned in local memory, since rows lie closer than columns
// launch map_turn global [1792 4] local [256 1]
// options -cl-single-precision-constant
// arguments OUTER=1 ROWS=64 COLS=100 n0=64 n1=100
#define WG 256
#define SIDE 16
#define IN0 float
#define OUT float
#define EACH_TURNED(DO) DO(0)
#define VALUE_OF(o, r, c, at) VALUE(o, r, c, tile0 at)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX OUTER, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const float *p0, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, n0, n1

static inline float turned0_hook(const IDX o, const IDX r, const IDX c FN_PARAMS) {
    const int i0 = r + n0 * c;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define TURNED0(o, r, c) turned0_hook(o, r, c FN_ARGS)

static inline float value_hook(const IDX o, const IDX r, const IDX c, const float acc FN_PARAMS) {
    return acc;
}
#define VALUE(o, r, c, acc) value_hook(o, r, c, acc FN_ARGS)

static inline long place_hook(const IDX o, const IDX r FN_PARAMS) {
    const int i0 = n1 * r;
    const long v1 = (long)(i0);
    return v1;
}
#define PLACE(o, r) place_hook(o, r FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "map/gpu_turn.cl"
