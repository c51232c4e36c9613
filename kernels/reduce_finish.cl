// reduce_finish.cl: fold the parts of each row that another reduction kernel left.
//
//     y[r] = EPILOGUE(r, fold over p of PARTS[p * ROWS + r])
//
// hooks   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see monoid.cl
// macros  WG  work-items a row, a power of two, 1..256
// sizes   ROWS, COUNT  the number of parts
// launch  global {WG * ROWS}  local {WG}  local memory WG states

kernel void reduce_finish(PARAMS) {
    const IDX r = (IDX)get_group_id(0);
    const int lid = (int)get_local_id(0);
    STATES(s, 1);
    CLEAR(s, 0);
    for (IDX p = lid; p < COUNT; p += WG) MERGE_PART(s, 0, p * ROWS + r);
    LOCAL_STATES(tree, WG);
    COPY(tree, lid, s, 0);
    for (int w = WG / 2; w > 0; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < w) MERGE(tree, lid, lid + w);
    }
    if (lid == 0) STORE(r, EPILOGUE(r, RESULT(tree, 0)));
}
