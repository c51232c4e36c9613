// lanes view=28224x9 14x14x144 of 3x3 pixels vecs=2: a CPU driver: lanes along the last axis share a window
// launch reduce_pixels global [14 2] local [1 1]
// options -cl-single-precision-constant
// arguments OUTER=14 PIXELS=14 INNER=144 RSPAN=1 ISPAN=96 n0=2016 n1=144 n2=-2160 n3=432 n4=14
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define VECS 2
#define TOGETHER 4
#define LANES 16
#define VALS float16
#define FOLDS 3
#define GOLDS 3
#define GUARDED 1
#define RIGHTS_OUTSIDE RIGHTS
#define RESULTS_PTR (y0_ + o_y0)
#define PUT_VECTOR(v, p) (*(__global VALS_ANYWHERE *)(p) = (v))
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX OUTER, \
    const IDX PIXELS, \
    const IDX INNER, \
    const IDX RSPAN, \
    const IDX ISPAN, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4

static inline float16 lefts_hook(const IDX o, const IDX p, const IDX i, const IDX f, const IDX g FN_PARAMS) {
    const long i0 = n0 * o + n1 * p + i + n0 * f + n1 * g + n2;
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define LEFTS(o, p, i, f, g) lefts_hook(o, p, i, f, g FN_ARGS)

static inline float16 rights_hook(const IDX o, const IDX i, const IDX f, const IDX g FN_PARAMS) {
    const long i0 = i + n3 * f + n1 * g;
    const float16 v1 = LOADS_float32(p1, i0);
    return v1;
}
#define RIGHTS(o, i, f, g) rights_hook(o, i, f, g FN_ARGS)

static inline float16 lefts_outside_hook(const IDX o, const IDX p, const IDX i, const IDX f, const IDX g FN_PARAMS) {
    const float v0 = 0.0f;
    const float16 v1 = (float16)(v0);
    return v1;
}
#define LEFTS_OUTSIDE(o, p, i, f, g) lefts_outside_hook(o, p, i, f, g FN_ARGS)

static inline uchar inside_hook(const IDX o, const IDX p, const IDX f, const IDX g FN_PARAMS) {
    const long i0 = o + f - 1;
    const long i1 = p + g - 1;
    const int g2 = i0 >= 0 && i0 < n4 && i1 >= 0 && i1 < n4;
    const uchar v3 = g2;
    return v3;
}
#define INSIDE(o, p, f, g) inside_hook(o, p, f, g FN_ARGS)

static inline float16 results_hook(const IDX o, const IDX p, const IDX i, const float16 acc FN_PARAMS) {
    return acc;
}
#define RESULTS(o, p, i, acc) results_hook(o, p, i, acc FN_ARGS)

static inline float epilogue_hook(const IDX o, const IDX p, const IDX i, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(o, p, i, acc) epilogue_hook(o, p, i, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "reduce/any_monoid.cl"
#include "reduce/cpu_pixels.cl"
