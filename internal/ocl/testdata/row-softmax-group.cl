// group view=64x100 wg=64 stages=1: ANYCL_VARIANT
// launch row_group global [4096] local [64]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 PITCH=128 n0=100
#define WG 64
#define COLUMNS WIDE
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict STAGE0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX PITCH, \
    const IDX n0
#define ARGS p0_, o_p0, y0_, o_y0, STAGE0, ROWS, COLS, PITCH, n0
#define FN_PARAMS , __global const float *p0, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, n0

static inline float staged0_hook(const IDX r, const IDX c, const float acc0 FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    const float v2 = (float)(v1 - acc0);
    const float v3 = (float)(wide_exp_below(v2));
    return v3;
}
#define STAGED0(c) staged0_hook(r, c, acc0 FN_ARGS)

static inline float load0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD0(c) load0_hook(r, c FN_ARGS)

static inline float row_fold0(const IDX r, __global float *const st0, __local float *tree, PARAMS);
#define FOLD_FUNCTION static inline float row_fold0(const IDX r, __global float *const st0, __local float *tree, PARAMS)
#define FOLD FOLD_MAX
#define IS_ARG 0
#define EXACT 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (-INFINITY)
#define PREPARE(n, IN) 
#define LOAD(c) LOAD0(c)
#include "reduce/any_monoid.cl"
#include "row/gpu_fold.cl"
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
#undef EXACT
#undef VAL
#undef OUT_ACC
#undef RING
#undef IDENTITY
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

static inline float load1_hook(const IDX r, const IDX c, const float st0 FN_PARAMS) {
    return st0;
}
#define LOAD1(c) load1_hook(r, c, st0[c] FN_ARGS)

static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, __local float *tree, PARAMS);
#define FOLD_FUNCTION static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, __local float *tree, PARAMS)
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 1
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PREPARE(n, IN) COLUMNS for (int k = 0; k < (n); k++) st0[c + k] = IN(k) ? STAGED0(c + k) : 0; 
#define LOAD(c) LOAD1(c)
#include "reduce/any_monoid.cl"
#include "row/gpu_fold.cl"
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
#undef EXACT
#undef VAL
#undef OUT_ACC
#undef RING
#undef IDENTITY
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

static inline float out0_hook(const IDX r, const IDX c, const float acc1, const float st0 FN_PARAMS) {
    const float v0 = (float)(st0 / acc1);
    return v0;
}
#define OUT0(c) out0_hook(r, c, acc1, st0[c] FN_ARGS)

#define STORE0(i, v) STORE_float32(y0_ + o_y0, i, (v))

#define OUT0_T float
#define ROW_TREES __local float tree0[WG]; \
    __local float tree1[WG];
#define ROW_STAGES(item) __global float *const st0 = STAGE0 + (item) * PITCH;
#define ROW_FOLDS(r) const float acc0 = row_fold0(r, st0, tree0, ARGS); \
    const float acc1 = row_fold1(r, st0, acc0, tree1, ARGS);
#define PREPARE(n, IN) 
#define EACH_OVER(DO) DO(0)
#define ROW_RESULTS(r) 
#define HAS_OVER 1
#define PLAIN 0

#include "row/gpu_group.cl"
