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
// note    neighbours are read by neighbours, and the elements of the next tile while this one is summed; an item
//         then sums EACH elements side by side in local memory, whose rows are one longer so that items meet different
//         banks. No atomics and no group waits for another: results repeat
// source  Blelloch, Prefix Sums and Their Applications (1990): sums of parts, then each part from its sum on

#define EACH 8
#define TILE (WG * EACH)
#if REVERSE
#define AT(r, j) (((r) + 1) * LENGTH - 1 - (j))
#else
#define AT(r, j) ((r) * LENGTH + (j))
#endif
#define SPOT(k) ((k) + (k) / EACH)

// The sum of all items' *sum and *rest, for all.
INLINE void scan_whole(ACC *sum, ACC *rest, __local ACC *sums, __local ACC *rests) {
    const int me = (int)get_local_id(0);
    sums[me] = *sum;
    rests[me] = *rest;
    for (int d = WG / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < d) {
            scan_add(sum, rest, sums[me + d]);
            *rest += rests[me + d];
            sums[me] = *sum;
            rests[me] = *rest;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *sum = sums[0];
    *rest = rests[0];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// v takes the elements of a tile from step b on that are this item's, WG apart; zeros from to on.
#define TAKE_TILE(v, b) \
    if ((b) + TILE <= to) { \
        for (int k = 0; k < EACH; k++) v[k] = TAKE(AT(r, (b) + k * WG + me)); \
    } else { \
        for (int k = 0; k < EACH; k++) v[k] = (b) + k * WG + me < to ? TAKE(AT(r, (b) + k * WG + me)) : 0; \
    }

kernel void scan_group_sums(PARAMS) {
    __local ACC shared[2 * WG];
    const int me = (int)get_local_id(0);
    const IDX part = (IDX)get_group_id(0), r = (IDX)get_global_id(1), from = part * SPAN, to = min(from + SPAN, LENGTH);
    ACC sum = 0, rest = 0, v[EACH];
    for (IDX b = from; b < to; b += TILE) {
        TAKE_TILE(v, b)
        for (int d = EACH / 2; d > 0; d /= 2)
            for (int k = 0; k < d; k++) v[k] += v[k + d];
        scan_add(&sum, &rest, v[0]);
    }
    scan_whole(&sum, &rest, shared, shared + WG);
    if (me == 0) {
        SUMS[2 * (r * PARTS + part)] = sum;
        SUMS[2 * (r * PARTS + part) + 1] = rest;
    }
}

kernel void scan_group_rows(PARAMS) {
    __local ACC shared[2 * WG], tile[SPOT(TILE)];
    const int me = (int)get_local_id(0);
    const IDX part = (IDX)get_group_id(0), r = (IDX)get_global_id(1), from = part * SPAN, to = min(from + SPAN, LENGTH);
    ACC sum = 0, rest = 0, v[EACH];
    if (from < to) {
        TAKE_TILE(v, from)
    }
#if SPLIT
    for (IDX k = r * PARTS + me; k < r * PARTS + part; k += WG) {
        scan_add(&sum, &rest, SUMS[2 * k]);
        rest += SUMS[2 * k + 1];
    }
    scan_whole(&sum, &rest, shared, shared + WG);
#endif
    for (IDX b = from; b < to; b += TILE) {
        for (int k = 0; k < EACH; k++) tile[SPOT(k * WG + me)] = v[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (b + TILE < to) {
            TAKE_TILE(v, b + TILE)
        }
        ACC own = 0, total;
        for (int k = 0; k < EACH; k++) own += tile[SPOT(me * EACH + k)];
        ACC run = scan_group(own, shared, &total);
        const ACC before = sum + rest;
        for (int k = 0; k < EACH; k++) {
            const ACC x = tile[SPOT(me * EACH + k)];
#if EXCLUSIVE
            tile[SPOT(me * EACH + k)] = before + run;
            run += x;
#else
            run += x;
            tile[SPOT(me * EACH + k)] = before + run;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (b + TILE <= to) {
            for (int k = 0; k < EACH; k++) PUT(AT(r, b + k * WG + me), tile[SPOT(k * WG + me)]);
        } else {
            for (int k = me; k < TILE && b + k < to; k += WG) PUT(AT(r, b + k), tile[SPOT(k)]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        scan_add(&sum, &rest, total);
    }
}
