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
// macros  VAL16, AT16      16 of VAL and of IDX        TO_AT16   converts a comparison to AT16
//         FOLD16           FOLD16_SUM, FOLD16_PROD, FOLD_MIN, FOLD_MAX
//         TO_RING, TO_VAL  between VAL16 and the type of its sums and products, by their bits

#define FOLD16_SUM(a, b) TO_VAL(TO_RING(a) + TO_RING(b))
#define FOLD16_PROD(a, b) TO_VAL(TO_RING(a) * TO_RING(b))

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
#define ADD_VECTOR(s, k, v, at) do { const VAL16 v_ = v; s[k] = FOLD16(s[k], v_); } while (0)
#define SPILL(t, j, s, k) vstore16(s[k], 0, t + (j))

#endif
