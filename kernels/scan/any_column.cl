// scan/any_column.cl: running sums along an axis that is not the last
//
//     y[o, i, n] = sum over j <= i of x[o, j, n]
//
// hooks   TAKE(i)  element i of x    PUT(i, v)
// macros  ACC, EXACT  see scan/any_sums.cl      EXCLUSIVE  1: j < i      REVERSE  1: from the end of the axis on
//         COLUMNS  of an item: many on CPU drivers, whose loop over them becomes vectors, 1 on GPUs
//         SPLIT  1: scan_column_sums has summed the parts of the axis, and each goes on from those before
// sizes   OUTER, LENGTH, INNER    PARTS of SPAN steps of the axis
// launch  scan_column_sums  global {INNER / COLUMNS padded, PARTS, OUTER}  local {WG, 1, 1}    where SPLIT
//         scan_column       the same
// note    SUM_RUN steps are summed by themselves before they are added to what came before, as in
//         scan/cpu_row.cl. Parts are fixed, so results repeat

// COLUMNS_ROOM is the length of an item's arrays. Clang 15 makes loops of vectors of 32 bytes, which an array of 16
// bytes has none of, and takes their stores for stores to something else: a sum was read before it was written.
#define COLUMNS_ROOM (COLUMNS == 1 || COLUMNS > 64 ? COLUMNS : 64)

#if REVERSE
#define AT(o, j) (((o) * LENGTH + LENGTH - 1 - (j)) * INNER)
#else
#define AT(o, j) (((o) * LENGTH + (j)) * INNER)
#endif

kernel void scan_column_sums(PARAMS) {
    WIDE_VECTORS
    const IDX c0 = (IDX)get_global_id(0) * COLUMNS, part = (IDX)get_global_id(1), o = (IDX)get_global_id(2);
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    const int n = (int)min((IDX)COLUMNS, INNER - c0);
    ACC sum[COLUMNS_ROOM], rest[COLUMNS_ROOM], own[COLUMNS_ROOM];
    for (int c = 0; c < COLUMNS; c++) sum[c] = rest[c] = 0;
    for (IDX j = from; j < to;) {
        const IDX end = j + min((IDX)SUM_RUN, to - j);
        for (int c = 0; c < COLUMNS; c++) own[c] = 0;
        for (; j < end; j++) {
            const IDX at = AT(o, j) + c0;
            WIDE for (int c = 0; c < n; c++) own[c] += TAKE(at + c);
        }
        WIDE for (int c = 0; c < n; c++) scan_add(sum + c, rest + c, own[c]);
    }
    const IDX to_sums = ((o * PARTS + part) * INNER + c0) * 2;
    for (int c = 0; c < n; c++) {
        SUMS[to_sums + 2 * c] = sum[c];
        SUMS[to_sums + 2 * c + 1] = rest[c];
    }
}

kernel void scan_column(PARAMS) {
    WIDE_VECTORS
    const IDX c0 = (IDX)get_global_id(0) * COLUMNS, part = (IDX)get_global_id(1), o = (IDX)get_global_id(2);
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    const int n = (int)min((IDX)COLUMNS, INNER - c0);
    ACC sum[COLUMNS_ROOM], rest[COLUMNS_ROOM], before[COLUMNS_ROOM], own[COLUMNS_ROOM];
    for (int c = 0; c < COLUMNS; c++) sum[c] = rest[c] = 0;
#if SPLIT
    for (IDX p = 0; p < part; p++) {
        const IDX at = ((o * PARTS + p) * INNER + c0) * 2;
        for (int c = 0; c < n; c++) {
            scan_add(sum + c, rest + c, SUMS[at + 2 * c]);
            rest[c] += SUMS[at + 2 * c + 1];
        }
    }
#endif
    for (IDX j = from; j < to;) {
        const IDX end = j + min((IDX)SUM_RUN, to - j);
        for (int c = 0; c < COLUMNS; c++) {
            before[c] = sum[c] + rest[c];
            own[c] = 0;
        }
        for (; j < end; j++) {
            const IDX at = AT(o, j) + c0;
            WIDE for (int c = 0; c < n; c++) {
                const ACC v = TAKE(at + c);
#if EXCLUSIVE
                PUT(at + c, before[c] + own[c]);
                own[c] += v;
#else
                own[c] += v;
                PUT(at + c, before[c] + own[c]);
#endif
            }
        }
        WIDE for (int c = 0; c < n; c++) scan_add(sum + c, rest + c, own[c]);
    }
}
