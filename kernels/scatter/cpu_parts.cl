// scatter/cpu_parts.cl: fold updates into the rows that their keys name, for an output that fits in a cache
//
//     y[v, d] = INIT(v, d) + sum over n with AT(n) = v of UPDATE(n, d)
//
// hooks   AT(n)   INIT(v, d)   UPDATE(n, d)   STORE(i, v)
// macros  VAL    type of the sums: double for float32 where there are many updates, which takes no longer than
//                float, while counting the updates of each row does
//         KEY    int where it holds every key, or long
//         PUT(a, b)  what an update b makes of a, in the order of n; NONE  what it makes b of
//         EXACT  1: floats whose sums VAL does not hold exactly enough, as in scatter/any_add.cl
// sizes   ROWS, COLS, COUNT  extents of v, d, n    NSPAN  updates of a part    COUNT_PARTS  parts
//         COLUMNS  how loops over them become vectors, see lib/prelude.cl
//         VSPAN  rows an item of scatter_finish owns
// launch  scatter_parts   global {COUNT_PARTS}  local {1}    a part of the updates into sums of its own
//         scatter_finish  global {ROWS / VSPAN}  local {1}   INIT and the sums of all parts, in their order
// note    each update is looked at once; parts are fixed, so results repeat
// for     histograms, sums by class: outputs that are small beside the number of updates

#define SEEN_CARRIED 128 // as in scatter/any_add.cl

BODY void add_part(const IDX part, PARAMS) {
    WIDE_VECTORS
    const IDX first = part * NSPAN, last = min(first + NSPAN, COUNT);
    __global VAL *const sums = PARTS + part * ROWS * COLS;
    for (IDX i = 0; i < ROWS * COLS; i++) sums[i] = NONE;
#if EXACT
    __global uchar *const seen = SEEN + part * ROWS;
    __global VAL *const totals = TOTALS + part * ROWS * COLS * 2, *const rests = totals + ROWS * COLS;
    for (IDX v = 0; v < ROWS; v++) seen[v] = 0;
#endif
    for (IDX n = first; n < last; n++) {
        const KEY k = (KEY)AT(n);
        if (k < 0 || k >= (KEY)ROWS) continue;
#if EXACT
        const uchar before = seen[(IDX)k];
        const int full = (before & (SEEN_CARRIED - 1)) == 2 * SUM_RUN;
        seen[(IDX)k] = full ? SEEN_CARRIED + 1 : before + 1;
        if (full)
            for (IDX at = (IDX)k * COLS; at < ((IDX)k + 1) * COLS; at++) {
                VAL total = before < SEEN_CARRIED ? 0 : totals[at], rest = before < SEEN_CARRIED ? 0 : rests[at];
                COMPENSATE(VAL, total, rest, sums[at])
                totals[at] = total;
                rests[at] = rest;
                sums[at] = 0;
            }
#endif
        COLUMNS
        for (IDX d = 0; d < COLS; d++) {
            const VAL update = (VAL)UPDATE(n, d);
            sums[(IDX)k * COLS + d] = PUT(sums[(IDX)k * COLS + d], update);
        }
    }
#if EXACT
    for (IDX v = 0; v < ROWS; v++)
        if (seen[v] >= SEEN_CARRIED)
            for (IDX at = v * COLS; at < (v + 1) * COLS; at++) sums[at] = (sums[at] + rests[at]) + totals[at];
#endif
}

kernel void scatter_parts(PARAMS) {
    add_part(get_global_id(0), ARGS);
}

BODY void finish_rows(const IDX item, PARAMS) {
    const IDX v0 = item * VSPAN, v1 = min(v0 + VSPAN, ROWS);
    for (IDX v = v0; v < v1; v++)
        for (IDX d = 0; d < COLS; d++) {
            VAL sum = (VAL)INIT(v, d);
#if EXACT
            VAL rest = 0;
            for (IDX p = 0; p < COUNT_PARTS; p++) COMPENSATE(VAL, sum, rest, PARTS[(p * ROWS + v) * COLS + d])
            sum += rest;
#else
            for (IDX p = 0; p < COUNT_PARTS; p++) {
                const VAL part = PARTS[(p * ROWS + v) * COLS + d];
                sum = PUT(sum, part);
            }
#endif
            STORE(v * COLS + d, sum);
        }
}

kernel void scatter_finish(PARAMS) {
    finish_rows(get_global_id(0), ARGS);
}
