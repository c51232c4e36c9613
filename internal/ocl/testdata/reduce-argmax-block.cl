// block view=2x100000 vec=64 rows=1 parts=4: a CPU driver: columns in vectors
// launch reduce_block global [4 2] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=2 COLS=100000 SPAN=25024 GOLDS=100000 RSPAN=1 n0=100000
#define SPLIT 1
#define FOLD FOLD_MAX
#define IS_ARG 1
#define EXACT 0
#define BEATS BEATS_MAX
#define VAL char
#define OUT_ACC long
#define RING uint
#define IDENTITY ((char)-128)
#define PAIRED 0
#define VEC 64
#define THROUGH 0
#define PLAIN 1
#define VAL16 char16
#define AT16 int16
#define TO_AT16 convert_int16
#define PARAMS __global const char *restrict p0_, \
    const ulong o_p0, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global char *restrict PARTS, \
    __global int *restrict PARTS_AT, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX SPAN, \
    const IDX GOLDS, \
    const IDX RSPAN, \
    const IDX n0
#define ARGS p0_, o_p0, y0_, o_y0, PARTS, PARTS_AT, ROWS, COLS, SPAN, GOLDS, RSPAN, n0
#define FN_PARAMS , __global const char *p0, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, n0

INLINE char load_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const int i0 = n0 * r + g;
    const char v1 = LOAD_int8(p0, i0);
    return v1;
}
#define LOAD(r, f, g) load_hook(r, f, g FN_ARGS)

INLINE char16 loads_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const int i0 = n0 * r + g;
    const char16 v1 = LOADS_int8(p0, i0);
    return v1;
}
#define LOADS(r, f, g) loads_hook(r, f, g FN_ARGS)

#include "reduce/any_monoid.cl"
#include "reduce/cpu_monoid_vector.cl"
#include "reduce/cpu_block.cl"
// launch reduce_finish global [1] local [1]
// options -cl-single-precision-constant
// arguments ROWS=2 COUNT=4
#define SPLIT 0
#define FOLD FOLD_MAX
#define IS_ARG 1
#define EXACT 0
#define BEATS BEATS_MAX
#define VAL char
#define OUT_ACC long
#define RING uint
#define IDENTITY ((char)-128)
#define PAIRED 0
#define EACH 64
#define PARAMS __global const char *restrict p0_, \
    const ulong o_p0, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global char *restrict PARTS, \
    __global int *restrict PARTS_AT, \
    const IDX ROWS, \
    const IDX COUNT
#define ARGS p0_, o_p0, y0_, o_y0, PARTS, PARTS_AT, ROWS, COUNT
#define FN_PARAMS , __global const char *p0
#define FN_ARGS , p0_ + o_p0

INLINE long epilogue_hook(const IDX r, const long acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(r, acc) epilogue_hook(r, acc FN_ARGS)

#define STORE(i, v) STORE_int64(y0_ + o_y0, i, (v))

#include "reduce/any_monoid.cl"
#include "reduce/any_finish.cl"
