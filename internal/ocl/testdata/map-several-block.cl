// block view=1x6400 block=1x800: a CPU driver: long inner loops become vectors
// launch map_block global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COLS=6400 RSPAN=1 CSPAN=800
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
    __global half *restrict y1_, \
    const ulong o_y1, \
    __global float *restrict y2_, \
    const ulong o_y2, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX CSPAN
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, y1_, o_y1, y2_, o_y2, ROWS, COLS, RSPAN, CSPAN
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

typedef struct { float v0; float v1; float v2; } value_t;
INLINE value_t value_hook(const IDX r, const IDX c FN_PARAMS) {
    const float v0 = LOAD_float32(p0, c);
    const float v1 = LOAD_float32(p1, c);
    const float v2 = (float)(v0 + v1);
    const float v3 = (float)(v0 * v0);
    const float v4 = (float)(round_float16(v3));
    value_t out;
    out.v0 = v2;
    out.v1 = v4;
    out.v2 = v1;
    return out;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) do { const value_t v_ = (v); STORE_float32(y0_ + o_y0, i, v_.v0); STORE_float16(y1_ + o_y1, i, v_.v1); STORE_float32(y2_ + o_y2, i, v_.v2); } while (0)

#include "map/cpu_block.cl"
