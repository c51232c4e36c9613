// block view=64x100 vec=64 rows=8 stages=1: ANYCL_VARIANT
// launch row_block global [8] local [1]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 RSPAN=8 n0=100
#define VEC 64
#define WHOLE (COLS / 16 * 16)
#define PADDED ((COLS + 15) / 16 * 16)
#define BUFFERED 0
#define STREAMED 0
#define IN_PLACE 1
#define STAGE_SPACE __global
#define COLUMNS WIDE
#define BAND 1
#define FIRST (y0_ + o_y0)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX n0
#define ARGS p0_, o_p0, y0_, o_y0, ROWS, COLS, RSPAN, n0
#define FN_PARAMS , __global const float *p0, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, n0

INLINE float staged0_hook(const IDX r, const IDX c, const float acc0 FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    const float v2 = (float)(v1 - acc0);
    const float v3 = (float)(wide_exp_below(v2));
    return v3;
}
#define STAGED0(c) staged0_hook(r, c, acc0 FN_ARGS)

INLINE float16 stageds0_hook(const IDX r, const IDX c, const float acc0 FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float16 v1 = LOADS_float32(p0, i0);
    const float16 v2 = (float16)(acc0);
    const float16 v3 = v1 - v2;
    const float16 v4 = wide_exp_below_16(v3);
    return v4;
}
#define STAGEDS0(c) stageds0_hook(r, c, acc0 FN_ARGS)

INLINE long ahead0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const long v1 = (long)(i0);
    return v1;
}
#define AHEAD0() ahead0_hook(r + 1, c FN_ARGS)

INLINE float load0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD0(c) load0_hook(r, c FN_ARGS)

INLINE float16 loads0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define LOADS0(c) loads0_hook(r, c FN_ARGS)

static inline float row_fold0(const IDX r, __global float *const st0, PARAMS);
#define FOLD_FUNCTION static inline float row_fold0(const IDX r, __global float *const st0, PARAMS)
#define FOLD FOLD_MAX
#define IS_ARG 0
#define EXACT 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (-INFINITY)
static inline float16 row_part0(const IDX r, __global float *const st0, PARAMS);
#define PART_FUNCTION static inline float16 row_part0(const IDX r, __global float *const st0, PARAMS)
#define PART row_part0(r, st0, ARGS)
#define AHEAD 
#define PLAIN 1
#define LOADS(c) LOADS0(c)
#define PREPARE_ALL(n) 
#define VECTOR_FOLD VECTOR_MAX
#define NOTES_NANS 1
#define NANS(n) int##n
#define PREPARE(n, IN) 
#define LOAD(c) LOAD0(c)
#include "reduce/any_monoid.cl"
#include "row/cpu_fold.cl"
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
#undef EXACT
#undef VAL
#undef OUT_ACC
#undef RING
#undef IDENTITY
#undef PART_FUNCTION
#undef PART
#undef AHEAD
#undef PLAIN
#undef LOADS
#undef PREPARE_ALL
#undef VECTOR_FOLD
#undef NOTES_NANS
#undef NANS
#undef PREPARE
#undef LOAD
#undef ISNAN
#undef FOLD_SUM
#undef FOLD_PROD
#undef FOLD_MIN
#undef FOLD_MAX
#undef BEATS_MIN
#undef BEATS_MAX
#undef STATES
#undef LOCAL_STATES
#undef CLEAR
#undef COPY
#undef ADD
#undef MERGE_STATE
#undef MERGE
#undef SAVE
#undef MERGE_PART
#undef RESULT
#undef PAIR_PRODUCT
#undef PAIR_BY
#undef TOTALS
#undef START
#undef RUN_END
#undef CARRY
#undef SETTLE
#undef EMIT
#undef ALL
#undef GET
#undef VALUES_OF
#undef JOIN3
#undef NAMED
#undef VAL_OF
#undef RING_OF
#undef VECTOR_SUM
#undef VECTOR_PROD
#undef VECTOR_MIN
#undef VECTOR_MAX
#undef V
#undef VALUES
#undef GET_ALL
#undef FOLD_VECTORS
#undef FOLD_VECTOR
#undef NOTE_NANS
#undef ROW_TOTALS
#undef CARRY_TO
#undef ROW_CARRY
#undef ROW_SETTLE
#undef INSIDE
#undef ACROSS

INLINE float load1_hook(const IDX r, const IDX c, const float st0 FN_PARAMS) {
    return st0;
}
#define LOAD1(c) load1_hook(r, c, st0[c] FN_ARGS)

INLINE float16 loads1_hook(const IDX r, const IDX c, const __global float * st0 FN_PARAMS) {
    return (*(STAGE_SPACE const FLOAT16_ANYWHERE *)&st0[c]);
}
#define LOADS1(c) loads1_hook(r, c, st0 FN_ARGS)

static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, PARAMS);
#define FOLD_FUNCTION static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, PARAMS)
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
static inline float16 row_part1(const IDX r, __global float *const st0, const float acc0, PARAMS);
#define PART_FUNCTION static inline float16 row_part1(const IDX r, __global float *const st0, const float acc0, PARAMS)
#define PART row_part1(r, st0, acc0, ARGS)
#define AHEAD FETCH_ROW((p0_ + o_p0), AHEAD0(), 16) 
#define PLAIN 1
#define LOADS(c) LOADS1(c)
#define PREPARE_ALL(n) _Pragma("unroll") for (int k_ = 0; k_ < (n); k_ += 16) *(STAGE_SPACE FLOAT16_ANYWHERE *)(st0 + c + k_) = as_float16(STAGEDS0(c + k_)); 
#define VECTOR_FOLD VECTOR_SUM
#define NOTES_NANS 0
#define NANS(n) int##n
#define PREPARE(n, IN) COLUMNS for (int k = 0; k < (n); k++) if (IN(k)) st0[c + k] = STAGED0(c + k); 
#define LOAD(c) LOAD1(c)
#include "reduce/any_monoid.cl"
#include "row/cpu_fold.cl"
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
#undef EXACT
#undef VAL
#undef OUT_ACC
#undef RING
#undef IDENTITY
#undef PART_FUNCTION
#undef PART
#undef AHEAD
#undef PLAIN
#undef LOADS
#undef PREPARE_ALL
#undef VECTOR_FOLD
#undef NOTES_NANS
#undef NANS
#undef PREPARE
#undef LOAD
#undef ISNAN
#undef FOLD_SUM
#undef FOLD_PROD
#undef FOLD_MIN
#undef FOLD_MAX
#undef BEATS_MIN
#undef BEATS_MAX
#undef STATES
#undef LOCAL_STATES
#undef CLEAR
#undef COPY
#undef ADD
#undef MERGE_STATE
#undef MERGE
#undef SAVE
#undef MERGE_PART
#undef RESULT
#undef PAIR_PRODUCT
#undef PAIR_BY
#undef TOTALS
#undef START
#undef RUN_END
#undef CARRY
#undef SETTLE
#undef EMIT
#undef ALL
#undef GET
#undef VALUES_OF
#undef JOIN3
#undef NAMED
#undef VAL_OF
#undef RING_OF
#undef VECTOR_SUM
#undef VECTOR_PROD
#undef VECTOR_MIN
#undef VECTOR_MAX
#undef V
#undef VALUES
#undef GET_ALL
#undef FOLD_VECTORS
#undef FOLD_VECTOR
#undef NOTE_NANS
#undef ROW_TOTALS
#undef CARRY_TO
#undef ROW_CARRY
#undef ROW_SETTLE
#undef INSIDE
#undef ACROSS

INLINE float out0_hook(const IDX r, const IDX c, const float acc1, const float st0 FN_PARAMS) {
    const float v0 = (float)(st0 / acc1);
    return v0;
}
#define OUT0(c) out0_hook(r, c, acc1, st0[c] FN_ARGS)

#define STORE0(i, v) STORE_float32(y0_ + o_y0, i, (v))

#define OUT0_T float
INLINE float16 outs0_hook(const IDX r, const IDX c, const float acc1, const __global float * st0 FN_PARAMS) {
    const float16 v0 = (float16)(acc1);
    const float16 v1 = (*(STAGE_SPACE const FLOAT16_ANYWHERE *)&st0[c]) / v0;
    return v1;
}
#define OUTS0(c) outs0_hook(r, c, acc1, st0 FN_ARGS)

#define BITS0 float
#define BITS0_OF(v) (v)
#define AT0 (y0_ + o_y0)
#define ROW_STAGES(item) 
#define ROW_FOLDS(r) __global float *const st0 = AT0 + (r) * COLS; \
    const float acc0 = row_fold0(r, st0, ARGS); \
    const float acc1 = row_fold1(r, st0, acc0, ARGS);
#define PREPARE(n, IN) 
#define EACH_OVER(DO) DO(0)
#define AHEAD 
#define PREPARE_ALL(n) 
#define ROW_RESULTS(r) 
#define HAS_OVER 1
#define PLAIN 1

#include "row/cpu_block.cl"
