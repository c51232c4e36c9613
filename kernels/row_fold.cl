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
