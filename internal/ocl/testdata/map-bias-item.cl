// item view=64x100 wg=128x2 items=1: a GPU: items with a few points each
// launch map_item global [128 64] local [128 2]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 n0=100
#define ITEMS 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline float value_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    const float v2 = LOAD_float32(p1, c);
    const float v3 = (float)(v1 * v2);
    return v3;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "map/gpu_item.cl"
