// stripe view=2x70x100 lanes=100: a CPU driver: stripes of rows that are neighbours in memory
// launch reduce_stripe global [1 2 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments ROWS=200 OUTER=2 INNER=100 COLS=70 LANES=100 RSPAN=1 SPAN=70 n0=7000 n1=100
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 1
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define VAL16 float16
#define AT16 int16
#define FOLD_OF VECTOR_SUM
#define LANE_RING float
#define VECTORS 7
#define TURNS 1
#define STEPS 1
#define PLAIN 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX OUTER, \
    const IDX INNER, \
    const IDX COLS, \
    const IDX LANES, \
    const IDX RSPAN, \
    const IDX SPAN, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const float *p0, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, n0, n1

static inline float16 loads_hook(const IDX o, const IDX i, const IDX c FN_PARAMS) {
    const int i0 = n0 * o + i + n1 * c;
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define LOADS(o, i, c) loads_hook(o, i, c FN_ARGS)

static inline float load_hook(const IDX o, const IDX i, const IDX c FN_PARAMS) {
    const int i0 = n0 * o + i + n1 * c;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD(o, i, c) load_hook(o, i, c FN_ARGS)

static inline float epilogue_hook(const IDX o, const IDX i, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(o, i, acc) epilogue_hook(o, i, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "reduce/any_monoid.cl"
#include "reduce/cpu_monoid_vector.cl"
#include "reduce/cpu_stripe.cl"
