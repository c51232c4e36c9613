// row/cpu_fold.cl: one fold of a row on a CPU driver, columns in vectors. It stands before
// row/cpu_block.cl and row/cpu_band.cl once for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION  the head of the function: row_fold<k>(r, what is known of the row, ...)
//         PART_FUNCTION  the head of its part without the end, which gives a vector to be folded:
//                        row_part<k>, and PART, a call of it for row r
//         LOAD(c)        what is folded, and where PLAIN LOADS(c), columns c .. c + 15 of it
//         PREPARE(n, IN) stages n values of columns c + k that this fold is the first to need, at
//                        c + k, zero where IN(k) is not true
//         PREPARE_ALL(n) the same for whole vectors, all in the row
//         AHEAD          fetches what the next row has from column c on
//         and the monoid's, see reduce/any_monoid.cl
// macros  VEC   columns at once, 64      COLUMNS  how loops over them become vectors, see lib/prelude.cl
//         NOTES_NANS  1: VAL has NaN, and the least or the largest is wanted
//         NANS(n)     the type of a comparison of n VAL then
//         BAND  rows that are folded together, 1 or 16. Of 16, FOLD_FUNCTION is row_fold<k>(b, n, what
//               is known of each row, VAL *out, ...) of rows b .. b + n - 1, for which KNOWN(j) declares
//               what is known of row b + j, and AHEAD fetches all of row r + BAND
//         WHOLE, PADDED  COLS down and up to whole vectors of 16, numbers where loops over a row are written out
// sizes   COLS
// note    values that are not PLAIN go to a small array before they are folded, as in
//         reduce/cpu_block.cl. The end of a
//         row is filled up to whole vectors with the identity. Vectors find the least and the
//         largest by one instruction, which loses a NaN: those are noted apart. A vector is folded
//         by halves in as many steps as for 16 of them that become one of 16 rows

#define ALL(k) 1
#define GET(n, IN) { \
    PREPARE(n, IN) \
    VALUES_OF(n, IN) \
}
#define VALUES_OF(n, IN) COLUMNS for (int k = 0; k < (n); k++) v[k] = IN(k) ? (VAL)LOAD(c + k) : (VAL)IDENTITY;

#if IS_ARG

FOLD_FUNCTION {
    STATES(s, VEC);
    VAL v[VEC] LINES;
    for (int k = 0; k < VEC; k++) CLEAR(s, k);
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) {
        AHEAD
        PREPARE_ALL(VEC)
        VALUES_OF(VEC, ALL)
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
#define GET_ALL PREPARE_ALL(VEC)
#else
#define VALUES(i) vload16(i, v)
#define GET_ALL PREPARE_ALL(VEC) VALUES_OF(VEC, ALL)
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

#if EXACT
#define ROW_TOTALS V(16) t0 = 0, t1 = 0, t2 = 0, t3 = 0, rest0 = 0, rest1 = 0, rest2 = 0, rest3 = 0;
#define CARRY_TO(t, rest, s) COMPENSATE(V(16), t, rest, s) s = 0;
#define ROW_CARRY { CARRY_TO(t0, rest0, s0) CARRY_TO(t1, rest1, s1) CARRY_TO(t2, rest2, s2) CARRY_TO(t3, rest3, s3) }
#define ROW_SETTLE s0 = (s0 + rest0) + t0; s1 = (s1 + rest1) + t1; s2 = (s2 + rest2) + t2; s3 = (s3 + rest3) + t3;
#else
#define ROW_TOTALS
#define ROW_CARRY {}
#define ROW_SETTLE
#endif

PART_FUNCTION {
    VAL v[VEC] LINES;
    V(16) s0 = (V(16))IDENTITY, s1 = s0, s2 = s0, s3 = s0;
#if NOTES_NANS
    NANS(16) nans = 0;
#endif
    IDX c = 0;
    ROW_TOTALS
    while (c + VEC <= WHOLE) {
        const IDX end = RUN_END(c, WHOLE, VEC);
        for (; c + VEC <= end; c += VEC) {
#if BAND == 1
            AHEAD
#endif
            GET_ALL
            FOLD_VECTORS
        }
        if (c + VEC <= WHOLE) ROW_CARRY
    }
    ROW_SETTLE
#if PLAIN
    for (; c < WHOLE; c += 16) {
        PREPARE_ALL(16)
        FOLD_VECTOR(VALUES(0))
    }
#endif
    const int rest = (int)(COLS - c);
    if (rest > 0) {
#define INSIDE(k) (k) < rest
        const int whole = (int)(PADDED - c);
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
