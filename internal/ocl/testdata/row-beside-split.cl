// split row=through map=block: a fold after the other, each over all rows
// launch reduce_block global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COLS=65536 SPAN=8192 GOLDS=65536 RSPAN=1
#define SPLIT 1
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 1
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define VEC 64
#define THROUGH 1
#define OUT1_T float
#define OUTS1_T float16
#define PUT1(at, v) *(__global OUTS1_ANYWHERE *)((y1_ + o_y1) + (at)) = (v)
#define OUT2_T float
#define OUTS2_T float16
#define PUT2(at, v) *(__global OUTS2_ANYWHERE *)((y2_ + o_y2) + (at)) = (v)
#define EACH_OUT(DO)  DO(1) DO(2)
#define PLAIN 1
#define VAL16 float16
#define AT16 int16
#define FOLD_OF VECTOR_SUM
#define LANE_RING float
#define PARAMS __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict y1_, \
    const ulong o_y1, \
    __global float *restrict y2_, \
    const ulong o_y2, \
    __global float *restrict PARTS, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX SPAN, \
    const IDX GOLDS, \
    const IDX RSPAN
#define ARGS p1_, o_p1, y0_, o_y0, y1_, o_y1, y2_, o_y2, PARTS, ROWS, COLS, SPAN, GOLDS, RSPAN
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , y1_ + o_y1, p1_ + o_p1

INLINE float load_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const float v0 = LOAD_float32(p0, g);
    const float v1 = LOAD_float32(p1, g);
    const float v2 = (float)(v0 - v1);
    const float v3 = (float)(v2 * v2);
    return v3;
}
#define LOAD(r, f, g) load_hook(r, f, g FN_ARGS)

INLINE float16 loads_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const float16 v0 = LOADS_float32(p0, g);
    const float16 v1 = LOADS_float32(p1, g);
    const float16 v2 = v0 - v1;
    const float16 v3 = v2 * v2;
    return v3;
}
#define LOADS(r, f, g) loads_hook(r, f, g FN_ARGS)

INLINE float out1_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const float v0 = LOAD_float32(p0, g);
    const float v1 = LOAD_float32(p1, g);
    const float v2 = (float)(v0 - v1);
    return v2;
}
#define OUT1(r, f, g) out1_hook(r, f, g FN_ARGS)

#define STORE1(i, v) STORE_float32(y1_ + o_y1, i, (v))

INLINE float16 outs1_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const float16 v0 = LOADS_float32(p0, g);
    const float16 v1 = LOADS_float32(p1, g);
    const float16 v2 = v0 - v1;
    return v2;
}
#define OUTS1(r, f, g) outs1_hook(r, f, g FN_ARGS)

typedef float16 __attribute__((aligned(4))) OUTS1_ANYWHERE;
INLINE float out2_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const float v0 = LOAD_float32(p0, g);
    const float v1 = LOAD_float32(p1, g);
    const float v2 = (float)(v0 * v1);
    return v2;
}
#define OUT2(r, f, g) out2_hook(r, f, g FN_ARGS)

#define STORE2(i, v) STORE_float32(y2_ + o_y2, i, (v))

INLINE float16 outs2_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const float16 v0 = LOADS_float32(p0, g);
    const float16 v1 = LOADS_float32(p1, g);
    const float16 v2 = v0 * v1;
    return v2;
}
#define OUTS2(r, f, g) outs2_hook(r, f, g FN_ARGS)

typedef float16 __attribute__((aligned(4))) OUTS2_ANYWHERE;
#include "reduce/any_monoid.cl"
#include "reduce/cpu_monoid_vector.cl"
#include "reduce/cpu_block.cl"
// launch reduce_finish global [1] local [1]
// options -cl-single-precision-constant
// arguments ROWS=1 COUNT=8
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define EACH 64
#define PARAMS __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict y1_, \
    const ulong o_y1, \
    __global float *restrict y2_, \
    const ulong o_y2, \
    __global float *restrict PARTS, \
    const IDX ROWS, \
    const IDX COUNT
#define ARGS p1_, o_p1, y0_, o_y0, y1_, o_y1, y2_, o_y2, PARTS, ROWS, COUNT
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , y1_ + o_y1, p1_ + o_p1

INLINE float epilogue_hook(const IDX r, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(r, acc) epilogue_hook(r, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "reduce/any_monoid.cl"
#include "reduce/any_finish.cl"
// launch map_block global [1 1] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COLS=1 RSPAN=1 CSPAN=1
#define LANES 0
#define NARROW 0
#define SEGMENTS 0
#define INTERIOR 0
#define BUFFERED 0
#define STREAMED 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX CSPAN
#define ARGS p0_, o_p0, y0_, o_y0, ROWS, COLS, RSPAN, CSPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

INLINE float value_hook(const IDX r, const IDX c FN_PARAMS) {
    const float v0 = LOAD_float32(p0, 0);
    return v0;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "map/cpu_block.cl"
