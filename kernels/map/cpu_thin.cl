// map/cpu_thin.cl: one value for every point of an OUTER x ROWS x THIN view on a CPU driver, where THIN is
// the extent of an axis that is the last one of the output or of the input: channels of an image that
// are put side by side or taken apart.
//
//     y[PLACE(o, r, c)] = VALUE(o, r, c)
//
// hooks   VALUE(o, r, c)  the fused expression    PLACE(o, r, c)  where it belongs    STORE(i, v)
// macros  THIN  2 to 8    OUT  register type of VALUE    LANES  elements in a vector
// sizes   OUTER, ROWS   RSPAN  rows an item
// launch  map_thin  global {ROWS / RSPAN, OUTER}  local {1, 1}
// note    the points of a row are written out, so that they are neighbours that the compiler sees: it
//         makes whole vectors of the rows, and shuffles, where it would gather or scatter elements

kernel void map_thin(PARAMS) {
    const IDX r0 = (IDX)get_global_id(0) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const IDX o = (IDX)get_global_id(1);
    WIDE_VECTORS
    WIDE_BY(LANES) for (IDX r = r0; r < r1; r++) {
        OUT v[THIN];
        #pragma unroll
        for (int c = 0; c < THIN; c++) v[c] = VALUE(o, r, c);
        #pragma unroll
        for (int c = 0; c < THIN; c++) STORE(PLACE(o, r, c), v[c]);
    }
}
