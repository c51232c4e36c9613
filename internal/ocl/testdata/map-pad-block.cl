// block view=64x104 block=8x104: a CPU driver: long inner loops become vectors
// launch map_block global [1 8] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=104 RSPAN=8 CSPAN=104 n0=-2 n1=100
#define LANES 32
#define NARROW 0
#define SEGMENTS 0
#define INTERIOR 0
#define BUFFERED 0
#define STREAMED 0
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX CSPAN, \
    const IDX n0, \
    const IDX n1
#define ARGS p0_, o_p0, y0_, o_y0, ROWS, COLS, RSPAN, CSPAN, n0, n1
#define FN_PARAMS , __global const ushort *p0, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, n0, n1

INLINE ushort value_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = c + n0;
    const int g1 = i0 >= 0 && i0 < n1;
    const int i2 = n1 * r + c + n0;
    const ushort v3 = g1 ? LOAD_uint16(p0, i2) : (ushort)0;
    return v3;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_uint16(y0_ + o_y0, i, (v))

#include "map/cpu_block.cl"
