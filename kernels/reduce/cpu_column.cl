// reduce/cpu_column.cl: fold the columns of a ROWS x COLS view on a CPU driver, rows in vectors
//
//     y[r] = EPILOGUE(r, fold over c of LOAD(r, c))
//
// hooks   LOAD(r, c)   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see reduce/any_monoid.cl
// macros  VEC    rows an item, a power of two, 8..128
//         SPLIT  1: a row is cut into parts of SPAN columns, folded again by reduce/any_finish.cl
// sizes   ROWS, COLS, SPAN
// launch  reduce_column  global {ROWS / VEC, parts}  local {1, 1}
// for     rows that are neighbours in memory (a sum over the first axis), and short rows

// n is VEC itself but for the last item: only then do the states stay in registers.
#define FOLD_ROWS(n) \
    for (IDX c = from; c < to;) { \
        const IDX end = RUN_END(c, to, 1); \
        for (; c < end; c++) { \
            for (int k = 0; k < (n); k++) v[k] = (VAL)LOAD(r + k, c); \
            for (int k = 0; k < (n); k++) ADD(s, k, v[k], c); \
        } \
        if (c < to) \
            for (int k = 0; k < (n); k++) CARRY(t, k, s, k); \
    }

BODY void fold_columns(const IDX item, const IDX part, PARAMS) {
    const IDX r = item * VEC;
    const IDX from = part * SPAN, to = min(from + SPAN, COLS);
    WIDE_VECTORS
    const int n = (int)min((IDX)VEC, ROWS - r);
    STATES(s, VEC);
    VAL v[VEC];
    TOTALS(t, VEC);
    for (int k = 0; k < VEC; k++) {
        CLEAR(s, k);
        START(t, k);
    }
    if (n == VEC) {
        FOLD_ROWS(VEC)
    } else {
        FOLD_ROWS(n)
    }
    if (to - from > RUN_END(0, to - from, 1))
        for (int k = 0; k < VEC; k++) SETTLE(s, k, t, k);
    for (int k = 0; k < n; k++) EMIT(r + k, part, s, k);
}

kernel void reduce_column(PARAMS) {
    fold_columns(get_global_id(0), get_global_id(1), ARGS);
}
