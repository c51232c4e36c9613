// row/gpu_fold.cl: one fold of a row by a work-group. It stands before row/gpu_group.cl once
// for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION, LOAD(c), PREPARE(n, IN)  as in row/cpu_fold.cl    and the monoid's, see reduce/any_monoid.cl
// macros  WG  work-items a row, a power of two, 1..256
// sizes   COLS
// note    an item stages the columns that it folds, so no other item waits for it; the result is
//         given to every item
// source  Harris, Optimizing Parallel Reduction (2007), with the tree order fixed

#define ALL(k) 1

FOLD_FUNCTION {
    const int lid = (int)get_local_id(0);
    STATES(s, 1);
    CLEAR(s, 0);
    TOTALS(t, 1);
    START(t, 0);
    for (IDX c = lid; c < COLS;) {
        const IDX end = RUN_END(c, COLS, WG);
        for (; c < end; c += WG) {
            const int k = 0;
            PREPARE(1, ALL)
            const VAL v = (VAL)LOAD(c);
            ADD(s, k, v, c);
        }
        if (c < COLS) CARRY(t, 0, s, 0);
    }
    SETTLE(s, 0, t, 0);
    COPY(tree, lid, s, 0);
    for (int w = WG / 2; w > 0; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < w) MERGE(tree, lid, lid + w);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const OUT_ACC result = RESULT(tree, 0);
    barrier(CLK_LOCAL_MEM_FENCE); // before another fold takes the tree
    return result;
}
