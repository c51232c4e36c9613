// block view=1x6400 block=1x800: a CPU driver: long inner loops become vectors
// launch map_block global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COLS=6400 RSPAN=1 CSPAN=800 run
#define LANES 16
#define NARROW 0
#define SEGMENTS 0
#define INTERIOR 0
#define BUFFERED 1
#define STREAMED 0
#define FIRST (y0_ + o_y0)
#define PARAMS __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX CSPAN, \
    const uint run
#define ARGS y0_, o_y0, ROWS, COLS, RSPAN, CSPAN, run
#define FN_PARAMS , __global const float *p0, \
    const uint run
#define FN_ARGS , y0_ + o_y0, run

INLINE float value_hook(const IDX r, const IDX c FN_PARAMS) {
    const float v0 = LOAD_float32(p0, c);
    const float v1 = (float)((float)(run));
    const float v2 = (float)(v0 - v1);
    return v2;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#define BUFFERS(n) float b0[n] LINES;
#define KEEP(k, v) do { const float v_ = (v); b0[k] = v_; } while (0)
#define EACH_BUFFER(DO) DO((y0_ + o_y0), b0)

#include "map/cpu_block.cl"
