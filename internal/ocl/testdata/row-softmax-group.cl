// group view=64x100 wg=64 stages=1: a work-group a row
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

static inline float hoist0_hook(const IDX r, const float acc0 FN_PARAMS) {
    const float v0 = -1.0f;
    const float v1 = (float)(acc0 * v0);
    return v1;
}
#define HOIST0() hoist0_hook(r, acc0 FN_ARGS)

static inline float staged0_hook(const IDX r, const IDX c, const float h0 FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    const float v2 = (float)(v1 + h0);
    const float v3 = (float)(wide_exp(v2));
    return v3;
}
#define STAGED0(c) staged0_hook(r, c, h0 FN_ARGS)

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
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (-INFINITY)
#define PREPARE(n, IN) 
#define LOAD(c) LOAD0(c)
// ---- monoid.cl ----
// monoid.cl: the folds of the reduction kernels, over sets of states.
//
// A state is a value s[k] and, for ArgMin and ArgMax, the position s_at[k] where it was first
// seen: two arrays, so that loops over k become vectors.
//
//     STATES(s, n)        declares n states          CLEAR(s, k)        the identity
//     ADD(s, k, v, at)    folds v at position at     MERGE(s, k, j)     folds state j into k
//     SAVE(s, k, i)       state k to PARTS[i]        MERGE_PART(s, k, i)  folds PARTS[i] into k
//     RESULT(s, k)        the value of OpAcc
//
// macros  FOLD      FOLD_SUM, FOLD_PROD, FOLD_MIN, FOLD_MAX (also for the arg folds)
//         IS_ARG    1 for ArgMin and ArgMax
//         VAL, OUT_ACC   type of what is folded, type of RESULT
//         RING      type of sums and products: unsigned for integers, which wrap
//         IDENTITY  of the fold
// note    comparisons are joined by | and &: a branch would keep loops from becoming vectors.
//         a NaN beats every number; among equals the first position wins, whatever the order of
//         merging. A state that saw nothing better than the identity has position IDX_MAX: when
//         it stays so to the end, all values equal the identity and the first one is at 0

#define ISNAN(v) ((v) != (v))
#define FOLD_SUM(a, b) ((VAL)((RING)(a) + (RING)(b)))
#define FOLD_PROD(a, b) ((VAL)((RING)(a) * (RING)(b)))
#define FOLD_MIN(a, b) ((((b) < (a)) | ISNAN(b)) ? (b) : (a))
#define FOLD_MAX(a, b) ((((b) > (a)) | ISNAN(b)) ? (b) : (a))
// Not >= rather than < or a NaN: two comparisons less.
#define BEATS_MIN(b, a) (!((b) >= (a)) & !ISNAN(a))
#define BEATS_MAX(b, a) (!((b) <= (a)) & !ISNAN(a))

#if IS_ARG

#define STATES(s, n) VAL s[n]; IDX s##_at[n]
#define LOCAL_STATES(s, n) __local VAL s[n]; __local IDX s##_at[n]
#define CLEAR(s, k) (s[k] = IDENTITY, s##_at[k] = IDX_MAX)
#define COPY(t, j, s, k) (t[j] = s[k], t##_at[j] = s##_at[k])
#define ADD(s, k, v, at) do { \
    const int beats_ = BEATS(v, s[k]); \
    s[k] = beats_ ? (v) : s[k]; \
    s##_at[k] = beats_ ? (at) : s##_at[k]; \
} while (0)
#define MERGE_STATE(s, k, v, at) do { \
    const int same_ = (s[k] == (v)) | (ISNAN(s[k]) & ISNAN(v)); \
    const int beats_ = BEATS(v, s[k]) | (same_ & ((at) < s##_at[k])); \
    s[k] = beats_ ? (v) : s[k]; \
    s##_at[k] = beats_ ? (at) : s##_at[k]; \
} while (0)
#define MERGE(s, k, j) MERGE_STATE(s, k, s[j], s##_at[j])
#define SAVE(s, k, i) (PARTS[i] = s[k], PARTS_AT[i] = s##_at[k])
#define MERGE_PART(s, k, i) MERGE_STATE(s, k, PARTS[i], PARTS_AT[i])
#define RESULT(s, k) (OUT_ACC)(s##_at[k] == IDX_MAX ? 0 : s##_at[k])

#else

#define STATES(s, n) VAL s[n]
#define LOCAL_STATES(s, n) __local VAL s[n]
#define CLEAR(s, k) (s[k] = IDENTITY)
#define COPY(t, j, s, k) (t[j] = s[k])
#define ADD(s, k, v, at) (s[k] = FOLD(s[k], v))
#define MERGE(s, k, j) (s[k] = FOLD(s[k], s[j]))
#define SAVE(s, k, i) (PARTS[i] = s[k])
#define MERGE_PART(s, k, i) do { const VAL part_ = PARTS[i]; s[k] = FOLD(s[k], part_); } while (0)
#define RESULT(s, k) s[k]

#endif

// What a kernel does with a finished state: the result, or a part of it for reduce_finish.
#if SPLIT
#define EMIT(r, part, s, k) SAVE(s, k, (part) * ROWS + (r))
#else
#define EMIT(r, part, s, k) STORE(r, EPILOGUE(r, RESULT(s, k)))
#endif
// ---- row_fold_group.cl ----
// row_fold_group.cl: one fold of a row by a work-group. It stands before row_group.cl once
// for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION, LOAD(c), PREPARE(n, IN)  as in row_fold.cl    and the monoid's, see monoid.cl
// macros  WG  work-items a row, a power of two, 1..256
// sizes   COLS
// note    an item stages the columns that it folds, so no other item waits for it; the result is
//         given to every item
// source  Harris, Optimizing Parallel Reduction (2007), with the tree order fixed

#define ALL(k) 1

FOLD_FUNCTION {
    const int lid = (int)get_local_id(0);
    STATES(s, 1);
    CLEAR(s, 0);
    for (IDX c = lid; c < COLS; c += WG) {
        const int k = 0;
        PREPARE(1, ALL)
        const VAL v = (VAL)LOAD(c);
        ADD(s, k, v, c);
    }
    COPY(tree, lid, s, 0);
    for (int w = WG / 2; w > 0; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < w) MERGE(tree, lid, lid + w);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const OUT_ACC result = RESULT(tree, 0);
    barrier(CLK_LOCAL_MEM_FENCE); // before another fold takes the tree
    return result;
}
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
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
#undef EMIT
#undef ALL

static inline float load1_hook(const IDX r, const IDX c, const float st0 FN_PARAMS) {
    return st0;
}
#define LOAD1(c) load1_hook(r, c, st0[c] FN_ARGS)

static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, const float h0, __local float *tree, PARAMS);
#define FOLD_FUNCTION static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, const float h0, __local float *tree, PARAMS)
#define FOLD FOLD_SUM
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PREPARE(n, IN) COLUMNS for (int k = 0; k < (n); k++) st0[c + k] = IN(k) ? STAGED0(c + k) : 0; 
#define LOAD(c) LOAD1(c)
// ---- monoid.cl ----
// monoid.cl: the folds of the reduction kernels, over sets of states.
//
// A state is a value s[k] and, for ArgMin and ArgMax, the position s_at[k] where it was first
// seen: two arrays, so that loops over k become vectors.
//
//     STATES(s, n)        declares n states          CLEAR(s, k)        the identity
//     ADD(s, k, v, at)    folds v at position at     MERGE(s, k, j)     folds state j into k
//     SAVE(s, k, i)       state k to PARTS[i]        MERGE_PART(s, k, i)  folds PARTS[i] into k
//     RESULT(s, k)        the value of OpAcc
//
// macros  FOLD      FOLD_SUM, FOLD_PROD, FOLD_MIN, FOLD_MAX (also for the arg folds)
//         IS_ARG    1 for ArgMin and ArgMax
//         VAL, OUT_ACC   type of what is folded, type of RESULT
//         RING      type of sums and products: unsigned for integers, which wrap
//         IDENTITY  of the fold
// note    comparisons are joined by | and &: a branch would keep loops from becoming vectors.
//         a NaN beats every number; among equals the first position wins, whatever the order of
//         merging. A state that saw nothing better than the identity has position IDX_MAX: when
//         it stays so to the end, all values equal the identity and the first one is at 0

#define ISNAN(v) ((v) != (v))
#define FOLD_SUM(a, b) ((VAL)((RING)(a) + (RING)(b)))
#define FOLD_PROD(a, b) ((VAL)((RING)(a) * (RING)(b)))
#define FOLD_MIN(a, b) ((((b) < (a)) | ISNAN(b)) ? (b) : (a))
#define FOLD_MAX(a, b) ((((b) > (a)) | ISNAN(b)) ? (b) : (a))
// Not >= rather than < or a NaN: two comparisons less.
#define BEATS_MIN(b, a) (!((b) >= (a)) & !ISNAN(a))
#define BEATS_MAX(b, a) (!((b) <= (a)) & !ISNAN(a))

#if IS_ARG

#define STATES(s, n) VAL s[n]; IDX s##_at[n]
#define LOCAL_STATES(s, n) __local VAL s[n]; __local IDX s##_at[n]
#define CLEAR(s, k) (s[k] = IDENTITY, s##_at[k] = IDX_MAX)
#define COPY(t, j, s, k) (t[j] = s[k], t##_at[j] = s##_at[k])
#define ADD(s, k, v, at) do { \
    const int beats_ = BEATS(v, s[k]); \
    s[k] = beats_ ? (v) : s[k]; \
    s##_at[k] = beats_ ? (at) : s##_at[k]; \
} while (0)
#define MERGE_STATE(s, k, v, at) do { \
    const int same_ = (s[k] == (v)) | (ISNAN(s[k]) & ISNAN(v)); \
    const int beats_ = BEATS(v, s[k]) | (same_ & ((at) < s##_at[k])); \
    s[k] = beats_ ? (v) : s[k]; \
    s##_at[k] = beats_ ? (at) : s##_at[k]; \
} while (0)
#define MERGE(s, k, j) MERGE_STATE(s, k, s[j], s##_at[j])
#define SAVE(s, k, i) (PARTS[i] = s[k], PARTS_AT[i] = s##_at[k])
#define MERGE_PART(s, k, i) MERGE_STATE(s, k, PARTS[i], PARTS_AT[i])
#define RESULT(s, k) (OUT_ACC)(s##_at[k] == IDX_MAX ? 0 : s##_at[k])

#else

#define STATES(s, n) VAL s[n]
#define LOCAL_STATES(s, n) __local VAL s[n]
#define CLEAR(s, k) (s[k] = IDENTITY)
#define COPY(t, j, s, k) (t[j] = s[k])
#define ADD(s, k, v, at) (s[k] = FOLD(s[k], v))
#define MERGE(s, k, j) (s[k] = FOLD(s[k], s[j]))
#define SAVE(s, k, i) (PARTS[i] = s[k])
#define MERGE_PART(s, k, i) do { const VAL part_ = PARTS[i]; s[k] = FOLD(s[k], part_); } while (0)
#define RESULT(s, k) s[k]

#endif

// What a kernel does with a finished state: the result, or a part of it for reduce_finish.
#if SPLIT
#define EMIT(r, part, s, k) SAVE(s, k, (part) * ROWS + (r))
#else
#define EMIT(r, part, s, k) STORE(r, EPILOGUE(r, RESULT(s, k)))
#endif
// ---- row_fold_group.cl ----
// row_fold_group.cl: one fold of a row by a work-group. It stands before row_group.cl once
// for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION, LOAD(c), PREPARE(n, IN)  as in row_fold.cl    and the monoid's, see monoid.cl
// macros  WG  work-items a row, a power of two, 1..256
// sizes   COLS
// note    an item stages the columns that it folds, so no other item waits for it; the result is
//         given to every item
// source  Harris, Optimizing Parallel Reduction (2007), with the tree order fixed

#define ALL(k) 1

FOLD_FUNCTION {
    const int lid = (int)get_local_id(0);
    STATES(s, 1);
    CLEAR(s, 0);
    for (IDX c = lid; c < COLS; c += WG) {
        const int k = 0;
        PREPARE(1, ALL)
        const VAL v = (VAL)LOAD(c);
        ADD(s, k, v, c);
    }
    COPY(tree, lid, s, 0);
    for (int w = WG / 2; w > 0; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < w) MERGE(tree, lid, lid + w);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const OUT_ACC result = RESULT(tree, 0);
    barrier(CLK_LOCAL_MEM_FENCE); // before another fold takes the tree
    return result;
}
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
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
    const float h0 = HOIST0(); \
    const float acc1 = row_fold1(r, st0, acc0, h0, tree1, ARGS);
#define PREPARE(n, IN) 
#define EACH_OVER(DO) DO(0)
#define ROW_RESULTS(r) 
#define HAS_OVER 1
#define PLAIN 0

// ---- row_group.cl ----
// row_group.cl: folds of a row in order, and what they make of it, by a work-group.
//
//     acc0 = fold over c of LOAD0(c),  acc1 = fold over c of LOAD1(c, acc0),  ...
//     y[r, c] = OUT(c, acc0, acc1, ...)    or    z[r] = OUT(acc0, acc1, ...)
//
// hooks   ROW_STAGES(item), ROW_FOLDS(r), PREPARE(n, IN), EACH_OVER(DO), ROW_RESULTS(r)  as in row_block.cl
//         ROW_TREES  declares the local memory that the folds share
// macros  WG  work-items a row, a power of two, 1..256
// sizes   ROWS, COLS
// launch  row_group  global {WG * groups}  local {WG}   groups take rows in turn

#define ALL(k) 1
#define VALUES(i) const OUT##i##_T v##i = OUT##i(c);
#define STORES(i) STORE##i(r * COLS + c, v##i);

kernel void row_group(PARAMS) {
    const int lid = (int)get_local_id(0);
    ROW_TREES
    ROW_STAGES(get_group_id(0))
    for (IDX r = (IDX)get_group_id(0); r < ROWS; r += (IDX)get_num_groups(0)) {
        ROW_FOLDS(r)
#if HAS_OVER
        for (IDX c = lid; c < COLS; c += WG) {
            const int k = 0;
            PREPARE(1, ALL)
            EACH_OVER(VALUES)
            EACH_OVER(STORES)
        }
#endif
        if (lid == 0) { ROW_RESULTS(r) }
    }
}
