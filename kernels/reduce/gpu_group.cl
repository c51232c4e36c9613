// reduce/gpu_group.cl: fold the columns of a ROWS x COLS view, one work-group a row
//
//     y[r] = EPILOGUE(r, fold over c of LOAD(r, c))
//
// hooks   LOAD(r, c)   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see reduce/any_monoid.cl
//         EACH_OUT(DO)  where THROUGH: DO(i) for every output over all columns: OUT##i(r, c), of type OUT##i##_T,
//                       goes to element r * COLS + c by STORE##i(at, v)
// macros  WG     work-items a row, a power of two, 1..256
//         SPLIT  1: a row is cut into parts of SPAN columns, folded again by reduce/any_finish.cl
//         THROUGH  1: the pass writes outputs, which may lie where inputs do
// sizes   ROWS, COLS, SPAN
// launch  reduce_group  global {WG * ROWS, parts}  local {WG, 1}  local memory WG states
// source  Harris, Optimizing Parallel Reduction (2007), with the tree order fixed

#if THROUGH
#define VALUE_OF(i) const OUT##i##_T v##i = OUT##i(r, c);
#define STORE_OF(i) STORE##i(r * COLS + c, v##i);
#define WRITE { EACH_OUT(VALUE_OF) EACH_OUT(STORE_OF) }
#else
#define WRITE
#endif

kernel void reduce_group(PARAMS) {
    const IDX r = (IDX)get_group_id(0), part = (IDX)get_global_id(1);
    const int lid = (int)get_local_id(0);
    const IDX from = part * SPAN, to = min(from + SPAN, COLS);
    STATES(s, 1);
    CLEAR(s, 0);
    TOTALS(t, 1);
    START(t, 0);
    for (IDX c = from + lid; c < to;) {
        const IDX end = RUN_END(c, to, WG);
        for (; c < end; c += WG) {
            const VAL v = (VAL)LOAD(r, c);
            WRITE
            ADD(s, 0, v, c);
        }
        if (c < to) CARRY(t, 0, s, 0);
    }
    SETTLE(s, 0, t, 0);
    LOCAL_STATES(tree, WG);
    COPY(tree, lid, s, 0);
    for (int w = WG / 2; w > 0; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < w) MERGE(tree, lid, lid + w);
    }
    if (lid == 0) EMIT(r, part, tree, 0);
}
