// reduce/cpu_monoid_vector.cl: the folds of reduce/any_monoid.cl over vectors of 16 states
//
// States in vectors stay in registers, which an array of them that a compiler makes vectors of does
// not always.
//
//     VECTORS_OF(s, n)    declares n vectors       CLEAR_VECTOR(s, k)      identities
//     ADD_VECTOR(s, k, v, at)  folds vector v at positions at (a number or a vector)
//     LOCAL_VECTORS_OF(s, n)   the same in local memory        COPY_VECTOR(t, j, s, k)  vector k of s to j of t
//     SPILL(t, j, s, k)   vector k to the states of t from j on, which STATES declared
//     LOCAL_STATES_OF(t, s)  t are the lanes of s in local memory
//
//     FOLD_VECTORS(s, n, out)  out becomes the fold of n vectors, a power of two: not of positions or pairs
//
//     VECTOR_TOTALS(t, n), START_VECTOR(t, k), CARRY_VECTOR(t, j, s, k), SETTLE_VECTOR(s, k, t, j)
//     LOCAL_VECTOR_TOTALS(t, n)   TOTALS and what belongs to it, of vectors
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

#if EXACT
#define VECTOR_TOTALS(t, n) VAL16 t[n], t##_rest[n]
#define LOCAL_VECTOR_TOTALS(t, n) __local VAL16 t[n] LINES; __local VAL16 t##_rest[n] LINES
#define START_VECTOR(t, k) START(t, k)
#define CARRY_VECTOR(t, j, s, k) do { \
    COMPENSATE(VAL16, t[j], t##_rest[j], s[k]) \
    s[k] = 0; \
} while (0)
#define SETTLE_VECTOR(s, k, t, j) SETTLE(s, k, t, j)
#else
#define VECTOR_TOTALS(t, n)
#define LOCAL_VECTOR_TOTALS(t, n)
#define START_VECTOR(t, k)
#define CARRY_VECTOR(t, j, s, k)
#define SETTLE_VECTOR(s, k, t, j)
#endif

#if IS_ARG

#define VECTORS_OF(s, n) VAL16 s[n]; AT16 s##_at[n]
#define LOCAL_VECTORS_OF(s, n) __local VAL16 s[n] LINES; __local AT16 s##_at[n] LINES
#define LOCAL_STATES_OF(t, s) __local VAL *const t = (__local VAL *)s; __local IDX *const t##_at = (__local IDX *)s##_at
#define COPY_VECTOR(t, j, s, k) (t[j] = s[k], t##_at[j] = s##_at[k])
#define CLEAR_VECTOR(s, k) (s[k] = IDENTITY, s##_at[k] = IDX_MAX)
#define ADD_VECTOR(s, k, v, at) do { \
    const VAL16 v_ = v; \
    s##_at[k] = TO_AT16(BEATS(v_, s[k])) ? (AT16)(at) : s##_at[k]; \
    s[k] = BEATS(v_, s[k]) ? v_ : s[k]; \
} while (0)
#define SPILL(t, j, s, k) (vstore16(s[k], 0, t + (j)), vstore16(s##_at[k], 0, t##_at + (j)))

#elif PAIRED

#define VECTORS_OF(s, n) VAL16 s[n], s##_rest[n]
#define LOCAL_VECTORS_OF(s, n) __local VAL16 s[n] LINES; __local VAL16 s##_rest[n] LINES
#define LOCAL_STATES_OF(t, s) __local VAL *const t = (__local VAL *)s; __local VAL *const t##_rest = (__local VAL *)s##_rest
#define COPY_VECTOR(t, j, s, k) (t[j] = s[k], t##_rest[j] = s##_rest[k])
#define CLEAR_VECTOR(s, k) (s[k] = IDENTITY, s##_rest[k] = 0)
#define ADD_VECTOR(s, k, v, at) PAIR_BY(VAL16, s[k], s##_rest[k], v)
#define SPILL(t, j, s, k) (vstore16(s[k], 0, t + (j)), vstore16(s##_rest[k], 0, t##_rest + (j)))

#else

#define VECTORS_OF(s, n) VAL16 s[n]
#define LOCAL_VECTORS_OF(s, n) __local VAL16 s[n] LINES
#define LOCAL_STATES_OF(t, s) __local VAL *const t = (__local VAL *)s
#define COPY_VECTOR(t, j, s, k) (t[j] = s[k])
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
