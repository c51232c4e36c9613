// block view=64x100 vec=64 rows=8 stages=1: ANYCL_VARIANT
// launch row_block global [8] local [1]
// options -cl-single-precision-constant
// arguments ROWS=64 COLS=100 PITCH=128 RSPAN=8 n0=100
#define VEC 64
#define BUFFERED 0
#define STREAMED 0
#define COLUMNS WIDE
#define BAND 1
#define FIRST (y0_ + o_y0)
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

static inline float16 loads0_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + c;
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define LOADS0(c) loads0_hook(r, c FN_ARGS)

static inline float row_fold0(const IDX r, __global float *const st0, PARAMS);
#define FOLD_FUNCTION static inline float row_fold0(const IDX r, __global float *const st0, PARAMS)
#define FOLD FOLD_MAX
#define IS_ARG 0
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

static inline float16 loads1_hook(const IDX r, const IDX c, const __global float * st0 FN_PARAMS) {
    return vload16(0, &st0[c]);
}
#define LOADS1(c) loads1_hook(r, c, st0 FN_ARGS)

static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, const float h0, PARAMS);
#define FOLD_FUNCTION static inline float row_fold1(const IDX r, __global float *const st0, const float acc0, const float h0, PARAMS)
#define FOLD FOLD_SUM
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
static inline float16 row_part1(const IDX r, __global float *const st0, const float acc0, const float h0, PARAMS);
#define PART_FUNCTION static inline float16 row_part1(const IDX r, __global float *const st0, const float acc0, const float h0, PARAMS)
#define PART row_part1(r, st0, acc0, h0, ARGS)
#define AHEAD FETCH_ROW((p0_ + o_p0), AHEAD0(), 16) 
#define PLAIN 1
#define LOADS(c) LOADS1(c)
#define VECTOR_FOLD VECTOR_SUM
#define NOTES_NANS 0
#define NANS(n) int##n
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
static inline float16 outs0_hook(const IDX r, const IDX c, const float acc1, const __global float * st0 FN_PARAMS) {
    const float16 v0 = (float16)(acc1);
    const float16 v1 = vload16(0, &st0[c]) / v0;
    return v1;
}
#define OUTS0(c) outs0_hook(r, c, acc1, st0 FN_ARGS)

#define BITS0 float
#define BITS0_OF(v) (v)
#define AT0 (y0_ + o_y0)
#define ROW_STAGES(item) __global float *const st0 = STAGE0 + (item) * PITCH;
#define ROW_FOLDS(r) const float acc0 = row_fold0(r, st0, ARGS); \
    const float h0 = HOIST0(); \
    const float acc1 = row_fold1(r, st0, acc0, h0, ARGS);
#define PREPARE(n, IN) 
#define EACH_OVER(DO) DO(0)
#define AHEAD 
#define ROW_RESULTS(r) 
#define HAS_OVER 1
#define PLAIN 1

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
//         PLAIN  1: outputs over the row have OUTS##i(c), columns c .. c + 15, which are stored as they are
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
#if PLAIN
#define DIRECT(i) _Pragma("unroll") for (int k = 0; k < VEC; k += 16) vstore16(OUTS##i(c + k), 0, AT##i + r * COLS + c + k);
#define STREAMS(i) \
    if (TO_LINE(AT##i + r * COLS + c) == 0) { \
        _Pragma("unroll") \
        for (int k = 0; k < VEC; k += 16) STREAM(as_float16(OUTS##i(c + k)), (__global float16 *)(AT##i + r * COLS + c + k)); \
    } else { \
        DIRECT(i) \
    }
#else
#define DIRECT(i) WIDE for (int k = 0; k < VEC; k++) STORE##i(r * COLS + c + k, OUT##i(c + k));
#define STREAMS(i) { \
    BITS##i b[VEC] LINES; \
    WIDE for (int k = 0; k < VEC; k++) b[k] = BITS##i##_OF(OUT##i(c + k)); \
    if (TO_LINE(AT##i + r * COLS + c) == 0) \
        STREAM_ALL(b, AT##i + r * COLS + c) \
    else \
        WIDE for (int k = 0; k < VEC; k++) (AT##i)[r * COLS + c + k] = b[k]; \
}
#endif

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
