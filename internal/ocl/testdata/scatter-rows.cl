// rows rows=125 columns=32 of 1000x32, 64 updates: a CPU driver: an item owns rows, columns in vectors
// launch scatter_keys global [64] local [64]
// options -cl-single-precision-constant
// arguments ROWS=1000 COLS=32 COUNT=64 VSPAN=125 DSPAN=32 n0=32
#define EACH 0
#define KEY int
#define VAL float
#define RING float
#define PUT(a, b) ((VAL)((float)(a) + (float)(b)))
#define EXACT 0
#define COLLECT 0
#define COLUMNS 
#define DIRECT 0
#define SUM(i) SUMS[i]
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const int *restrict p1_, \
    const ulong o_p1, \
    __global const half *restrict p2_, \
    const ulong o_p2, \
    __global half *restrict y0_, \
    const ulong o_y0, \
    __global int *restrict KEYS, \
    __global float *restrict SUMS, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX COUNT, \
    const IDX VSPAN, \
    const IDX DSPAN, \
    const IDX n0
#define FN_PARAMS , __global const half *p0, \
    __global const int *p1, \
    __global const half *p2, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, n0

static inline int at_hook(const IDX n FN_PARAMS) {
    const int v0 = LOAD_int32(p1, n);
    return v0;
}
#define AT(n) at_hook(n FN_ARGS)

static inline float init_hook(const IDX v, const IDX d FN_PARAMS) {
    const int i0 = n0 * v + d;
    const float v1 = LOAD_float16(p0, i0);
    const float v2 = (float)((float)(v1));
    return v2;
}
#define INIT(v, d) init_hook(v, d FN_ARGS)

static inline float update_hook(const IDX n, const IDX d FN_PARAMS) {
    const int i0 = n0 * n + d;
    const float v1 = LOAD_float16(p2, i0);
    const float v2 = (float)((float)(v1));
    return v2;
}
#define UPDATE(n, d) update_hook(n, d FN_ARGS)

#define STORE(i, v) STORE_float16(y0_ + o_y0, i, (v))

#include "scatter/any_add.cl"
// launch scatter_add global [1 8] local [1 1]
