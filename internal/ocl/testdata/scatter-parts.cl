// parts parts=4 of 16 updates to 1000x32: ANYCL_VARIANT
// launch scatter_parts global [4] local [1]
// options -cl-single-precision-constant
// arguments ROWS=1000 COLS=32 COUNT=64 NSPAN=16 COUNT_PARTS=4 VSPAN=500 n0=32
#define VAL float
#define RING float
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const int *restrict p1_, \
    const ulong o_p1, \
    __global const half *restrict p2_, \
    const ulong o_p2, \
    __global half *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PARTS, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX COUNT, \
    const IDX NSPAN, \
    const IDX COUNT_PARTS, \
    const IDX VSPAN, \
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

// ---- scatter_parts.cl ----
// scatter_parts.cl: add updates to the rows that their keys name, for an output that fits in a cache.
//
//     y[v, d] = INIT(v, d) + sum over n with AT(n) = v of UPDATE(n, d)
//
// hooks   AT(n)   INIT(v, d)   UPDATE(n, d)   STORE(i, v)
// macros  VAL    type of the sums    RING  type of one addition: unsigned for integers, which wrap
// sizes   ROWS, COLS, COUNT  extents of v, d, n    NSPAN  updates of a part    COUNT_PARTS  parts
//         VSPAN  rows an item of scatter_finish owns
// launch  scatter_parts   global {COUNT_PARTS}  local {1}    a part of the updates into sums of its own
//         scatter_finish  global {ROWS / VSPAN}  local {1}   INIT and the sums of all parts, in their order
// note    each update is looked at once; parts are fixed, so results repeat
// for     histograms, sums by class: outputs that are small beside the number of updates

kernel void scatter_parts(PARAMS) {
    const IDX part = (IDX)get_global_id(0);
    const IDX first = part * NSPAN, last = min(first + NSPAN, COUNT);
    __global VAL *const sums = PARTS + part * ROWS * COLS;
    for (IDX i = 0; i < ROWS * COLS; i++) sums[i] = 0;
    for (IDX n = first; n < last; n++) {
        const long k = (long)AT(n);
        if (k < 0 || k >= (long)ROWS) continue;
        for (IDX d = 0; d < COLS; d++)
            sums[(IDX)k * COLS + d] = (VAL)((RING)sums[(IDX)k * COLS + d] + (RING)UPDATE(n, d));
    }
}

kernel void scatter_finish(PARAMS) {
    const IDX v0 = (IDX)get_global_id(0) * VSPAN, v1 = min(v0 + VSPAN, ROWS);
    for (IDX v = v0; v < v1; v++)
        for (IDX d = 0; d < COLS; d++) {
            VAL sum = (VAL)INIT(v, d);
            for (IDX p = 0; p < COUNT_PARTS; p++)
                sum = (VAL)((RING)sum + (RING)PARTS[(p * ROWS + v) * COLS + d]);
            STORE(v * COLS + d, sum);
        }
}
// launch scatter_finish global [2] local [1]
