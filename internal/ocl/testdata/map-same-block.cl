// block view=1x6400 block=1x800: a CPU driver: long inner loops become vectors
// launch map_block global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COLS=6400 RSPAN=1 CSPAN=800 n0=1
#define LANES 16
#define NARROW 0
#define SEGMENTS 0
#define INTERIOR 0
#define BUFFERED 0
#define STREAMED 0
#define PARAMS __global const int *restrict p0_, \
    const ulong o_p0, \
    __global uchar *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX CSPAN, \
    const IDX n0
#define ARGS p0_, o_p0, y0_, o_y0, ROWS, COLS, RSPAN, CSPAN, n0
#define FN_PARAMS , __global const int *p0, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, n0

INLINE uchar value_hook(const IDX r, const IDX c FN_PARAMS) {
    const int v0 = LOAD_int32(p0, c);
    const uchar v1 = (uchar)((v0 < v0) != 0);
    return v1;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_bool(y0_ + o_y0, i, (v) ? (uchar)n0 : (uchar)0)

#include "map/cpu_block.cl"
