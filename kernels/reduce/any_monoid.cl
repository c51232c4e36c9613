// reduce/any_monoid.cl: the folds of the reduction kernels (sum, product, least, largest and their positions), over arrays of states
//
// A state is a value s[k] and, for ArgMin and ArgMax, the position s_at[k] where it was first
// seen, for long products the rounding error s_rest[k]: two arrays, so that loops over k become vectors.
//
//     STATES(s, n)        declares n states          CLEAR(s, k)        the identity
//     ADD(s, k, v, at)    folds v at position at     MERGE(s, k, j)     folds state j into k
//     SAVE(s, k, i)       state k to PARTS[i]        MERGE_PART(s, k, i)  folds PARTS[i] into k
//     RESULT(s, k)        the value of OpAcc
//
// Sums of floats are blocked: a state takes at most SUM_RUN values one after the other, and what they come
// to is added to a compensated total, see COMPENSATE in lib/prelude.cl.
//
//     TOTALS(t, n)        declares n totals           START(t, k)        an empty one
//     RUN_END(c, to, n)   the end of a run of steps of n that begins at c, at most to
//     CARRY(t, j, s, k)   adds state k to total j and clears it
//     SETTLE(s, k, t, j)  state k becomes total j with state k added
//
// The error of a sum of n values is at most (128 + log2 n + n u / 64) u times the sum of their magnitudes,
// where u is 2^-24 for float and 2^-53 for double; as a rule it is a few u.
//
// Relative errors of factors add up in whatever order they are multiplied, so runs do not help products. Those
// of at most 64 factors are plain: off by n u of themselves. Longer ones of float are products of double where
// the device has it, up to 2^30 factors: VAL is double then, and they are off by n 2^-53 + u. All others are
// PAIRED, a product with its rounding error beside it: off by 3 n u^2 + u. That holds while what states come to
// stays within the normal numbers of VAL: an infinite product has no error beside it and stays infinite.
//
// macros  FOLD      FOLD_SUM, FOLD_PROD, FOLD_MIN, FOLD_MAX (also for the arg folds)
//         IS_ARG    1 for ArgMin and ArgMax      PAIRED  1 for long products, see above
//         VAL, OUT_ACC   type of what is folded, type of RESULT
//         RING      type of sums and products: unsigned for integers, which wrap
//         IDENTITY  of the fold
//         EXACT     1: a sum of floats of which a state takes more than 64: blocked and compensated;
//                   else a run is as long as the fold
// note    comparisons are joined by | and &: a branch would keep loops from becoming vectors.
//         a NaN beats every number; among equals the first position wins, whatever the order of
//         merging. A state that saw nothing better than the identity has position IDX_MAX: when
//         it stays so to the end, all values equal the identity and the first one is at 0.
//         The order in which values are added depends on sizes alone, so results repeat
// source  Higham, The Accuracy of Floating Point Summation (1993); Graillat, Accurate Floating Point Product
//         and Exponentiation (2008); Joldes, Muller and Popescu, Tight and Rigorous Error Bounds for Basic
//         Building Blocks of Double-Word Arithmetic (2017), for the products of pairs

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

#elif PAIRED

// PAIR_PRODUCT makes product + rest, where low is what product alone is less than that, a pair again. What is
// infinite or NaN has no error.
#define PAIR_PRODUCT(type, p, rest, product, low) { \
    IN_ORDER \
    const type low_ = (product) - (product) == 0 ? (low) : (type)(0); \
    p = (product) + low_; \
    rest = low_ - (p - (product)); \
}
#define PAIR_BY(type, p, rest, v) { \
    IN_ORDER \
    const type by_ = v, product_ = (p) * by_; \
    PAIR_PRODUCT(type, p, rest, product_, fma(rest, by_, fma(p, by_, -product_))) \
}
#define STATES(s, n) VAL s[n], s##_rest[n]
#define LOCAL_STATES(s, n) __local VAL s[n], s##_rest[n]
#define CLEAR(s, k) (s[k] = IDENTITY, s##_rest[k] = 0)
#define COPY(t, j, s, k) (t[j] = s[k], t##_rest[j] = s##_rest[k])
#define ADD(s, k, v, at) PAIR_BY(VAL, s[k], s##_rest[k], v)
#define MERGE_STATE(s, k, v, v_rest) do { \
    IN_ORDER \
    const VAL by_ = v, by_rest_ = v_rest, product_ = s[k] * by_; \
    PAIR_PRODUCT(VAL, s[k], s##_rest[k], product_, \
        fma(s##_rest[k], by_, fma(s[k], by_rest_, fma(s[k], by_, -product_)))) \
} while (0)
#define MERGE(s, k, j) MERGE_STATE(s, k, s[j], s##_rest[j])
#define SAVE(s, k, i) (PARTS[i] = s[k], PARTS_REST[i] = s##_rest[k])
#define MERGE_PART(s, k, i) MERGE_STATE(s, k, PARTS[i], PARTS_REST[i])
#define RESULT(s, k) s[k]

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

#if EXACT

#define TOTALS(t, n) VAL t[n], t##_rest[n]
#define START(t, k) (t[k] = 0, t##_rest[k] = 0)
#define RUN_END(c, to, n) ((to) - (c) > SUM_RUN * (n) ? (c) + SUM_RUN * (n) : (to))
#define CARRY(t, j, s, k) do { \
    COMPENSATE(VAL, t[j], t##_rest[j], s[k]) \
    s[k] = 0; \
} while (0)
#define SETTLE(s, k, t, j) (s[k] = (s[k] + t##_rest[j]) + t[j])

#else

#define TOTALS(t, n)
#define START(t, k)
#define RUN_END(c, to, n) (to)
#define CARRY(t, j, s, k)
#define SETTLE(s, k, t, j)

#endif

// What a kernel does with a finished state: the result, or a part of it for reduce_finish.
#if SPLIT
#define EMIT(r, part, s, k) SAVE(s, k, (part) * ROWS + (r))
#else
#define EMIT(r, part, s, k) STORE(r, EPILOGUE(r, RESULT(s, k)))
#endif
