// band view=64x100 rows=16 stages=1: a CPU driver: sixteen short rows at a time
// launch row_band global [4] local [1]
// options -cl-single-precision-constant
// arguments ROWS=64 RSPAN=16 n0=100
#define COLS 100
#define PITCH 112
#define VEC 64
#define STREAMED 0
#define LINED 0
#define APART(i) 0
#define COLUMNS WIDE_SHORT
#define BAND 16
#define FIRST (y0_ + o_y0)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX RSPAN, \
    const IDX n0
#define ARGS p0_, o_p0, y0_, o_y0, ROWS, RSPAN, n0
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
#define AHEAD0() ahead0_hook(r + BAND, 0 FN_ARGS)

static inline float load0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD0(c) load0_hook(r, c FN_ARGS)

static inline float16 loads0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define LOADS0(c) loads0_hook(r, c FN_ARGS)

static inline void row_fold0(const IDX b, const int n, float *const st0s, float *out, PARAMS);
#define FOLD_FUNCTION static inline void row_fold0(const IDX b, const int n, float *const st0s, float *out, PARAMS)
#define FOLD FOLD_MAX
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (-INFINITY)
static inline float16 row_part0(const IDX r, float *const st0, PARAMS);
#define PART_FUNCTION static inline float16 row_part0(const IDX r, float *const st0, PARAMS)
#define PART row_part0(r, st0, ARGS)
#define AHEAD 
#define PLAIN 1
#define LOADS(c) LOADS0(c)
#define VECTOR_FOLD VECTOR_MAX
#define NOTES_NANS 1
#define NANS(n) int##n
#define KNOWN(j) float *const st0 = st0s + (j) * PITCH; 
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
// row_block.cl and row_band.cl once for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION  the head of the function: row_fold<k>(r, what is known of the row, ...)
//         PART_FUNCTION  the head of its part without the end, which gives a vector to be folded:
//                        row_part<k>, and PART, a call of it for row r
//         LOAD(c)        what is folded, and where PLAIN LOADS(c), columns c .. c + 15 of it
//         PREPARE(n, IN) stages n values of columns c + k that this fold is the first to need, at
//                        c + k, zero where IN(k) is not true
//         AHEAD          fetches what the next row has from column c on
//         and the monoid's, see monoid.cl
// macros  VEC   columns at once, 64      COLUMNS  how loops over them become vectors, see prelude.cl
//         NOTES_NANS  1: VAL has NaN, and the least or the largest is wanted
//         NANS(n)     the type of a comparison of n VAL then
//         BAND  rows that are folded together, 1 or 16. Of 16, FOLD_FUNCTION is row_fold<k>(b, n, what
//               is known of each row, VAL *out, ...) of rows b .. b + n - 1, for which KNOWN(j) declares
//               what is known of row b + j, and AHEAD fetches all of row r + BAND
// sizes   COLS
// note    values that are not PLAIN go to a small array before they are folded, as in
//         reduce_block.cl. The end of a
//         row is filled up to whole vectors with the identity. Vectors find the least and the
//         largest by one instruction, which loses a NaN: those are noted apart. A vector is folded
//         by halves in as many steps as for 16 of them that become one of 16 rows

#define ALL(k) 1
#define GET(n, IN) { \
    PREPARE(n, IN) \
    COLUMNS for (int k = 0; k < (n); k++) v[k] = IN(k) ? (VAL)LOAD(c + k) : (VAL)IDENTITY; \
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
#if PLAIN
#define VALUES(i) LOADS(c + 16 * (i))
#define GET_ALL PREPARE(VEC, ALL)
#else
#define VALUES(i) vload16(i, v)
#define GET_ALL GET(VEC, ALL)
#endif
#define FOLD_VECTORS { \
    const V(16) v0 = VALUES(0), v1 = VALUES(1), v2 = VALUES(2), v3 = VALUES(3); \
    s0 = VECTOR_FOLD(16, s0, v0); s1 = VECTOR_FOLD(16, s1, v1); \
    s2 = VECTOR_FOLD(16, s2, v2); s3 = VECTOR_FOLD(16, s3, v3); \
    NOTE_NANS(v0, v1) \
    NOTE_NANS(v2, v3) \
}
#define FOLD_VECTOR(x) { \
    const V(16) v0 = x; \
    s0 = VECTOR_FOLD(16, s0, v0); \
    NOTE_NANS(v0, v0) \
}
#if NOTES_NANS
#define NOTE_NANS(a, b) nans |= (a != a) | (b != b);
#else
#define NOTE_NANS(a, b)
#endif

PART_FUNCTION {
    VAL v[VEC] LINES;
    V(16) s0 = (V(16))IDENTITY, s1 = s0, s2 = s0, s3 = s0;
#if NOTES_NANS
    NANS(16) nans = 0;
#endif
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
#if BAND == 1
        AHEAD
#endif
        GET_ALL
        FOLD_VECTORS
    }
#if PLAIN
    for (; c + 16 <= COLS; c += 16) {
        PREPARE(16, ALL)
        FOLD_VECTOR(VALUES(0))
    }
    const int rest = (int)(COLS % 16);
#else
    const int rest = (int)(COLS % VEC);
#endif
    if (rest > 0) {
#define INSIDE(k) (k) < rest
        const int whole = (rest + 15) / 16 * 16;
        GET(whole, INSIDE)
        for (int k = 0; k < whole; k += 16) FOLD_VECTOR(vload16(0, v + k))
    }
    s0 = VECTOR_FOLD(16, VECTOR_FOLD(16, s0, s2), VECTOR_FOLD(16, s1, s3));
#if NOTES_NANS
    s0 = nans ? (V(16))NAN : s0;
#endif
    return s0;
}

#if NOTES_NANS
#define ACROSS(n, a, b) FOLD(a, b)
#else
#define ACROSS(n, a, b) VECTOR_FOLD(n, a, b)
#endif

#if BAND == 1

FOLD_FUNCTION {
    const V(16) s = PART;
    const V(8) t8 = ACROSS(8, s.lo, s.hi);
    const V(4) t4 = ACROSS(4, t8.lo, t8.hi);
    const V(2) t2 = ACROSS(2, t4.lo, t4.hi);
    return FOLD(t2.x, t2.y);
}

#else

FOLD_FUNCTION {
    V(16) p[BAND];
    for (int j = 0; j < n; j++) {
        const IDX r = b + j;
        KNOWN(j)
        AHEAD
        p[j] = PART;
    }
    for (int j = n; j < BAND; j++) p[j] = (V(16))IDENTITY;
    // Lanes of neighbouring rows become lanes of one vector, half as many of each.
    #pragma unroll
    for (int w = BAND / 2; w > 0; w /= 2)
        #pragma unroll
        for (int j = 0; j < w; j++) {
            const V(16) even = (V(16))(p[2 * j].even, p[2 * j + 1].even), odd = (V(16))(p[2 * j].odd, p[2 * j + 1].odd);
            p[j] = ACROSS(16, even, odd);
        }
    vstore16(p[0], 0, out);
}

#endif

#endif
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
#undef VAL
#undef OUT_ACC
#undef RING
#undef IDENTITY
#undef PART_FUNCTION
#undef PART
#undef AHEAD
#undef PLAIN
#undef LOADS
#undef VECTOR_FOLD
#undef NOTES_NANS
#undef NANS
#undef KNOWN
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
#undef VALUES
#undef GET_ALL
#undef FOLD_VECTORS
#undef FOLD_VECTOR
#undef NOTE_NANS
#undef INSIDE
#undef ACROSS

static inline float load1_hook(const IDX r, const IDX c, const float st0 FN_PARAMS) {
    return st0;
}
#define LOAD1(c) load1_hook(r, c, st0[c] FN_ARGS)

static inline float16 loads1_hook(const IDX r, const IDX c, const float * st0 FN_PARAMS) {
    return vload16(0, &st0[c]);
}
#define LOADS1(c) loads1_hook(r, c, st0 FN_ARGS)

static inline void row_fold1(const IDX b, const int n, float *const st0s, float *const acc0s, float *const h0s, float *out, PARAMS);
#define FOLD_FUNCTION static inline void row_fold1(const IDX b, const int n, float *const st0s, float *const acc0s, float *const h0s, float *out, PARAMS)
#define FOLD FOLD_SUM
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
static inline float16 row_part1(const IDX r, float *const st0, const float acc0, const float h0, PARAMS);
#define PART_FUNCTION static inline float16 row_part1(const IDX r, float *const st0, const float acc0, const float h0, PARAMS)
#define PART row_part1(r, st0, acc0, h0, ARGS)
#define AHEAD FETCH_RUN((p0_ + o_p0), AHEAD0(), 16, COLS) 
#define PLAIN 1
#define LOADS(c) LOADS1(c)
#define VECTOR_FOLD VECTOR_SUM
#define NOTES_NANS 0
#define NANS(n) int##n
#define KNOWN(j) float *const st0 = st0s + (j) * PITCH; const float acc0 = acc0s[j]; const float h0 = h0s[j]; 
#define PREPARE(n, IN) COLUMNS for (int k = 0; k < (n); k++) st0[c + k] = IN(k) ? STAGED0(c + k + APART(1)) : 0; 
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
// row_block.cl and row_band.cl once for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION  the head of the function: row_fold<k>(r, what is known of the row, ...)
//         PART_FUNCTION  the head of its part without the end, which gives a vector to be folded:
//                        row_part<k>, and PART, a call of it for row r
//         LOAD(c)        what is folded, and where PLAIN LOADS(c), columns c .. c + 15 of it
//         PREPARE(n, IN) stages n values of columns c + k that this fold is the first to need, at
//                        c + k, zero where IN(k) is not true
//         AHEAD          fetches what the next row has from column c on
//         and the monoid's, see monoid.cl
// macros  VEC   columns at once, 64      COLUMNS  how loops over them become vectors, see prelude.cl
//         NOTES_NANS  1: VAL has NaN, and the least or the largest is wanted
//         NANS(n)     the type of a comparison of n VAL then
//         BAND  rows that are folded together, 1 or 16. Of 16, FOLD_FUNCTION is row_fold<k>(b, n, what
//               is known of each row, VAL *out, ...) of rows b .. b + n - 1, for which KNOWN(j) declares
//               what is known of row b + j, and AHEAD fetches all of row r + BAND
// sizes   COLS
// note    values that are not PLAIN go to a small array before they are folded, as in
//         reduce_block.cl. The end of a
//         row is filled up to whole vectors with the identity. Vectors find the least and the
//         largest by one instruction, which loses a NaN: those are noted apart. A vector is folded
//         by halves in as many steps as for 16 of them that become one of 16 rows

#define ALL(k) 1
#define GET(n, IN) { \
    PREPARE(n, IN) \
    COLUMNS for (int k = 0; k < (n); k++) v[k] = IN(k) ? (VAL)LOAD(c + k) : (VAL)IDENTITY; \
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
#if PLAIN
#define VALUES(i) LOADS(c + 16 * (i))
#define GET_ALL PREPARE(VEC, ALL)
#else
#define VALUES(i) vload16(i, v)
#define GET_ALL GET(VEC, ALL)
#endif
#define FOLD_VECTORS { \
    const V(16) v0 = VALUES(0), v1 = VALUES(1), v2 = VALUES(2), v3 = VALUES(3); \
    s0 = VECTOR_FOLD(16, s0, v0); s1 = VECTOR_FOLD(16, s1, v1); \
    s2 = VECTOR_FOLD(16, s2, v2); s3 = VECTOR_FOLD(16, s3, v3); \
    NOTE_NANS(v0, v1) \
    NOTE_NANS(v2, v3) \
}
#define FOLD_VECTOR(x) { \
    const V(16) v0 = x; \
    s0 = VECTOR_FOLD(16, s0, v0); \
    NOTE_NANS(v0, v0) \
}
#if NOTES_NANS
#define NOTE_NANS(a, b) nans |= (a != a) | (b != b);
#else
#define NOTE_NANS(a, b)
#endif

PART_FUNCTION {
    VAL v[VEC] LINES;
    V(16) s0 = (V(16))IDENTITY, s1 = s0, s2 = s0, s3 = s0;
#if NOTES_NANS
    NANS(16) nans = 0;
#endif
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
#if BAND == 1
        AHEAD
#endif
        GET_ALL
        FOLD_VECTORS
    }
#if PLAIN
    for (; c + 16 <= COLS; c += 16) {
        PREPARE(16, ALL)
        FOLD_VECTOR(VALUES(0))
    }
    const int rest = (int)(COLS % 16);
#else
    const int rest = (int)(COLS % VEC);
#endif
    if (rest > 0) {
#define INSIDE(k) (k) < rest
        const int whole = (rest + 15) / 16 * 16;
        GET(whole, INSIDE)
        for (int k = 0; k < whole; k += 16) FOLD_VECTOR(vload16(0, v + k))
    }
    s0 = VECTOR_FOLD(16, VECTOR_FOLD(16, s0, s2), VECTOR_FOLD(16, s1, s3));
#if NOTES_NANS
    s0 = nans ? (V(16))NAN : s0;
#endif
    return s0;
}

#if NOTES_NANS
#define ACROSS(n, a, b) FOLD(a, b)
#else
#define ACROSS(n, a, b) VECTOR_FOLD(n, a, b)
#endif

#if BAND == 1

FOLD_FUNCTION {
    const V(16) s = PART;
    const V(8) t8 = ACROSS(8, s.lo, s.hi);
    const V(4) t4 = ACROSS(4, t8.lo, t8.hi);
    const V(2) t2 = ACROSS(2, t4.lo, t4.hi);
    return FOLD(t2.x, t2.y);
}

#else

FOLD_FUNCTION {
    V(16) p[BAND];
    for (int j = 0; j < n; j++) {
        const IDX r = b + j;
        KNOWN(j)
        AHEAD
        p[j] = PART;
    }
    for (int j = n; j < BAND; j++) p[j] = (V(16))IDENTITY;
    // Lanes of neighbouring rows become lanes of one vector, half as many of each.
    #pragma unroll
    for (int w = BAND / 2; w > 0; w /= 2)
        #pragma unroll
        for (int j = 0; j < w; j++) {
            const V(16) even = (V(16))(p[2 * j].even, p[2 * j + 1].even), odd = (V(16))(p[2 * j].odd, p[2 * j + 1].odd);
            p[j] = ACROSS(16, even, odd);
        }
    vstore16(p[0], 0, out);
}

#endif

#endif
#undef FOLD_FUNCTION
#undef FOLD
#undef IS_ARG
#undef VAL
#undef OUT_ACC
#undef RING
#undef IDENTITY
#undef PART_FUNCTION
#undef PART
#undef AHEAD
#undef PLAIN
#undef LOADS
#undef VECTOR_FOLD
#undef NOTES_NANS
#undef NANS
#undef KNOWN
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
#undef VALUES
#undef GET_ALL
#undef FOLD_VECTORS
#undef FOLD_VECTOR
#undef NOTE_NANS
#undef INSIDE
#undef ACROSS

static inline float out0_hook(const IDX r, const IDX c, const float acc1, const float st0 FN_PARAMS) {
    const float v0 = (float)(st0 / acc1);
    return v0;
}
#define OUT0(c) out0_hook(r, c, acc1, st0[c] FN_ARGS)

#define STORE0(i, v) STORE_float32(y0_ + o_y0, i, (v))

#define OUT0_T float
static inline float16 outs0_hook(const IDX r, const IDX c, const float acc1, const float * st0 FN_PARAMS) {
    const float16 v0 = (float16)(acc1);
    const float16 v1 = vload16(0, &st0[c]) / v0;
    return v1;
}
#define OUTS0(c) outs0_hook(r, c, acc1, st0 FN_ARGS)

#define BITS0 float
#define BITS0_OF(v) (v)
#define AT0 (y0_ + o_y0)
#define BAND_STATE float st0s[BAND * PITCH] LINES; \
    float acc0s[BAND] LINES; \
    float h0s[BAND] LINES; \
    float acc1s[BAND] LINES;
#define BAND_FOLDS(b, n) row_fold0(b, n, st0s, acc0s, ARGS); \
    COLUMNS for (int j = 0; j < BAND; j++) { const IDX r = b + min(j, n - 1); float *const st0 = st0s + (j) * PITCH; const float acc0 = acc0s[j];  h0s[j] = HOIST0(); } \
    row_fold1(b, n, st0s, acc0s, h0s, acc1s, ARGS);
#define KNOWN(j) float *const st0 = st0s + (j) * PITCH; const float acc0 = acc0s[j]; const float h0 = h0s[j]; const float acc1 = acc1s[j]; 
#define PREPARE(n, IN) 
#define EACH_OVER(DO) DO(0)
#define AHEAD 
#define ROW_RESULTS(r) 
#define HAS_OVER 1
#define PLAIN 1

// ---- row_band.cl ----
// row_band.cl: folds of a row in order, and what they make of it, 16 short rows at a time, on a CPU
// driver.
//
//     acc0 = fold over c of LOAD0(c),  acc1 = fold over c of LOAD1(c, acc0),  ...
//     y[r, c] = OUT(c, acc0, acc1, ...)    or    z[r] = OUT(acc0, acc1, ...)
//
// hooks   BAND_STATE        declares the results of the folds, and what is staged of every row
//         BAND_FOLDS(b, n)  computes them for rows b .. b + n - 1, by functions of row_fold.cl
//         KNOWN(j)          declares those of row b + j
//         PREPARE(n, IN), EACH_OVER(DO), AHEAD, ROW_RESULTS(r)   as in row_block.cl
// macros  COLS  of a row: loops over so few are written out    PITCH  in whole vectors
//         BITS##i, BITS##i##_OF(v), AT##i   of output i, as in row_block.cl where STREAMED
//         STREAMED  1: lines of the outputs are stored past the caches
//         APART(i)  0, in a way that no compiler sees through where several loops over the end of a
//                   row read the same: each at its own APART. Clang 15 takes two masked loads of one
//                   place for one, whatever their types (a number, and its bits for fabs), and aborts
//         LINED     1: every row ends with a line of each output
//         PLAIN     1: outputs over the row have OUTS##i(c), columns c .. c + 15, which are stored as
//                   they are, and no input lies where they do
// sizes   ROWS   RSPAN  rows an item, a multiple of 16
// launch  row_band  global {ROWS / RSPAN}  local {1}
// note    a fold across the lanes of a vector has five steps that wait for each other; sixteen rows
//         have four times as many that do not. Outputs are computed in whole vectors, beyond the end
//         of a row too, where the next one begins: a band of them ends with a line whatever COLS is

#define IN_ROW(k) (COLS == PITCH || (k) < COLS)
#if LINED
#define HELD(j) 0
#define HELD_ROWS 1
#else
#define HELD(j) ((j) * COLS)
#define HELD_ROWS BAND
#endif
#define DIRECT (PLAIN && LINED)
#define HOLD(i) BITS##i held##i[HELD_ROWS * COLS + 16] LINES;
#define FILL(i) COLUMNS for (int k = 0; k < PITCH; k++) held##i[HELD(j) + k] = IN_ROW(k) ? BITS##i##_OF(OUT##i(k - APART(i + 1))) : 0;
#if STREAMED
#define SPILL(i) { \
    const int lines = count * (int)sizeof(BITS##i) / LINE; \
    __global BITS##i *const y = AT##i + from; \
    if (count * sizeof(BITS##i) % LINE == 0 && TO_LINE(y) == 0) \
        for (int k = 0; k < lines; k++) STREAM(((float16 *)held##i)[k], (__global float16 *)y + k); \
    else \
        COLUMNS for (int k = 0; k < count; k++) y[k] = held##i[k]; \
}
#else
#define SPILL(i) COLUMNS for (int k = 0; k < count; k++) (AT##i)[from + k] = held##i[k];
#endif

#if STREAMED
#define PUT(i) { \
    __global BITS##i *const y = AT##i + r * COLS; \
    if (TO_LINE(y) == 0) \
        for (int k = 0; k < COLS; k += 16) STREAM(as_float16(OUTS##i(k)), (__global float16 *)(y + k)); \
    else \
        for (int k = 0; k < COLS; k += 16) vstore16(OUTS##i(k), 0, y + k); \
}
#else
#define PUT(i) for (int k = 0; k < COLS; k += 16) vstore16(OUTS##i(k), 0, AT##i + r * COLS + k);
#endif

kernel void row_band(PARAMS) {
    const IDX item = (IDX)get_global_id(0);
    const IDX r0 = item * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    WIDE_VECTORS
    BAND_STATE
#if !DIRECT
    EACH_OVER(HOLD)
#endif
    for (IDX b = r0; b < r1; b += BAND) {
        const int n = (int)min((IDX)BAND, r1 - b);
        BAND_FOLDS(b, n)
#if HAS_OVER
        for (int j = 0; j < n; j++) {
            const IDX r = b + j, c = 0;
            KNOWN(j)
            AHEAD
            PREPARE(PITCH, IN_ROW)
#if DIRECT
            EACH_OVER(PUT)
#else
            EACH_OVER(FILL)
#endif
#if LINED && !DIRECT
            const IDX from = r * COLS;
            const int count = COLS;
            EACH_OVER(SPILL)
#endif
        }
#if !LINED
        const IDX from = b * COLS;
        const int count = n * COLS;
        EACH_OVER(SPILL)
#endif
#endif
        PARTLY
        for (int j = 0; j < n; j++) {
            const IDX r = b + j;
            KNOWN(j)
            ROW_RESULTS(r)
        }
    }
}
