// scatter_parts.cl: add updates to the rows that their keys name, for an output that fits in a cache.
//
//     y[v, d] = INIT(v, d) + sum over n with AT(n) = v of UPDATE(n, d)
//
// hooks   AT(n)   INIT(v, d)   UPDATE(n, d)   STORE(i, v)
// macros  VAL    type of the sums    RING  type of one addition: unsigned for integers, which wrap
//         KEY    int where it holds every key, or long
// sizes   ROWS, COLS, COUNT  extents of v, d, n    NSPAN  updates of a part    COUNT_PARTS  parts
//         VSPAN  rows an item of scatter_finish owns
// launch  scatter_parts   global {COUNT_PARTS}  local {1}    a part of the updates into sums of its own
//         scatter_finish  global {ROWS / VSPAN}  local {1}   INIT and the sums of all parts, in their order
// note    each update is looked at once; parts are fixed, so results repeat
// for     histograms, sums by class: outputs that are small beside the number of updates

kernel void scatter_parts(PARAMS) {
    const IDX part = (IDX)get_global_id(0);
    const IDX first = part * NSPAN, last = min(first + NSPAN, COUNT);
    __global VAL *const sums = PARTS + part * ROWS * COLS;
    for (IDX i = 0; i < ROWS * COLS; i++) sums[i] = 0;
    for (IDX n = first; n < last; n++) {
        const KEY k = (KEY)AT(n);
        if (k < 0 || k >= (KEY)ROWS) continue;
        for (IDX d = 0; d < COLS; d++)
            sums[(IDX)k * COLS + d] = (VAL)((RING)sums[(IDX)k * COLS + d] + (RING)UPDATE(n, d));
    }
}

kernel void scatter_finish(PARAMS) {
    const IDX v0 = (IDX)get_global_id(0) * VSPAN, v1 = min(v0 + VSPAN, ROWS);
    for (IDX v = v0; v < v1; v++)
        for (IDX d = 0; d < COLS; d++) {
            VAL sum = (VAL)INIT(v, d);
            for (IDX p = 0; p < COUNT_PARTS; p++)
                sum = (VAL)((RING)sum + (RING)PARTS[(p * ROWS + v) * COLS + d]);
            STORE(v * COLS + d, sum);
        }
}
