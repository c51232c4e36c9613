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
