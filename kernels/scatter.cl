// scatter.cl: add updates to the rows that their keys name.
//
//     y[v, d] = INIT(v, d) + sum over n with AT(n) = v of UPDATE(n, d)
//
// hooks   AT(n)   INIT(v, d)   UPDATE(n, d)   STORE(i, v)
// macros  VAL    type of the sums    RING  type of one addition: unsigned for integers, which wrap
//         KEY    int where it holds every key, or long
//         EXACT  1: floats, and enough updates for long sums: every SUM_RUN updates of a row are carried to
//                TOTALS, compensated sums, see COMPENSATE in prelude.cl. SEEN counts them
//         DIRECT 1: y itself holds the sums; 0: SUMS does, because the output is of a half type
// sizes   ROWS, COLS, COUNT  extents of v, d, n    VSPAN, DSPAN  rows and columns an item owns
// launch  scatter_keys  global {COUNT padded}  local {WG}    AT as row numbers, -1 outside [0, ROWS)
//         scatter_add   global {COLS / DSPAN padded, ROWS / VSPAN}  local {WG, 1}
// note    a row's sum of m updates is off by (32 + 4) u times the sum of their magnitudes at most.
//         An item owns its part of the output and looks at every key: no atomics, and each sum is
//         taken in the order of n, so results repeat

kernel void scatter_keys(PARAMS) {
    const IDX n = (IDX)get_global_id(0);
    if (n >= COUNT) return;
    const KEY k = (KEY)AT(n);
    KEYS[n] = k >= 0 && k < (KEY)ROWS ? (IDX)k : -1;
}

kernel void scatter_add(PARAMS) {
    const IDX d0 = (IDX)get_global_id(0) * DSPAN, d1 = min(d0 + DSPAN, COLS);
    const IDX v0 = (IDX)get_global_id(1) * VSPAN, v1 = min(v0 + VSPAN, ROWS);
    if (d0 >= COLS) return;
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++) SUM(v * COLS + d) = (VAL)INIT(v, d);
#if EXACT
    __global IDX *const seen = SEEN + (IDX)get_global_id(0) * ROWS;
    for (IDX v = v0; v < v1; v++) seen[v] = 0;
#endif
    for (IDX n = 0; n < COUNT; n++) {
        const IDX k = KEYS[n];
        if (k < v0 || k >= v1) continue;
#if EXACT
        if (seen[k]++ % SUM_RUN == SUM_RUN - 1)
            for (IDX d = d0; d < d1; d++) {
                const IDX at = k * COLS + d;
                VAL total = seen[k] == SUM_RUN ? 0 : TOTALS[at], rest = seen[k] == SUM_RUN ? 0 : TOTALS[ROWS * COLS + at];
                COMPENSATE(VAL, total, rest, SUM(at))
                TOTALS[at] = total;
                TOTALS[ROWS * COLS + at] = rest;
                SUM(at) = 0;
            }
#endif
        for (IDX d = d0; d < d1; d++)
            SUM(k * COLS + d) = (VAL)((RING)SUM(k * COLS + d) + (RING)UPDATE(n, d));
    }
#if EXACT
    for (IDX v = v0; v < v1; v++)
        if (seen[v] >= SUM_RUN)
            for (IDX d = d0; d < d1; d++) {
                const IDX at = v * COLS + d;
                SUM(at) = (SUM(at) + TOTALS[ROWS * COLS + at]) + TOTALS[at];
            }
#endif
#if !DIRECT
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++) STORE(v * COLS + d, SUM(v * COLS + d));
#endif
}
