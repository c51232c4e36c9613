// gather view=64x100 rows=8 ahead=10: a CPU driver: rows that indices name are fetched ahead
// launch map_gather global [8] local [1]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 RSPAN=8 n0=50 n1=100
#define NARROW 0
#define AHEAD 10
#define OUT float
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const long *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
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

static inline void fetch_at_hook(const IDX r FN_PARAMS) {
    const IDX c = 0;
    const long v0 = LOAD_int64(p1, r);
    const int z1 = (int)v0;
    const int i2 = c + n1 * z1;
    FETCH_LINE(p0 + i2 + 0);
    FETCH_LINE(p0 + i2 + 16);
    FETCH_LINE(p0 + i2 + 32);
    FETCH_LINE(p0 + i2 + 48);
    FETCH_LINE(p0 + i2 + 64);
    FETCH_LINE(p0 + i2 + 80);
    FETCH_LINE(p0 + i2 + 96);
}
#define FETCH_AT(r) fetch_at_hook(r FN_ARGS)

#include "map/cpu_gather.cl"
