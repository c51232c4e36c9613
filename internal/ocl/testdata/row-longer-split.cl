// split row=through map=item: a fold after the other, each over all rows
// launch reduce_group global [256 79] local [256 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COLS=1048576 SPAN=13312
#define SPLIT 1
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define WG 256
#define THROUGH 1
#define OUT1_T float
#define OUT2_T float
#define EACH_OUT(DO)  DO(1) DO(2)
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
    const IDX SPAN
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , y1_ + o_y1, p1_ + o_p1

static inline float load_hook(const IDX r, const IDX c FN_PARAMS) {
    const float v0 = LOAD_float32(p0, c);
    const float v1 = LOAD_float32(p1, c);
    const float v2 = (float)(v0 - v1);
    const float v3 = (float)(v2 * v2);
    return v3;
}
#define LOAD(r, c) load_hook(r, c FN_ARGS)

static inline float out1_hook(const IDX r, const IDX c FN_PARAMS) {
    const float v0 = LOAD_float32(p0, c);
    const float v1 = LOAD_float32(p1, c);
    const float v2 = (float)(v0 - v1);
    return v2;
}
#define OUT1(r, c) out1_hook(r, c FN_ARGS)

#define STORE1(i, v) STORE_float32(y1_ + o_y1, i, (v))

static inline float out2_hook(const IDX r, const IDX c FN_PARAMS) {
    const float v0 = LOAD_float32(p0, c);
    const float v1 = LOAD_float32(p1, c);
    const float v2 = (float)(v0 * v1);
    return v2;
}
#define OUT2(r, c) out2_hook(r, c FN_ARGS)

#define STORE2(i, v) STORE_float32(y2_ + o_y2, i, (v))

#include "reduce/any_monoid.cl"
#include "reduce/gpu_group.cl"
// launch reduce_finish global [64 1] local [64 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COUNT=79
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 1
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define WG 64
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
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , y1_ + o_y1, p1_ + o_p1

static inline float epilogue_hook(const IDX r, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(r, acc) epilogue_hook(r, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "reduce/any_monoid.cl"
#include "reduce/any_finish.cl"
// launch map_item global [64 1] local [64 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COLS=1
#define ITEMS 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

static inline float value_hook(const IDX r, const IDX c FN_PARAMS) {
    const float v0 = LOAD_float32(p0, 0);
    return v0;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "map/gpu_item.cl"
