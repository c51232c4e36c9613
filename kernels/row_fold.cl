// row_fold.cl: one fold of a row on a CPU driver, columns in vectors. It stands before
// row_block.cl once for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION  the head of the function: row_fold<k>(r, what is known of the row, ...)
//         LOAD(c)        what is folded
//         PREPARE(n)     stages n values from column c on that this fold is the first to need
//         and the monoid's, see monoid.cl
// macros  VEC  independent states, a power of two, 8..128
// sizes   COLS
// note    values go to a small array before they are folded, as in reduce_block.cl

#define RUN(n) { \
    PREPARE(n) \
    for (int k = 0; k < n; k++) v[k] = (VAL)LOAD(c + k); \
    for (int k = 0; k < n; k++) ADD(s, k, v[k], c + k); \
}

FOLD_FUNCTION {
    STATES(s, VEC);
    VAL v[VEC];
    for (int k = 0; k < VEC; k++) CLEAR(s, k);
    IDX c = 0;
    for (; c + VEC <= COLS; c += VEC) RUN(VEC)
    const int rest = (int)(COLS - c);
    RUN(rest)
    for (int w = VEC / 2; w > 0; w /= 2)
        for (int k = 0; k < w; k++) MERGE(s, k, k + w);
    return RESULT(s, 0);
}
