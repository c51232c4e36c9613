// tile view=1x210x211 tiles=1x32x64: a CPU driver: tiles turned in registers, since rows lie closer than columns
// launch map_tile global [4 7 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments OUTER=1 ROWS=210 COLS=211 OSPAN=1 RSPAN=32 CSPAN=64 n0=210 n1=211
#define OUT float
#define VL 16
#define VT float16
#define NARROW 0
#define DIRECT 1
#define ELEMENT(i) (y0_ + o_y0)[i]
#define BLOCK_COLS 128
#define PLAIN 1
#define STREAMED 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
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
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, n0, n1

INLINE float value_hook(const IDX o, const IDX r, const IDX c FN_PARAMS) {
    const int i0 = r + n0 * c;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define VALUE(o, r, c) value_hook(o, r, c FN_ARGS)

INLINE long place_hook(const IDX o, const IDX r FN_PARAMS) {
    const int i0 = n1 * r;
    const long v1 = (long)(i0);
    return v1;
}
#define PLACE(o, r) place_hook(o, r FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

INLINE float16 values_hook(const IDX o, const IDX r, const IDX c FN_PARAMS) {
    const int i0 = r + n0 * c;
    FETCH_LINE(p0 + i0 + 32);
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define VALUES(o, r, c) values_hook(o, r, c FN_ARGS)

#include "lib/cpu_transpose.cl"
#include "map/cpu_tile_store.cl"
#include "map/cpu_tile.cl"
