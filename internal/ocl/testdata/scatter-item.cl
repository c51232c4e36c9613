// item rows=7 columns=1 of 1000x32, 64 updates: an item owns one column of some rows
// launch scatter_keys global [64] local [64]
// options -cl-single-precision-constant
// arguments ROWS=1000 COLS=32 COUNT=64 VSPAN=7 DSPAN=1 n0=32
#define VAL float
#define RING float
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

// ---- scatter.cl ----
// scatter.cl: add updates to the rows that their keys name.
//
//     y[v, d] = INIT(v, d) + sum over n with AT(n) = v of UPDATE(n, d)
//
// hooks   AT(n)   INIT(v, d)   UPDATE(n, d)   STORE(i, v)
// macros  VAL    type of the sums    RING  type of one addition: unsigned for integers, which wrap
//         DIRECT 1: y itself holds the sums; 0: SUMS does, because the output is of a half type
// sizes   ROWS, COLS, COUNT  extents of v, d, n    VSPAN, DSPAN  rows and columns an item owns
// launch  scatter_keys  global {COUNT padded}  local {WG}    AT as row numbers, -1 outside [0, ROWS)
//         scatter_add   global {COLS / DSPAN padded, ROWS / VSPAN}  local {WG, 1}
// note    an item owns its part of the output and looks at every key: no atomics, and each sum is
//         taken in the order of n, so results repeat

kernel void scatter_keys(PARAMS) {
    const IDX n = (IDX)get_global_id(0);
    if (n >= COUNT) return;
    const long k = (long)AT(n);
    KEYS[n] = k >= 0 && k < (long)ROWS ? (IDX)k : -1;
}

kernel void scatter_add(PARAMS) {
    const IDX d0 = (IDX)get_global_id(0) * DSPAN, d1 = min(d0 + DSPAN, COLS);
    const IDX v0 = (IDX)get_global_id(1) * VSPAN, v1 = min(v0 + VSPAN, ROWS);
    if (d0 >= COLS) return;
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++) SUM(v * COLS + d) = (VAL)INIT(v, d);
    for (IDX n = 0; n < COUNT; n++) {
        const IDX k = KEYS[n];
        if (k < v0 || k >= v1) continue;
        for (IDX d = d0; d < d1; d++)
            SUM(k * COLS + d) = (VAL)((RING)SUM(k * COLS + d) + (RING)UPDATE(n, d));
    }
#if !DIRECT
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++) STORE(v * COLS + d, SUM(v * COLS + d));
#endif
}
// launch scatter_add global [64 143] local [64 1]
