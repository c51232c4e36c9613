// reduce/gpu_item.cl: fold the columns of a ROWS x COLS view, one work-item a row
//
//     y[r] = EPILOGUE(r, fold over c of LOAD(r, c))
//
// hooks   LOAD(r, c)   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see reduce/any_monoid.cl
// macros  SPLIT  1: a row is cut into parts of SPAN columns, folded again by reduce/any_finish.cl
// sizes   ROWS, COLS, SPAN
// launch  reduce_item  global {ROWS padded, parts}  local {WG, 1}
// for     short rows, and rows whose columns lie far apart: neighbours read neighbours

kernel void reduce_item(PARAMS) {
    const IDX r = (IDX)get_global_id(0), part = (IDX)get_global_id(1);
    if (r >= ROWS) return;
    const IDX from = part * SPAN, to = min(from + SPAN, COLS);
    STATES(s, 1);
    CLEAR(s, 0);
    TOTALS(t, 1);
    START(t, 0);
    for (IDX c = from; c < to;) {
        const IDX end = RUN_END(c, to, 1);
        for (; c < end; c++) {
            const VAL v = (VAL)LOAD(r, c);
            ADD(s, 0, v, c);
        }
        if (c < to) CARRY(t, 0, s, 0);
    }
    SETTLE(s, 0, t, 0);
    EMIT(r, part, s, 0);
}
