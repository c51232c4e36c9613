// block view=64x100 block=8x100: a CPU driver: long inner loops become vectors
// launch map_block global [1 8] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 RSPAN=8 CSPAN=100 n0=100
#define LANES 16
#define NARROW 0
#define SEGMENTS 0
#define INTERIOR 0
#define BUFFERED 0
#define STREAMED 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX CSPAN, \
    const IDX n0
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, ROWS, COLS, RSPAN, CSPAN, n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

INLINE float value_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    const float v2 = LOAD_float32(p1, c);
    const float v3 = (float)(v1 * v2);
    return v3;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "map/cpu_block.cl"
