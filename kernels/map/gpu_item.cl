// map/gpu_item.cl: one value for every point of a ROWS x COLS view, one work-item a point, stored in row-major order
//
//     y[r * COLS + c] = VALUE(r, c)
//
// hooks   VALUE(r, c)  the fused expression    STORE(i, v)
// sizes   ROWS, COLS
// launch  map_item  global {COLS padded, at most 2^15 rows}  local {WG, 1}
// note    the host chooses the view, as for map/cpu_block.cl

kernel void map_item(PARAMS) {
    const IDX c = (IDX)get_global_id(0);
    if (c >= COLS) return;
    for (IDX r = (IDX)get_global_id(1); r < ROWS; r += (IDX)get_global_size(1))
        STORE(r * COLS + c, VALUE(r, c));
}
