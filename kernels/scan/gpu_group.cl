// scan/gpu_group.cl: running sums of rows that are dense in memory, on a GPU: a work-group takes a part of a row
//
//     y[r, i] = sum over j <= i of x[r, j]
//
// hooks   TAKE(i)  element i of x    PUT(i, v)
// macros  ACC, EXACT, WG  see scan/any_sums.cl      EXCLUSIVE  1: j < i      REVERSE  1: from the end of the row on
//         SPLIT  1: scan_group_sums has summed the parts of a row, and each goes on from those before
// sizes   LENGTH    PARTS of SPAN elements of a row
// launch  scan_group_sums  global {WG * PARTS, ROWS}  local {WG, 1}    where SPLIT
//         scan_group_rows  the same
// note    neighbours are read by neighbours; an item then sums EACH elements side by side in local memory,
//         whose rows are one longer so that items meet different banks. No atomics: results repeat
// source  Blelloch, Prefix Sums and Their Applications (1990): sums of parts, then each part from its sum on

#define EACH 8
#define TILE (WG * EACH)
#if REVERSE
#define AT(r, j) (((r) + 1) * LENGTH - 1 - (j))
#else
#define AT(r, j) ((r) * LENGTH + (j))
#endif
#define SPOT(k) ((k) + (k) / EACH)

kernel void scan_group_sums(PARAMS) {
    __local ACC shared[WG];
    const int me = (int)get_local_id(0);
    const IDX part = (IDX)get_group_id(0), r = (IDX)get_global_id(1), from = part * SPAN, to = min(from + SPAN, LENGTH);
    ACC sum = 0, rest = 0;
    for (IDX b = from; b < to; b += TILE) {
        ACC own = 0, total;
        for (int k = me; k < TILE && b + k < to; k += WG) own += TAKE(AT(r, b + k));
        scan_group(own, shared, &total);
        scan_add(&sum, &rest, total);
    }
    if (me == 0) {
        SUMS[2 * (r * PARTS + part)] = sum;
        SUMS[2 * (r * PARTS + part) + 1] = rest;
    }
}

kernel void scan_group_rows(PARAMS) {
    __local ACC shared[WG], tile[SPOT(TILE)];
    const int me = (int)get_local_id(0);
    const IDX part = (IDX)get_group_id(0), r = (IDX)get_global_id(1), from = part * SPAN, to = min(from + SPAN, LENGTH);
    ACC sum = 0, rest = 0;
#if SPLIT
    for (IDX k = r * PARTS; k < r * PARTS + part; k++) {
        scan_add(&sum, &rest, SUMS[2 * k]);
        rest += SUMS[2 * k + 1];
    }
#endif
    for (IDX b = from; b < to; b += TILE) {
        for (int k = me; k < TILE; k += WG) tile[SPOT(k)] = b + k < to ? TAKE(AT(r, b + k)) : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        ACC own = 0, total;
        for (int k = 0; k < EACH; k++) own += tile[SPOT(me * EACH + k)];
        ACC run = scan_group(own, shared, &total);
        // What is before this item: taken from the item before, since run - own would round.
        shared[me] = run;
        barrier(CLK_LOCAL_MEM_FENCE);
        run = me > 0 ? shared[me - 1] : 0;
        const ACC before = sum + rest;
        for (int k = 0; k < EACH; k++) {
            const ACC v = tile[SPOT(me * EACH + k)];
#if EXCLUSIVE
            tile[SPOT(me * EACH + k)] = before + run;
            run += v;
#else
            run += v;
            tile[SPOT(me * EACH + k)] = before + run;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = me; k < TILE && b + k < to; k += WG) PUT(AT(r, b + k), tile[SPOT(k)]);
        barrier(CLK_LOCAL_MEM_FENCE);
        scan_add(&sum, &rest, total);
    }
}
