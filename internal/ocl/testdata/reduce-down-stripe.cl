// stripe view=2x70x100 lanes=100: a CPU driver: stripes of rows that are neighbours in memory
// launch reduce_stripe global [1 2 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments ROWS=200 OUTER=2 INNER=100 COLS=70 LANES=100 RSPAN=1 SPAN=70 n0=7000 n1=100
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define VAL16 float16
#define AT16 int16
#define FOLD_OF VECTOR_SUM
#define LANE_RING float
#define VECTORS 7
#define TURNS 1
#define PLAIN 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX OUTER, \
    const IDX INNER, \
    const IDX COLS, \
    const IDX LANES, \
    const IDX RSPAN, \
    const IDX SPAN, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const float *p0, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, n0, n1

static inline float16 loads_hook(const IDX o, const IDX i, const IDX c FN_PARAMS) {
    const int i0 = n0 * o + i + n1 * c;
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define LOADS(o, i, c) loads_hook(o, i, c FN_ARGS)

static inline float load_hook(const IDX o, const IDX i, const IDX c FN_PARAMS) {
    const int i0 = n0 * o + i + n1 * c;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD(o, i, c) load_hook(o, i, c FN_ARGS)

static inline float epilogue_hook(const IDX o, const IDX i, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(o, i, acc) epilogue_hook(o, i, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

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
// ---- monoid_vector.cl ----
// monoid_vector.cl: the folds of monoid.cl over vectors of 16 states.
//
// States in vectors stay in registers, which an array of them that a compiler makes vectors of does
// not always (PoCL 3.1, sum of 8192 x 8192 over the first axis: 34 ms by an array of 256 states,
// 6.9 by 16 vectors).
//
//     VECTORS_OF(s, n)    declares n vectors       CLEAR_VECTOR(s, k)      identities
//     ADD_VECTOR(s, k, v, at)  folds vector v at positions at (a number or a vector)
//     SPILL(t, j, s, k)   vector k to the states of t from j on, which STATES declared
//
//     FOLD_VECTORS(s, n, out)  out becomes the fold of n vectors, a power of two: not of positions
//
// macros  VAL16, AT16      16 of VAL and of IDX        TO_AT16   converts a comparison to AT16
//         FOLD_OF          VECTOR_SUM, VECTOR_PROD, VECTOR_MIN, VECTOR_MAX: folds n lanes
//         LANE_RING        the type of sums and products of lanes: unsigned for integers

#define AS_(type, n) as_##type##n
#define AS(type, n) AS_(type, n)
#define LANES_OF_(type, n) type##n
#define LANES_OF(type, n) LANES_OF_(type, n)
#define VECTOR_SUM(n, a, b) AS(VAL, n)(AS(LANE_RING, n)(a) + AS(LANE_RING, n)(b))
#define VECTOR_PROD(n, a, b) AS(VAL, n)(AS(LANE_RING, n)(a) * AS(LANE_RING, n)(b))
#define VECTOR_MIN(n, a, b) FOLD_MIN(a, b)
#define VECTOR_MAX(n, a, b) FOLD_MAX(a, b)

#if IS_ARG

#define VECTORS_OF(s, n) VAL16 s[n]; AT16 s##_at[n]
#define CLEAR_VECTOR(s, k) (s[k] = IDENTITY, s##_at[k] = IDX_MAX)
#define ADD_VECTOR(s, k, v, at) do { \
    const VAL16 v_ = v; \
    s##_at[k] = TO_AT16(BEATS(v_, s[k])) ? (AT16)(at) : s##_at[k]; \
    s[k] = BEATS(v_, s[k]) ? v_ : s[k]; \
} while (0)
#define SPILL(t, j, s, k) (vstore16(s[k], 0, t + (j)), vstore16(s##_at[k], 0, t##_at + (j)))

#else

#define VECTORS_OF(s, n) VAL16 s[n]
#define CLEAR_VECTOR(s, k) (s[k] = IDENTITY)
#define ADD_VECTOR(s, k, v, at) do { const VAL16 v_ = v; s[k] = FOLD_OF(16, s[k], v_); } while (0)
#define SPILL(t, j, s, k) vstore16(s[k], 0, t + (j))

static inline VAL fold_lanes(const VAL16 a) {
    const LANES_OF(VAL, 8) b = FOLD_OF(8, a.lo, a.hi);
    const LANES_OF(VAL, 4) c = FOLD_OF(4, b.lo, b.hi);
    const LANES_OF(VAL, 2) d = FOLD_OF(2, c.lo, c.hi);
    return FOLD(d.x, d.y);
}
#define FOLD_VECTORS(s, n, out) do { \
    _Pragma("unroll") \
    for (int w_ = (n) / 2; w_ > 0; w_ /= 2) \
        _Pragma("unroll") \
        for (int k_ = 0; k_ < w_; k_++) s[k_] = FOLD_OF(16, s[k_], s[k_ + w_]); \
    out = fold_lanes(s[0]); \
} while (0)

#endif
// ---- reduce_stripe.cl ----
// reduce_stripe.cl: fold down stripes of neighbouring rows on a CPU driver, states in registers.
//
//     y[o * INNER + i] = EPILOGUE(o, i, fold over c of LOAD(o, i, c))
//
// hooks   LOAD(o, i, c)     EPILOGUE(o, i, v)   STORE(r, v)   and the monoid's, see monoid_vector.cl
//         LOADS(o, i, c)    i .. i + 15 of it, where PLAIN
// macros  VECTORS  of 16 lanes, at most 32     PLAIN  1: the values have LOADS
//         SPLIT  1: the fold is cut into parts of SPAN, folded again by reduce_finish.cl
//         TURNS  of a SPLIT, more than 1: rows are few and dense in memory, and a stripe holds so
//                many turns of them: lane l is row l % (INNER / TURNS) of column c * TURNS + l /
//                (INNER / TURNS), and every turn leaves a part
// sizes   OUTER, INNER, COLS   LANES  of a stripe: at least 16, at most INNER and 16 * VECTORS;
//         where they are no multiple of 16 the last vector lies over the one before
//         RSPAN  outer points an item   SPAN   REST  lanes of column COLS that are there: turns of
//         a column that is not full
// launch  global {INNER / LANES, OUTER / RSPAN, parts}  local {1, 1, 1}
// for     rows that are neighbours in memory: sums over any axes but the last. A stripe reads up to
//         1 KiB of every column, which is enough for the processor to fetch ahead

#define AT(k) ((k) + 1 < VECTORS ? 16 * (k) : LANES - 16)

#if TURNS > 1
#define ROWS_OF_TURN (INNER / TURNS)
#define LEAVE(o, i, t, l) do { \
    const IDX turn_ = (IDX)(l) / ROWS_OF_TURN, part_ = (IDX)get_global_id(2) * TURNS + turn_; \
    PLACE_OF(t, l, turn_); \
    SAVE(t, l, part_ * ROWS + (o) * ROWS_OF_TURN + (l) - turn_ * ROWS_OF_TURN); \
} while (0)
#if IS_ARG
#define PLACE_OF(t, l, turn) t##_at[l] = t##_at[l] == IDX_MAX ? IDX_MAX : t##_at[l] * TURNS + (turn)
#else
#define PLACE_OF(t, l, turn)
#endif
#elif SPLIT
#define LEAVE(o, i, t, l) SAVE(t, l, (IDX)get_global_id(2) * ROWS + (o) * INNER + (i) + (l))
#else
#define LEAVE(o, i, t, l) STORE((o) * INNER + (i) + (l), EPILOGUE(o, (i) + (l), RESULT(t, l)))
#endif

kernel void reduce_stripe(PARAMS) {
    WIDE_VECTORS
    // The last stripe lies over the one before, and leaves to it what it owns.
    const IDX own = (IDX)get_global_id(0) * LANES, i = min(own, INNER - LANES);
    const IDX o0 = (IDX)get_global_id(1) * RSPAN, o1 = min(o0 + RSPAN, OUTER);
    const IDX from = (IDX)get_global_id(2) * SPAN, to = min(from + SPAN, COLS);
    for (IDX o = o0; o < o1; o++) {
        VECTORS_OF(s, VECTORS);
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) CLEAR_VECTOR(s, k);
        for (IDX c = from; c < to; c++) {
#if PLAIN
            #pragma unroll
            for (int k = 0; k < VECTORS; k++) ADD_VECTOR(s, k, LOADS(o, i + AT(k), c), c);
#else
            VAL v[16 * VECTORS] LINES;
            WIDE for (int l = 0; l < LANES; l++) v[l] = (VAL)LOAD(o, i + l, c);
            #pragma unroll
            for (int k = 0; k < VECTORS; k++) ADD_VECTOR(s, k, vload16(0, v + AT(k)), c);
#endif
        }
        STATES(t, 16 * VECTORS);
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) SPILL(t, AT(k), s, k);
#if TURNS > 1
        if (to == COLS)
            for (int l = 0; l < REST; l++) {
                const VAL v = (VAL)LOAD(o, i + l, COLS);
                ADD(t, l, v, COLS);
            }
#endif
        for (int l = (int)(own - i); l < LANES; l++) LEAVE(o, i, t, l);
    }
}
