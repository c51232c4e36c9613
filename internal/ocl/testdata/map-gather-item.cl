// item view=64x100 wg=128x2 items=1: a GPU: items with a few points each
// launch map_item global [128 64] local [128 2]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 n0=50 n1=100
#define ITEMS 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const long *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const float *p0, \
    __global const long *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

static inline float value_hook(const IDX r, const IDX c FN_PARAMS) {
    const long v0 = LOAD_int64(p1, r);
    const long z1 = (long)v0;
    const int g2 = z1 >= 0 && z1 < n0;
    const long v3 = g2 ? LOAD_int64(p1, r) : (long)0;
    const int z4 = (int)v3;
    const int i5 = c + n1 * z4;
    const float v6 = g2 ? LOAD_float32(p0, i5) : (float)0;
    return v6;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "map/gpu_item.cl"
