// row/gpu_keep_fold.cl: one fold of a row by a work-group that keeps the row in registers. It stands before
// row/gpu_keep.cl once for every fold, each time with other macros.
//
//     fold over c of LOAD(c)
//
// hooks   FOLD_FUNCTION  its head    LOAD(c)  the value folded    PREPARE(n, IN)  computes element k of what is kept
//         and the monoid's, see reduce/any_monoid.cl
// macros  WG  work-items a row, a power of two, 1..256    KEPT  columns an item, a power of two    FEW  items that fold what all have
//         FULL  1: COLS is WG * KEPT
// sizes   COLS
// note    past the end of a row items load its last column, and fold nothing: loads without a branch are all on their way
//         before the first is waited for. Few items fold what all have, and every item what those have: two barriers.
//         What an item still reads of one row's fold is written again only after the next fold's first barrier

FOLD_FUNCTION {
    const int lid = (int)get_local_id(0);
    #pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const IDX c = FULL || k < KEPT / 2 ? lid + k * WG : min((IDX)(lid + k * WG), COLS - 1);
        PREPARE(1, ALL)
    }
    STATES(s, 2);
    CLEAR(s, 0);
    #pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const IDX c = FULL || k < KEPT / 2 ? lid + k * WG : min((IDX)(lid + k * WG), COLS - 1);
        const VAL v = (VAL)LOAD(c);
        if (FULL || k < KEPT / 2 || lid + k * WG < COLS) ADD(s, 0, v, c);
    }
    COPY(tree, lid, s, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < FEW) {
        #pragma unroll
        for (int j = 1; j < WG / FEW; j++) {
            COPY(s, 1, tree, lid + j * FEW);
            MERGE(s, 0, 1);
        }
        COPY(tree, WG + lid, s, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    COPY(s, 0, tree, WG);
    #pragma unroll
    for (int j = 1; j < FEW; j++) {
        COPY(s, 1, tree, WG + j);
        MERGE(s, 0, 1);
    }
    return RESULT(s, 0);
}
