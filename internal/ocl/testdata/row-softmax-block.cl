// block view=64x100 vec=64 rows=8 stages=1: a CPU driver: a row an item, columns in vectors
// launch row_block global [8] local [1]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 PITCH=128 RSPAN=8 n0=100
#define VEC 64
#define BUFFERED 0
#define STREAMED 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict STAGE0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX PITCH, \
    const IDX RSPAN, \
    const IDX n0
#define ARGS p0_, o_p0, y0_, o_y0, STAGE0, ROWS, COLS, PITCH, RSPAN, n0
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

static inline long ahead0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const long v1 = (long)(i0);
    return v1;
}
#define AHEAD0() ahead0_hook(r + 1, c FN_ARGS)

static inline float load0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD0(c) load0_hook(r, c FN_ARGS)

static inline float row_fold0(const IDX r, __global float *const st0, PARAMS);
#define FOLD_FUNCTION static inline float row_fold0(const IDX r, __global float *const st0, PARAMS)
#define FOLD FOLD_MAX
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (-INFINITY)
#define AHEAD 
#define VECTOR_FOLD VECTOR_MAX
#define NOTES_NANS 1
#define NANS(n) int##n
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
// ---- row_fold.cl ----
// row_fold.cl: one fold of a row on a CPU driver, columns in vectors. It stands before
// row_block.cl once for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION  the head of the function: row_fold<k>(r, what is known of the row, ...)
//         LOAD(c)        what is folded
//         PREPARE(n, IN) stages n values of columns c + k that this fold is the first to need, at
//                        c + k, zero where IN(k) is not true
//         AHEAD          fetches what the next row has from column c on
//         and the monoid's, see monoid.cl
// macros  VEC   columns at once, 64
//         NOTES_NANS  1: VAL has NaN, and the least or the largest is wanted
//         NANS(n)     the type of a comparison of n VAL then
// sizes   COLS
// note    values go to a small array before they are folded, as in reduce_block.cl. The end of a
//         row is filled up to whole vectors with the identity. Vectors find the least and the
//         largest by one instruction, which loses a NaN: those are noted apart

#define ALL(k) 1
#define GET(n, IN) { \
    PREPARE(n, IN) \
    WIDE for (int k = 0; k < (n); k++) v[k] = IN(k) ? (VAL)LOAD(c + k) : (VAL)IDENTITY; \
}

#if IS_ARG

FOLD_FUNCTION {
    STATES(s, VEC);
    VAL v[VEC] LINES;
    for (int k = 0; k < VEC; k++) CLEAR(s, k);
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
        AHEAD
        GET(VEC, ALL)
        for (int k = 0; k < VEC; k++) ADD(s, k, v[k], c + k);
    }
    const int rest = (int)(COLS - c);
    GET(rest, ALL)
    for (int k = 0; k < rest; k++) ADD(s, k, v[k], c + k);
    for (int w = VEC / 2; w > 0; w /= 2)
        for (int k = 0; k < w; k++) MERGE(s, k, k + w);
    return RESULT(s, 0);
}

#else

#define JOIN3(a, b, c) a##b##c
#define NAMED(a, b, c) JOIN3(a, b, c)
#define VAL_OF(n, x) NAMED(as_, VAL, n)(x)
#define RING_OF(n, x) NAMED(as_, RING, n)(x)
#define VECTOR_SUM(n, a, b) VAL_OF(n, RING_OF(n, a) + RING_OF(n, b))
#define VECTOR_PROD(n, a, b) VAL_OF(n, RING_OF(n, a) * RING_OF(n, b))
#define VECTOR_MIN(n, a, b) ((b) < (a) ? (b) : (a))
#define VECTOR_MAX(n, a, b) ((b) > (a) ? (b) : (a))
#define V(n) NAMED(VAL, n, )
#define FOLD_VECTORS { \
    const V(16) v0 = vload16(0, v), v1 = vload16(1, v), v2 = vload16(2, v), v3 = vload16(3, v); \
    s0 = VECTOR_FOLD(16, s0, v0); s1 = VECTOR_FOLD(16, s1, v1); \
    s2 = VECTOR_FOLD(16, s2, v2); s3 = VECTOR_FOLD(16, s3, v3); \
    NOTE_NANS \
}
#if NOTES_NANS
#define NOTE_NANS nans |= (v0 != v0) | (v1 != v1) | (v2 != v2) | (v3 != v3);
#else
#define NOTE_NANS
#endif

FOLD_FUNCTION {
    VAL v[VEC] LINES;
    V(16) s0 = (V(16))IDENTITY, s1 = s0, s2 = s0, s3 = s0;
#if NOTES_NANS
    NANS(16) nans = 0;
#endif
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
        AHEAD
        GET(VEC, ALL)
        FOLD_VECTORS
    }
    const int rest = (int)(COLS - c), whole = (rest + 15) & ~15;
    if (rest > 0) {
#define INSIDE(k) (k) < rest
        GET(whole, INSIDE)
        for (int k = whole; k < VEC; k++) v[k] = IDENTITY;
        FOLD_VECTORS
    }
    s0 = VECTOR_FOLD(16, VECTOR_FOLD(16, s0, s2), VECTOR_FOLD(16, s1, s3));
    const V(8) t8 = VECTOR_FOLD(8, s0.lo, s0.hi);
    const V(4) t4 = VECTOR_FOLD(4, t8.lo, t8.hi);
    const V(2) t2 = VECTOR_FOLD(2, t4.lo, t4.hi);
    VAL s[2] = {t2.x, t2.y};
    MERGE(s, 0, 1);
#if NOTES_NANS
    NANS(8) some = nans.lo | nans.hi;
    some.lo |= some.hi;
    some.lo.lo |= some.lo.hi;
    s[0] = (some.x | some.y) != 0 ? (VAL)NAN : s[0];
#endif
    return RESULT(s, 0);
}

#endif
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
#undef VAL
#undef OUT_ACC
#undef RING
#undef IDENTITY
#undef AHEAD
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
#undef EMIT
#undef ALL
#undef GET
#undef JOIN3
#undef NAMED
#undef VAL_OF
#undef RING_OF
#undef VECTOR_SUM
#undef VECTOR_PROD
#undef VECTOR_MIN
#undef VECTOR_MAX
#undef V
#undef FOLD_VECTORS
#undef NOTE_NANS
#undef INSIDE

static inline float load1_hook(const IDX r, const IDX c, const float st0 FN_PARAMS) {
    return st0;
}
#define LOAD1(c) load1_hook(r, c, st0[c] FN_ARGS)

static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, const float h0, PARAMS);
#define FOLD_FUNCTION static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, const float h0, PARAMS)
#define FOLD FOLD_SUM
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define AHEAD FETCH_ROW((p0_ + o_p0), AHEAD0(), 16) 
#define VECTOR_FOLD VECTOR_SUM
#define NOTES_NANS 0
#define NANS(n) int##n
#define PREPARE(n, IN) WIDE for (int k = 0; k < (n); k++) st0[c + k] = IN(k) ? STAGED0(c + k) : 0; 
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
// ---- row_fold.cl ----
// row_fold.cl: one fold of a row on a CPU driver, columns in vectors. It stands before
// row_block.cl once for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION  the head of the function: row_fold<k>(r, what is known of the row, ...)
//         LOAD(c)        what is folded
//         PREPARE(n, IN) stages n values of columns c + k that this fold is the first to need, at
//                        c + k, zero where IN(k) is not true
//         AHEAD          fetches what the next row has from column c on
//         and the monoid's, see monoid.cl
// macros  VEC   columns at once, 64
//         NOTES_NANS  1: VAL has NaN, and the least or the largest is wanted
//         NANS(n)     the type of a comparison of n VAL then
// sizes   COLS
// note    values go to a small array before they are folded, as in reduce_block.cl. The end of a
//         row is filled up to whole vectors with the identity. Vectors find the least and the
//         largest by one instruction, which loses a NaN: those are noted apart

#define ALL(k) 1
#define GET(n, IN) { \
    PREPARE(n, IN) \
    WIDE for (int k = 0; k < (n); k++) v[k] = IN(k) ? (VAL)LOAD(c + k) : (VAL)IDENTITY; \
}

#if IS_ARG

FOLD_FUNCTION {
    STATES(s, VEC);
    VAL v[VEC] LINES;
    for (int k = 0; k < VEC; k++) CLEAR(s, k);
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
        AHEAD
        GET(VEC, ALL)
        for (int k = 0; k < VEC; k++) ADD(s, k, v[k], c + k);
    }
    const int rest = (int)(COLS - c);
    GET(rest, ALL)
    for (int k = 0; k < rest; k++) ADD(s, k, v[k], c + k);
    for (int w = VEC / 2; w > 0; w /= 2)
        for (int k = 0; k < w; k++) MERGE(s, k, k + w);
    return RESULT(s, 0);
}

#else

#define JOIN3(a, b, c) a##b##c
#define NAMED(a, b, c) JOIN3(a, b, c)
#define VAL_OF(n, x) NAMED(as_, VAL, n)(x)
#define RING_OF(n, x) NAMED(as_, RING, n)(x)
#define VECTOR_SUM(n, a, b) VAL_OF(n, RING_OF(n, a) + RING_OF(n, b))
#define VECTOR_PROD(n, a, b) VAL_OF(n, RING_OF(n, a) * RING_OF(n, b))
#define VECTOR_MIN(n, a, b) ((b) < (a) ? (b) : (a))
#define VECTOR_MAX(n, a, b) ((b) > (a) ? (b) : (a))
#define V(n) NAMED(VAL, n, )
#define FOLD_VECTORS { \
    const V(16) v0 = vload16(0, v), v1 = vload16(1, v), v2 = vload16(2, v), v3 = vload16(3, v); \
    s0 = VECTOR_FOLD(16, s0, v0); s1 = VECTOR_FOLD(16, s1, v1); \
    s2 = VECTOR_FOLD(16, s2, v2); s3 = VECTOR_FOLD(16, s3, v3); \
    NOTE_NANS \
}
#if NOTES_NANS
#define NOTE_NANS nans |= (v0 != v0) | (v1 != v1) | (v2 != v2) | (v3 != v3);
#else
#define NOTE_NANS
#endif

FOLD_FUNCTION {
    VAL v[VEC] LINES;
    V(16) s0 = (V(16))IDENTITY, s1 = s0, s2 = s0, s3 = s0;
#if NOTES_NANS
    NANS(16) nans = 0;
#endif
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
        AHEAD
        GET(VEC, ALL)
        FOLD_VECTORS
    }
    const int rest = (int)(COLS - c), whole = (rest + 15) & ~15;
    if (rest > 0) {
#define INSIDE(k) (k) < rest
        GET(whole, INSIDE)
        for (int k = whole; k < VEC; k++) v[k] = IDENTITY;
        FOLD_VECTORS
    }
    s0 = VECTOR_FOLD(16, VECTOR_FOLD(16, s0, s2), VECTOR_FOLD(16, s1, s3));
    const V(8) t8 = VECTOR_FOLD(8, s0.lo, s0.hi);
    const V(4) t4 = VECTOR_FOLD(4, t8.lo, t8.hi);
    const V(2) t2 = VECTOR_FOLD(2, t4.lo, t4.hi);
    VAL s[2] = {t2.x, t2.y};
    MERGE(s, 0, 1);
#if NOTES_NANS
    NANS(8) some = nans.lo | nans.hi;
    some.lo |= some.hi;
    some.lo.lo |= some.lo.hi;
    s[0] = (some.x | some.y) != 0 ? (VAL)NAN : s[0];
#endif
    return RESULT(s, 0);
}

#endif
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
#undef VAL
#undef OUT_ACC
#undef RING
#undef IDENTITY
#undef AHEAD
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
#undef EMIT
#undef ALL
#undef GET
#undef JOIN3
#undef NAMED
#undef VAL_OF
#undef RING_OF
#undef VECTOR_SUM
#undef VECTOR_PROD
#undef VECTOR_MIN
#undef VECTOR_MAX
#undef V
#undef FOLD_VECTORS
#undef NOTE_NANS
#undef INSIDE

static inline float out0_hook(const IDX r, const IDX c, const float acc1, const float st0 FN_PARAMS) {
    const float v0 = (float)(st0 / acc1);
    return v0;
}
#define OUT0(c) out0_hook(r, c, acc1, st0[c] FN_ARGS)

#define STORE0(i, v) STORE_float32(y0_ + o_y0, i, (v))

#define OUT0_T float
#define ROW_STAGES(item) __global float *const st0 = STAGE0 + (item) * PITCH;
#define ROW_FOLDS(r) const float acc0 = row_fold0(r, st0, ARGS); \
    const float h0 = HOIST0(); \
    const float acc1 = row_fold1(r, st0, acc0, h0, ARGS);
#define PREPARE(n, IN) 
#define EACH_OVER(DO) DO(0)
#define AHEAD 
#define ROW_RESULTS(r) 
#define HAS_OVER 1

// ---- row_block.cl ----
// row_block.cl: folds of a row in order, and what they make of it, on a CPU driver.
//
//     acc0 = fold over c of LOAD0(c),  acc1 = fold over c of LOAD1(c, acc0),  ...
//     y[r, c] = OUT(c, acc0, acc1, ...)    or    z[r] = OUT(acc0, acc1, ...)
//
// hooks   ROW_STAGES(item)  declares the item's stages: values kept for later passes over a row
//         ROW_FOLDS(r)      declares the results of the folds, each by a function of row_fold.cl
//         PREPARE(n, IN)    stages n values of columns c + k that only the outputs need, at c + k,
//                           zero where IN(k) is not true
//         EACH_OVER(DO)     DO(i) for every output over the row: OUT##i(c), of type OUT##i##_T,
//                           goes to element of the row by STORE##i(at, v)
//         AHEAD             fetches what the next row has from column c on
//         ROW_RESULTS(r)    stores the outputs of which the row has one
// macros  VEC  columns at once, 64    BUFFERED  1: an output may lie where an input does, so all
//              values of a run of columns are computed before any is stored
//         STREAMED  1: whole lines of the outputs are stored past the caches, see map.cl; then there
//              are BITS##i, the type of an element of output i, BITS##i##_OF(v), what is stored for
//              v, AT##i, where the output begins, and FIRST, that of the first one over the row
// sizes   ROWS, COLS   RSPAN  rows an item
// launch  row_block  global {ROWS / RSPAN}  local {1}
// note    a row is read again by every pass, from a cache when it fits one

#define ALL(k) 1
#define VALUES(i) OUT##i##_T v##i[VEC] LINES; PARTLY for (int k = 0; k < n; k++) v##i[k] = OUT##i(c + k);
#define STORES(i) PARTLY for (int k = 0; k < n; k++) STORE##i(r * COLS + c + k, v##i[k]);
#define SOME(i) PARTLY for (int k = 0; k < n; k++) STORE##i(r * COLS + c + k, OUT##i(c + k));
#define WHOLE_VALUES(i) OUT##i##_T v##i[VEC] LINES; WIDE for (int k = 0; k < VEC; k++) v##i[k] = OUT##i(c + k);
#define WHOLE_STORES(i) WIDE for (int k = 0; k < VEC; k++) STORE##i(r * COLS + c + k, v##i[k]);
#define DIRECT(i) WIDE for (int k = 0; k < VEC; k++) STORE##i(r * COLS + c + k, OUT##i(c + k));
#define STREAMS(i) { \
    BITS##i b[VEC] LINES; \
    WIDE for (int k = 0; k < VEC; k++) b[k] = BITS##i##_OF(OUT##i(c + k)); \
    if (TO_LINE(AT##i + r * COLS + c) == 0) \
        STREAM_ALL(b, AT##i + r * COLS + c) \
    else \
        WIDE for (int k = 0; k < VEC; k++) (AT##i)[r * COLS + c + k] = b[k]; \
}

kernel void row_block(PARAMS) {
    const IDX item = (IDX)get_global_id(0);
    const IDX r0 = item * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    WIDE_VECTORS
    ROW_STAGES(item)
    for (IDX r = r0; r < r1; r++) {
        ROW_FOLDS(r)
#if HAS_OVER
        for (IDX c = 0; c < COLS;) {
            int n = (int)min((IDX)VEC, COLS - c);
#if STREAMED
            if (c == 0 && TO_LINE(FIRST + r * COLS) > 0) n = min(n, TO_LINE(FIRST + r * COLS));
#endif
            if (n == VEC) {
                AHEAD
                PREPARE(VEC, ALL)
#if BUFFERED
                EACH_OVER(WHOLE_VALUES)
                EACH_OVER(WHOLE_STORES)
#elif STREAMED
                EACH_OVER(STREAMS)
#else
                EACH_OVER(DIRECT)
#endif
            } else {
                PREPARE(n, ALL)
#if BUFFERED
                EACH_OVER(VALUES)
                EACH_OVER(STORES)
#else
                EACH_OVER(SOME)
#endif
            }
            c += n;
        }
#endif
        ROW_RESULTS(r)
    }
}
