// scatter.cl: add updates to the rows that their keys name.
//
//     y[v, d] = INIT(v, d) + sum over n with AT(n) = v of UPDATE(n, d)
//
// hooks   AT(n)   INIT(v, d)   UPDATE(n, d)   STORE(i, v)
// macros  VAL    type of the sums    RING  type of one addition: unsigned for integers, which wrap
//         KEY    int where it holds every key, or long
//         DIRECT 1: y itself holds the sums; 0: SUMS does, because the output is of a half type
// sizes   ROWS, COLS, COUNT  extents of v, d, n    VSPAN, DSPAN  rows and columns an item owns
// launch  scatter_keys  global {COUNT padded}  local {WG}    AT as row numbers, -1 outside [0, ROWS)
//         scatter_add   global {COLS / DSPAN padded, ROWS / VSPAN}  local {WG, 1}
// note    an item owns its part of the output and looks at every key: no atomics, and each sum is
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
    for (IDX n = 0; n < COUNT; n++) {
        const IDX k = KEYS[n];
        if (k < v0 || k >= v1) continue;
        for (IDX d = d0; d < d1; d++)
            SUM(k * COLS + d) = (VAL)((RING)SUM(k * COLS + d) + (RING)UPDATE(n, d));
    }
#if !DIRECT
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++) STORE(v * COLS + d, SUM(v * COLS + d));
#endif
}
