// block view=2x100000 vec=64 rows=1 parts=4: a CPU driver: columns in vectors
// launch reduce_block global [4 2] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=2 COLS=100000 SPAN=25024 GOLDS=100000 RSPAN=1 n0=100000
#define SPLIT 1
#define FOLD FOLD_MAX
#define IS_ARG 1
#define BEATS BEATS_MAX
#define VAL char
#define OUT_ACC long
#define RING uint
#define IDENTITY ((char)-128)
#define VEC 64
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
#define FN_PARAMS , __global const char *p0, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, n0

static inline char load_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const int i0 = n0 * r + g;
    const char v1 = LOAD_int8(p0, i0);
    return v1;
}
#define LOAD(r, f, g) load_hook(r, f, g FN_ARGS)

static inline char16 loads_hook(const IDX r, const IDX f, const IDX g FN_PARAMS) {
    const int i0 = n0 * r + g;
    const char16 v1 = LOADS_int8(p0, i0);
    return v1;
}
#define LOADS(r, f, g) loads_hook(r, f, g FN_ARGS)

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
// ---- reduce_block.cl ----
// reduce_block.cl: fold the columns of a view on a CPU driver, columns in vectors.
//
//     y[r] = EPILOGUE(r, fold over f, g of LOAD(r, f, g))
//
// hooks   LOAD(r, f, g)   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see monoid.cl
//         LOADS(r, f, g)  columns g .. g + 15, where PLAIN
// macros  VEC    independent states, a power of two, 8..128
//         PLAIN  1: the values have LOADS, VEC is a multiple of 16, and states stay in registers; see
//                monoid_vector.cl
//         LANES  where not PLAIN: elements in a vector of values; 0: as many as the compiler likes
//         SPLIT  1: a row is cut into parts of SPAN columns, folded again by reduce_finish.cl
// sizes   ROWS, COLS, SPAN   GOLDS  how many of the columns are a run: column c is f = c / GOLDS,
//         g = c % GOLDS      RSPAN  rows an item
// launch  global {parts, ROWS / RSPAN}  local {1, 1}
// note    where they are not PLAIN, values go to an array before they are folded: a loop with nothing
//         but values and one with nothing but folds are both turned into vectors, the two in one are
//         not, nor is a loop so short that the compiler unrolls it first (normal numbers: 11 times
//         slower). The states are the same however long the array is.
// for     long rows whose columns are neighbours in memory, in runs: a sum over all axes of a
//         batch of images but the channels has one an image, and divides once a run

#if PLAIN
#define VECTORS (VEC / 16)
#define LANE ((AT16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#define BESIDE 16 // further states, of what fills no vector
#else
#define CHUNK 256 // of the array, a multiple of VEC
#define BESIDE 0
#if LANES
#define VECTORS WIDE_BY(LANES)
#else
#define VECTORS
#endif
#endif

kernel void reduce_block(PARAMS) {
    const IDX part = (IDX)get_global_id(0);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const IDX from = part * SPAN, to = min(from + SPAN, COLS);
#if !PLAIN
    WIDE_VECTORS
#endif
    for (IDX r = r0; r < r1; r++) {
        STATES(s, VEC + BESIDE);
#if PLAIN
        int beside = 0; // how many of the further states there are
        VECTORS_OF(a, VECTORS);
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) CLEAR_VECTOR(a, k);
#else
        for (int k = 0; k < VEC; k++) CLEAR(s, k);
        VAL v[CHUNK];
#endif
        IDX f = from / GOLDS, g = from % GOLDS, c = from;
        while (c < to) {
            const IDX end = c + min(GOLDS - g, to - c);
#if PLAIN
            for (; c + VEC <= end; c += VEC, g += VEC) {
                #pragma unroll
                for (int k = 0; k < VECTORS; k++) ADD_VECTOR(a, k, LOADS(r, f, g + 16 * k), c + 16 * k + LANE);
            }
            for (; c + 16 <= end; c += 16, g += 16) ADD_VECTOR(a, 0, LOADS(r, f, g), c + LANE);
            for (int k = 0; c < end; c++, g++, k++) {
                if (k == beside) {
                    CLEAR(s, VEC + k);
                    beside++;
                }
                const VAL v = (VAL)LOAD(r, f, g);
                ADD(s, VEC + k, v, c);
            }
#else
            while (c < end) {
                const int n = (int)min((IDX)CHUNK, end - c), whole = n / VEC * VEC;
                VECTORS for (int k = 0; k < n; k++) v[k] = (VAL)LOAD(r, f, g + k);
                for (int j = 0; j < whole; j += VEC)
                    for (int k = 0; k < VEC; k++) ADD(s, k, v[j + k], c + j + k);
                for (int k = 0; k < n - whole; k++) ADD(s, k, v[whole + k], c + whole + k);
                c += n;
                g += n;
            }
#endif
            f++;
            g = 0;
        }
#if PLAIN && IS_ARG
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) SPILL(s, 16 * k, a, k);
#elif PLAIN
        FOLD_VECTORS(a, VECTORS, s[0]);
#endif
#if IS_ARG || !PLAIN
        for (int w = VEC / 2; w > 0; w /= 2)
            for (int k = 0; k < w; k++) MERGE(s, k, k + w);
#endif
#if PLAIN
        for (int k = 0; k < beside; k++) MERGE(s, 0, VEC + k);
#endif
        EMIT(r, part, s, 0);
    }
}
// launch reduce_finish global [1] local [1]
// options -cl-single-precision-constant
// arguments ROWS=2 COUNT=4
#define SPLIT 0
#define FOLD FOLD_MAX
#define IS_ARG 1
#define BEATS BEATS_MAX
#define VAL char
#define OUT_ACC long
#define RING uint
#define IDENTITY ((char)-128)
#define EACH 64
#define PARAMS __global const char *restrict p0_, \
    const ulong o_p0, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global char *restrict PARTS, \
    __global int *restrict PARTS_AT, \
    const IDX ROWS, \
    const IDX COUNT
#define FN_PARAMS , __global const char *p0
#define FN_ARGS , p0_ + o_p0

static inline long epilogue_hook(const IDX r, const long acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(r, acc) epilogue_hook(r, acc FN_ARGS)

#define STORE(i, v) STORE_int64(y0_ + o_y0, i, (v))

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
// ---- reduce_finish.cl ----
// reduce_finish.cl: fold the parts of each row that another reduction kernel left.
//
//     y[r] = EPILOGUE(r, fold over p of PARTS[p * ROWS + r])
//
// hooks   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see monoid.cl
// macros  EACH  rows an item, on CPU drivers
//         WG    elsewhere: work-items a row, a power of two, 1..256
// sizes   ROWS, COUNT  the number of parts
// launch  global {ROWS / EACH}  local {1}
//         global {WG * ROWS}  local {WG}  local memory WG states

#ifdef EACH

// n is EACH itself but for the last item: loops of known length become vectors.
#define FINISH(n) \
    for (IDX p = 0; p < COUNT; p++) \
        for (int k = 0; k < (n); k++) MERGE_PART(s, k, p * ROWS + r + k); \
    for (int k = 0; k < (n); k++) STORE(r + k, EPILOGUE(r + k, RESULT(s, k)));

kernel void reduce_finish(PARAMS) {
    const IDX r = (IDX)get_global_id(0) * EACH;
    const int n = (int)min((IDX)EACH, ROWS - r);
    STATES(s, EACH);
    for (int k = 0; k < EACH; k++) CLEAR(s, k);
    if (n == EACH) {
        FINISH(EACH)
    } else {
        FINISH(n)
    }
}

#else

kernel void reduce_finish(PARAMS) {
    const IDX r = (IDX)get_group_id(0);
    const int lid = (int)get_local_id(0);
    STATES(s, 1);
    CLEAR(s, 0);
    for (IDX p = lid; p < COUNT; p += WG) MERGE_PART(s, 0, p * ROWS + r);
    LOCAL_STATES(tree, WG);
    COPY(tree, lid, s, 0);
    for (int w = WG / 2; w > 0; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < w) MERGE(tree, lid, lid + w);
    }
    if (lid == 0) STORE(r, EPILOGUE(r, RESULT(tree, 0)));
}

#endif
