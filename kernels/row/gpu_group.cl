// row/gpu_group.cl: folds of a row in order, and what they make of it, by a work-group
//
//     acc0 = fold over c of LOAD0(c),  acc1 = fold over c of LOAD1(c, acc0),  ...
//     y[r, c] = OUT(c, acc0, acc1, ...)    or    z[r] = OUT(acc0, acc1, ...)
//
// hooks   ROW_STAGES(item), ROW_FOLDS(r), PREPARE(n, IN), EACH_OVER(DO), ROW_RESULTS(r)  as in row/cpu_block.cl
//         ROW_TREES  declares the local memory that the folds share
// macros  WG  work-items a row, a power of two, 1..256
// sizes   ROWS, COLS
// launch  row_group  global {WG * groups}  local {WG}   groups take rows in turn

#define ALL(k) 1
#define VALUES(i) const OUT##i##_T v##i = OUT##i(c);
#define STORES(i) STORE##i(r * COLS + c, v##i);

kernel void row_group(PARAMS) {
    const int lid = (int)get_local_id(0);
    ROW_TREES
    ROW_STAGES(get_group_id(0))
    for (IDX r = (IDX)get_group_id(0); r < ROWS; r += (IDX)get_num_groups(0)) {
        ROW_FOLDS(r)
#if HAS_OVER
        for (IDX c = lid; c < COLS; c += WG) {
            const int k = 0;
            PREPARE(1, ALL)
            EACH_OVER(VALUES)
            EACH_OVER(STORES)
        }
#endif
        if (lid == 0) { ROW_RESULTS(r) }
    }
}
