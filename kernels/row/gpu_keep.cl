// row/gpu_keep.cl: folds of a row in order, and what they make of it, by a work-group that keeps the row in registers
//
//     acc0 = fold over c of LOAD0(c),  acc1 = fold over c of LOAD1(c, acc0),  ...
//     y[r, c] = OUT(c, acc0, acc1, ...)    or    z[r] = OUT(acc0, acc1, ...)
//
// hooks   ROW_STAGES(item)  declares what is kept    ROW_FOLDS(r), PREPARE(n, IN), EACH_OVER(DO), ROW_RESULTS(r), ROW_TREES
//         as in row/gpu_group.cl
// macros  WG  work-items a row, a power of two, 1..256    KEPT  columns an item: those WG apart
//         FEW  items that fold what all have, see row/gpu_keep_fold.cl    FULL  1: COLS is WG * KEPT
// sizes   ROWS    COLS  more than half of WG * KEPT, at most all
// launch  row_keep  global {WG * groups}  local {WG}   groups take rows in turn
// note    what more than one pass reads or computes at some cost is kept from the first: memory is read once

#define VALUES(i) const OUT##i##_T v##i = OUT##i(c);
#define STORES(i) STORE##i(r * COLS + c, v##i);

kernel void row_keep(PARAMS) {
    const int lid = (int)get_local_id(0);
    ROW_TREES
    for (IDX r = (IDX)get_group_id(0); r < ROWS; r += (IDX)get_num_groups(0)) {
        ROW_STAGES(0)
        ROW_FOLDS(r)
#if HAS_OVER
        #pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const IDX c = lid + k * WG;
            if (FULL || k < KEPT / 2 || c < COLS) {
                PREPARE(1, ALL)
                EACH_OVER(VALUES)
                EACH_OVER(STORES)
            }
        }
#endif
        if (lid == 0) { ROW_RESULTS(r) }
    }
}
