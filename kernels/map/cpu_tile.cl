// map/cpu_tile.cl: one value for every point of an OUTER x ROWS x COLS view on a CPU driver, where
// neighbouring rows, and not neighbouring columns, read neighbouring memory: a transpose.
//
//     y[PLACE(o, r) + c] = VALUE(o, r, c)
//
// hooks   VALUE(o, r, c)  the fused expression    PLACE(o, r)  STORE(i, v)  ELEMENT(i)  as in map/cpu_tile_store.cl
// macros  OUT  VT  VL  DIRECT  NARROW  as in map/cpu_tile_store.cl
//         PLAIN   1: the values have VALUES(o, r, c), those of r .. r + 15
//         STREAMED  1: of a DIRECT that no cache holds: whole lines of it, wherever they begin, are
//                   stored past the caches: tiles as they are where rows begin with lines, else from
//                   blocks of VL x BLOCK_COLS in local memory
// sizes   OUTER, ROWS, COLS   OSPAN  of OUTER an item    RSPAN, CSPAN  rows and columns an item, multiples
//         of 16
// launch  map_tile  global {COLS / CSPAN, ROWS / RSPAN, OUTER / OSPAN}  local {1, 1, 1}
// note    a tile of 16 x 16 is computed along the rows, turned in registers, and stored along the
//         columns, so that both sides are whole vectors; the last tiles move back instead of being
//         computed one by one. Tiles of a line of rows follow each other, so that lines that are
//         read are used up, and what is stored fills lines and pages. A line of memory belongs to
//         the block that its first column is in, which computes some columns of the next one. What is
//         stored past the caches leaves them to what is read: lines two ahead of each row are asked for

#define LENGTH 128 // of the rows that are computed before they are turned

#if STREAMED
#define WIDTH (BLOCK_COLS + VL) // of a row of a block

// Stores columns [c, end) of the row y, whose values begin at from.
static inline void store_row(__global OUT *y, __local const OUT *from, const IDX c, const IDX end) {
    const IDX line = min(c + TO_LINE(y + c), end);
    IDX i = c;
    for (; i < line; i++) y[i] = from[i - c];
    for (; i + VL <= end; i += VL)
        STREAM_VECTOR(VT, (VT)*(__local const unaligned *)(from + (i - c)), y + i);
    for (; i < end; i++) y[i] = from[i - c];
}
#endif

kernel void map_tile(PARAMS) {
    const IDX c0 = (IDX)get_global_id(0) * CSPAN, c1 = min(c0 + CSPAN, COLS);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN;
#if NARROW // rows store into the next ones: an item takes a rest too that is less than a tile
    const IDX r1 = ROWS - r0 < RSPAN + VL ? ROWS : r0 + RSPAN;
    if (r0 > 0 && ROWS - r0 < VL)
        return;
#else
    const IDX r1 = min(r0 + RSPAN, ROWS);
#endif
    const IDX o0 = (IDX)get_global_id(2) * OSPAN, o1 = min(o0 + OSPAN, OUTER);
#if STREAMED
    __local VT block[WIDTH];
    __local OUT *values = (__local OUT *)block;
    // Lines of rows that do not all begin with one reach into the next block.
    const IDX more = COLS * (int)sizeof(OUT) % LINE != 0 || TO_LINE(&ELEMENT(0)) != 0 ? VL : 0;
#endif
    for (IDX o = o0; o < o1; o++) {
#if !NARROW
        if (ROWS < VL || COLS < VL) {
            for (IDX r = r0; r < r1; r++)
                for (IDX c = c0; c < c1; c++) STORE(PLACE(o, r) + c, VALUE(o, r, c));
            continue;
        }
#endif
#if STREAMED
        for (IDX i = r0; i < r1; i += VL)
            for (IDX j = c0; j < c1; j += BLOCK_COLS) {
                const IDX end = min(j + BLOCK_COLS, c1), left = min(j, COLS - VL), r = min(i, ROWS - VL);
                for (IDX h = j; h < min(end + more, COLS); h += VL) {
                    const IDX c = min(h, COLS - VL);
                    VT a[VL];
#if PLAIN
                    #pragma unroll
                    for (int k = 0; k < VL; k++) a[k] = VALUES(o, r, c + k);
#else
                    OUT t[VL * VL];
                    for (int k = 0; k < VL; k++)
                        for (int l = 0; l < VL; l++) t[k * VL + l] = VALUE(o, r + l, c + k);
                    #pragma unroll
                    for (int k = 0; k < VL; k++) a[k] = vload16(k, t);
#endif
                    transpose(a);
                    if (more == 0) {
                        #pragma unroll
                        for (int k = 0; k < VL; k++) {
                            __global OUT *y = &ELEMENT(PLACE(o, r + k) + c);
                            STREAM_VECTOR(VT, a[k], y);
                        }
                    } else {
                        #pragma unroll
                        for (int k = 0; k < VL; k++) *(__local unaligned *)(values + k * WIDTH + (c - left)) = a[k];
                    }
                }
                for (int k = (int)(i - r); more > 0 && k < VL; k++) {
                    __global OUT *y = &ELEMENT(PLACE(o, r + k));
                    const IDX c = j == 0 ? 0 : min(j + TO_LINE(y + j), COLS);
                    store_row(y, values + k * WIDTH + (c - left), c, end == COLS ? COLS : min(end + TO_LINE(y + end), COLS));
                }
            }
#elif PLAIN
        for (IDX j = c0; j < c1; j += VL)
            for (IDX i = r0; i < r1; i += VL) {
                const IDX r = min(i, ROWS - VL), c = TILE_AT(j);
                VT a[VL];
                #pragma unroll
                for (int k = 0; k < VL; k++) a[k] = VALUES(o, r, COLUMN(c, k));
                transpose(a);
                EMIT_TILE(o, r, c, a);
            }
#else
        OUT t[VL * LENGTH];
        for (IDX i = r0; i < r1; i += LENGTH) {
            const int n = (int)max(min((IDX)LENGTH, r1 - i), (IDX)VL);
            const IDX r = min(i, ROWS - n);
            for (IDX j = c0; j < c1; j += VL) {
                const IDX c = TILE_AT(j);
                for (int k = 0; k < VL; k++)
                    for (int l = 0; l < n; l++) t[k * LENGTH + l] = VALUE(o, r + l, COLUMN(c, k));
                for (int l = 0; l < n; l += VL) {
                    const int at = min(l, n - VL);
                    VT a[VL];
                    #pragma unroll
                    for (int k = 0; k < VL; k++) a[k] = vload16(0, t + k * LENGTH + at);
                    transpose(a);
                    EMIT_TILE(o, r + at, c, a);
                }
            }
        }
#endif
    }
}
