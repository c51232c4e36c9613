// row_fold.cl: one fold of a row on a CPU driver, columns in vectors. It stands before
// row_block.cl once for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION  the head of the function: row_fold<k>(r, what is known of the row, ...)
//         LOAD(c)        what is folded
//         PREPARE(n, AT) stages n values of columns AT(k) that this fold is the first to need, at
//                        c + k
//         AHEAD          fetches what the next row has from column c on
//         and the monoid's, see monoid.cl
// macros  VEC   columns at once, 64
//         VALV  the vector of 16 VAL    AS_VAL, AS_RING  its bits as VAL and as RING
// sizes   COLS
// note    values go to a small array before they are folded, as in reduce_block.cl. The end of a
//         row is filled up to whole vectors with its last column, which counts as the identity

#define WHOLE(k) (c + (k))
#define CLAMPED(k) min(c + (k), (IDX)(COLS - 1))
#define GET(n, AT) { \
    PREPARE(n, AT) \
    WIDE for (int k = 0; k < (n); k++) v[k] = (VAL)LOAD(AT(k)); \
}

#if IS_ARG

FOLD_FUNCTION {
    STATES(s, VEC);
    VAL v[VEC];
    for (int k = 0; k < VEC; k++) CLEAR(s, k);
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
        AHEAD
        GET(VEC, WHOLE)
        for (int k = 0; k < VEC; k++) ADD(s, k, v[k], c + k);
    }
    const int rest = (int)(COLS - c);
    GET(rest, WHOLE)
    for (int k = 0; k < rest; k++) ADD(s, k, v[k], c + k);
    for (int w = VEC / 2; w > 0; w /= 2)
        for (int k = 0; k < w; k++) MERGE(s, k, k + w);
    return RESULT(s, 0);
}

#else

#define VECTOR_SUM(a, b) AS_VAL(AS_RING(a) + AS_RING(b))
#define VECTOR_PROD(a, b) AS_VAL(AS_RING(a) * AS_RING(b))
#define VECTOR_MIN(a, b) FOLD_MIN(a, b)
#define VECTOR_MAX(a, b) FOLD_MAX(a, b)
#define FOLD_VECTORS \
    s0 = VECTOR_FOLD(s0, vload16(0, v)); s1 = VECTOR_FOLD(s1, vload16(1, v)); \
    s2 = VECTOR_FOLD(s2, vload16(2, v)); s3 = VECTOR_FOLD(s3, vload16(3, v));

FOLD_FUNCTION {
    VAL v[VEC];
    VALV s0 = (VALV)IDENTITY, s1 = s0, s2 = s0, s3 = s0;
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
        AHEAD
        GET(VEC, WHOLE)
        FOLD_VECTORS
    }
    const int rest = (int)(COLS - c);
    if (rest > 0) {
        GET((rest + 15) & ~15, CLAMPED)
        for (int k = rest; k < VEC; k++) v[k] = IDENTITY;
        FOLD_VECTORS
    }
    s0 = VECTOR_FOLD(VECTOR_FOLD(s0, s2), VECTOR_FOLD(s1, s3));
    VAL s[16];
    vstore16(s0, 0, s);
    for (int w = 8; w > 0; w /= 2)
        for (int k = 0; k < w; k++) MERGE(s, k, k + w);
    return RESULT(s, 0);
}

#endif
