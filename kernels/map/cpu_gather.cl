// map/cpu_gather.cl: one value for every point of a ROWS x COLS view on a CPU driver, whose rows are
// read from where indices say.
//
//     y[r * COLS + c] = VALUE(r, c)
//
// hooks   VALUE(r, c)  the fused expression    STORE(i, v)
//         FETCH_AT(r)  asks for the lines that row r begins with
// macros  OUT     register type of VALUE    AHEAD  how many rows ahead lines are asked for
//         NARROW  1: COLS is a macro, at most 16, and a row is read before any of it is stored
// sizes   ROWS, COLS   RSPAN  rows an item
// launch  map_gather  global {ROWS / RSPAN}  local {1}
// note    a processor does not guess where the next row lies, and waits for memory at each; what
//         follows rows of a few bytes in vectors is one gather for every element

kernel void map_gather(PARAMS) {
    const IDX r0 = (IDX)get_global_id(0) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    WIDE_VECTORS
    for (IDX r = r0; r < r1; r++) {
        const IDX next = min(r + AHEAD, ROWS - 1);
        FETCH_AT(next);
#if NARROW
        OUT v[COLS];
        #pragma unroll
        for (int c = 0; c < COLS; c++) v[c] = VALUE(r, c);
        #pragma unroll
        for (int c = 0; c < COLS; c++) STORE(r * COLS + c, v[c]);
#else
        for (IDX c = 0; c < COLS; c++) STORE(r * COLS + c, VALUE(r, c));
#endif
    }
}
