// block view=64x100 vec=16 rows=8: a CPU driver: columns in vectors
// launch reduce_block global [1 8] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 SPAN=100 GOLDS=100 RSPAN=8 n0=100 n1=1008981770
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define VEC 16
#define THROUGH 0
#define PLAIN 1
#define VAL16 float16
#define AT16 int16
#define FOLD_OF VECTOR_SUM
#define LANE_RING float
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX SPAN, \
    const IDX GOLDS, \
    const IDX RSPAN, \
    const IDX n0, \
    const IDX n1
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, ROWS, COLS, SPAN, GOLDS, RSPAN, n0, n1
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

INLINE float load_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const int i0 = n0 * r + g;
    const float v1 = LOAD_float32(p0, i0);
    const float v2 = LOAD_float32(p1, g);
    const float v3 = (float)(v1 * v2);
    return v3;
}
#define LOAD(r, f, g) load_hook(r, f, g FN_ARGS)

INLINE float epilogue_hook(const IDX r, const float acc FN_PARAMS) {
    const float v0 = as_float((int)(n1));
    const float v1 = (float)(acc * v0);
    return v1;
}
#define EPILOGUE(r, acc) epilogue_hook(r, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

INLINE float16 loads_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const int i0 = n0 * r + g;
    const float16 v1 = LOADS_float32(p0, i0);
    const float16 v2 = LOADS_float32(p1, g);
    const float16 v3 = v1 * v2;
    return v3;
}
#define LOADS(r, f, g) loads_hook(r, f, g FN_ARGS)

#include "reduce/any_monoid.cl"
#include "reduce/cpu_monoid_vector.cl"
#include "reduce/cpu_block.cl"
