// block view=64x100 block=8x100: a CPU driver: long inner loops become vectors
// launch map_block global [1 8] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 RSPAN=8 CSPAN=100 n0=100
#define LANES 16
#define NARROW 0
#define SEGMENTS 0
#define INTERIOR 0
#define BUFFERED 1
#define STREAMED 0
#define FIRST (y0_ + o_y0)
#define PARAMS __global const float *restrict p1_, \
    const ulong o_p1, \
    __global int *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX CSPAN, \
    const IDX n0
#define ARGS p1_, o_p1, y0_, o_y0, ROWS, COLS, RSPAN, CSPAN, n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0
#define FN_ARGS , (__global const float *)(y0_ + o_y0), p1_ + o_p1, n0

INLINE int value_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    const float v2 = LOAD_float32(p1, c);
    const float v3 = (float)(v1 * v2);
    const int v4 = (int)((v3 != v3 ? (int)0 : convert_int_sat_rtz(v3)));
    return v4;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_int32(y0_ + o_y0, i, (v))

#define BUFFERS(n) int b0[n] LINES;
#define KEEP(k, v) do { const int v_ = (v); b0[k] = v_; } while (0)
#define EACH_BUFFER(DO) DO((y0_ + o_y0), b0)

#include "map/cpu_block.cl"
