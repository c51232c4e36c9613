// map/gpu_item.cl: one value for every point of a ROWS x COLS view, stored in row-major order
//
//     y[r * COLS + c] = VALUE(r, c)
//
// hooks   VALUE(r, c)  the fused expression    STORE(i, v)
// macros  ITEMS  points a work-item: all are computed before any is stored, so that what they load is on its
//                way at the same time
//         DOWN   1: they are rows of a column, Y apart    0: columns of a row, X apart
//         OUT    type of VALUE
// sizes   ROWS, COLS
// launch  map_item  global {COLS / ITEMS padded, at most 2^15 rows}, where DOWN {COLS padded, ROWS / ITEMS}
//         local {X, Y}
// note    the host chooses the view, as for map/cpu_block.cl. A memory of terabytes a second and a microsecond away is
//         busy with megabytes on their way: an item's one element of 4 bytes is too little

kernel void map_item(PARAMS) {
#if ITEMS == 1
    const IDX c = (IDX)get_global_id(0);
    if (c >= COLS) return;
    for (IDX r = (IDX)get_global_id(1); r < ROWS; r += (IDX)get_global_size(1))
        STORE(r * COLS + c, VALUE(r, c));
#elif DOWN
    const int step = (int)get_local_size(1);
    const IDX c = (IDX)get_global_id(0);
    if (c >= COLS) return;
    for (IDX r = (IDX)get_group_id(1) * (ITEMS * step) + (int)get_local_id(1); r < ROWS; r += (IDX)get_global_size(1) * ITEMS) {
        if (r + (ITEMS - 1) * step < ROWS) {
            OUT v[ITEMS];
            #pragma unroll
            for (int k = 0; k < ITEMS; k++) v[k] = VALUE(r + k * step, c);
            #pragma unroll
            for (int k = 0; k < ITEMS; k++) STORE((r + k * step) * COLS + c, v[k]);
        } else {
            #pragma unroll 1
            for (IDX i = r; i < ROWS; i += step) STORE(i * COLS + c, VALUE(i, c));
        }
    }
#else
    const int step = (int)get_local_size(0);
    const IDX c = (IDX)get_group_id(0) * (ITEMS * step) + (int)get_local_id(0);
    for (IDX r = (IDX)get_global_id(1); r < ROWS; r += (IDX)get_global_size(1)) {
        if (c + (ITEMS - 1) * step < COLS) {
            OUT v[ITEMS];
            #pragma unroll
            for (int k = 0; k < ITEMS; k++) v[k] = VALUE(r, c + k * step);
            #pragma unroll
            for (int k = 0; k < ITEMS; k++) STORE(r * COLS + c + k * step, v[k]);
        } else {
            #pragma unroll 1
            for (IDX i = c; i < COLS; i += step) STORE(r * COLS + i, VALUE(r, i));
        }
    }
#endif
}
