// map/cpu_pad.cl: a transposed copy with zeros around it, for CPU drivers: images with their channels last
//
//     y[PLACE(o, r) + c] = element AT(o, c) + r of the input where FROM <= r < TO and INSIDE(o), else 0
//
// hooks   AT(o, c)  INSIDE(o)    VALUE(o, r, c)  the same value by itself
//         PLACE(o, r)  STORE(i, v)  ELEMENT(i)  as in map/cpu_tile_store.cl
// macros  OUT  VT  VL  DIRECT  NARROW  as in map/cpu_tile_store.cl    LOAD16(i)  16 elements of the input from the i-th on
//         HAVE(x)  the truth values x for select of VT
// sizes   OUTER, ROWS, COLS  the last two at least 16, COLS less where NARROW    OSPAN  outer points an item    FROM TO
//         STEP  from column to column of the input    LEN  its elements
// launch  map_pad  global {ceil(COLS / 16), ceil(OUTER / OSPAN)}  local {1, 1}
// note    tiles of 16 x 16 are read along the rows, turned in registers and stored along the columns.
//         What lies around an image is read too and replaced, but never beyond the buffer; the
//         last tiles of a row and of a column move to the left, over what is stored already

kernel void map_pad(PARAMS) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const IDX c = TILE_AT(get_global_id(0) * VL);
    const IDX o0 = (IDX)get_global_id(1) * OSPAN, o1 = min(o0 + OSPAN, (IDX)OUTER);
    for (IDX o = o0; o < o1; o++) {
        const int inside = INSIDE(o);
        const long begin = AT(o, c);
        for (IDX tile = 0; tile < ROWS; tile += VL) {
            const IDX r = min(tile, (IDX)ROWS - VL);
            const int from = (int)clamp((IDX)FROM - r, (IDX)0, (IDX)VL), to = (int)clamp((IDX)TO - r, (IDX)0, (IDX)VL);
            VT a[VL];
            if (!inside || from >= to) {
                #pragma unroll
                for (int j = 0; j < VL; j++)
                    a[j] = (VT)(0);
            } else {
                const long first = begin + r;
                if (first >= 0 && first + (COLUMN(c, VL - 1) - c) * (long)STEP + VL <= LEN) {
                    const int16 have = (lane >= (int16)(from)) & (lane < (int16)(to));
                    #pragma unroll
                    for (int j = 0; j < VL; j++)
                        a[j] = select((VT)(0), LOAD16(first + (COLUMN(c, j) - c) * (long)STEP), HAVE(have));
                } else {
                    OUT t[VL][VL];
                    for (int j = 0; j < VL; j++)
                        for (int k = 0; k < VL; k++)
                            t[j][k] = VALUE(o, r + k, COLUMN(c, j));
                    #pragma unroll
                    for (int j = 0; j < VL; j++)
                        a[j] = vload16(0, t[j]);
                }
                transpose(a);
            }
            EMIT_TILE(o, r, c, a);
        }
    }
}
