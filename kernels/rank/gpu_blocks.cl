// rank/gpu_blocks.cl: sort long rows by digits of their keys, from the last on, on a GPU
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl
// macros  those of rank/any_keys.cl     WG  work-items of a group     HELD  items of a work-item
// sizes   LENGTH  of a row    KEEP  of a row that are wanted
//         BLOCKS of WG * HELD items of a row      COUNT  items to sort, the first of a row
//         PASS  the number of this pass    PASSES  all of them    SHIFT  where its digit of 4 bits begins, in the
//         key, or FROM_POSITION 1 in the position
// launch  blocks_count  global {WG * BLOCKS, rows}  local {WG, 1}   how often each block has each digit
//         blocks_move   the same                                    items to their places
//         blocks_emit   the same                                    results
//         between the first two, scan/gpu_group.cl sums COUNTS
// scratch A, B  rows of LENGTH items; POS_A, POS_B  their positions where PAIRS
//         COUNTS  [rows, 16, BLOCKS]      TURN  [rows, PASSES + 1]  1: the items are in B
// note    a block sorts its items by the digit in local memory, so that neighbours are stored by neighbours. Stable;
//         the counts of a digit do not depend on the order in which they are taken
// source  Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs (2009)

#define BUCKETS 16
#define COPIES 16 // of a block's counts, so that fewer items meet at one
#define HOLDS (WG * HELD)
#define ROW ((IDX)get_global_id(1))
#define BLOCK ((IDX)get_group_id(0))
#define IN_B TURN[ROW * (PASSES + 1) + PASS]
#if PAIRS
#define DIGIT_OF(k, p) ((int)((FROM_POSITION ? (ulong)(p) : (k)) >> SHIFT) & (BUCKETS - 1))
#else
#define DIGIT_OF(k, p) ((int)((k) >> SHIFT) & (BUCKETS - 1))
#endif

// Item i of the row, and where it stood.
#if PAIRS
#define FETCH(k, p, i) \
    if (PASS == 0) { k = rank_key(BITS_AT(ROW * LENGTH + (i))); p = (uint)(i); } \
    else { k = (in_b ? B : A)[ROW * LENGTH + (i)]; p = (in_b ? POS_B : POS_A)[ROW * LENGTH + (i)]; }
#else
#define FETCH(k, p, i) \
    if (PASS == 0) k = (ulong)rank_key(BITS_AT(ROW * LENGTH + (i))) << 32 | (uint)(i); \
    else k = (in_b ? B : A)[ROW * LENGTH + (i)];
#endif

kernel void blocks_count(PARAMS) {
    __local uint c[BUCKETS * COPIES];
    const int me = (int)get_local_id(0), in_b = PASS == 0 ? 0 : IN_B;
    for (int i = me; i < BUCKETS * COPIES; i += WG) c[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const IDX from = BLOCK * HOLDS;
    for (int i = me; i < HOLDS && from + i < COUNT; i += WG) {
        ulong k;
        uint p = 0;
        FETCH(k, p, from + i)
        (void)p;
        atomic_inc(c + DIGIT_OF(k, p) * COPIES + (me & (COPIES - 1)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = me; d < BUCKETS; d += WG) {
        uint sum = 0;
        for (int i = 0; i < COPIES; i++) sum += c[d * COPIES + i];
        COUNTS[(ROW * BUCKETS + d) * BLOCKS + BLOCK] = sum;
    }
}

kernel void blocks_move(PARAMS) {
    __local ulong keys[HOLDS];
#if PAIRS
    __local uint pos[HOLDS];
#endif
    __local ushort c[BUCKETS * WG]; // of each digit and item
    __local uint shared[2 * WG], begins[BUCKETS];
    const int me = (int)get_local_id(0), in_b = PASS == 0 ? 0 : IN_B;
    const IDX from = BLOCK * HOLDS;
    const int n = (int)min((IDX)HOLDS, COUNT - from);
    __global const uint *const places = COUNTS + ROW * BUCKETS * BLOCKS;
    int moves = 1;
    if (PASS > 0)
        for (int d = 0; d < BUCKETS; d++)
            if ((d + 1 < BUCKETS ? places[(d + 1) * BLOCKS] : (uint)COUNT) - places[d * BLOCKS] == (uint)COUNT) moves = 0;
    if (BLOCK == 0 && me == 0) TURN[ROW * (PASSES + 1) + PASS + 1] = PASS == 0 ? 0 : moves ? !in_b : in_b;
    if (!moves) return; // all items of all groups
    for (int i = me; i < n; i += WG) {
        ulong k;
        uint p = 0;
        FETCH(k, p, from + i)
        keys[i] = k;
#if PAIRS
        pos[i] = p;
#endif
    }
    for (int i = me; i < BUCKETS * WG; i += WG) c[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong own[HELD];
    uint own_pos[HELD];
    for (int i = 0; i < HELD; i++) {
        const int k = me * HELD + i;
        own[i] = 0;
        own_pos[i] = 0;
        if (k >= n) continue;
        own[i] = keys[k];
#if PAIRS
        own_pos[i] = pos[k];
#endif
        c[DIGIT_OF(own[i], own_pos[i]) * WG + me]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Items of smaller digits come first, then those of items before.
    uint sum = 0, total;
    for (int i = 0; i < BUCKETS; i++) sum += c[me * BUCKETS + i];
    uint before = scan_group(sum, shared, &total);
    for (int i = 0; i < BUCKETS; i++) {
        const uint v = c[me * BUCKETS + i];
        c[me * BUCKETS + i] = (ushort)before;
        before += v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = me; d < BUCKETS; d += WG) begins[d] = c[d * WG];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < HELD; i++) {
        if (me * HELD + i >= n) break;
        const int to = c[DIGIT_OF(own[i], own_pos[i]) * WG + me]++;
        keys[to] = own[i];
#if PAIRS
        pos[to] = own_pos[i];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int to_b = PASS > 0 && !in_b;
    for (int i = me; i < n; i += WG) {
        const ulong k = keys[i];
#if PAIRS
        const uint p = pos[i];
#else
        const uint p = 0;
#endif
        const int d = DIGIT_OF(k, p);
        const IDX at = ROW * LENGTH + (IDX)(places[d * BLOCKS + BLOCK] + (uint)i - begins[d]);
        (to_b ? B : A)[at] = k;
#if PAIRS
        (to_b ? POS_B : POS_A)[at] = p;
#endif
        (void)p;
    }
}

kernel void blocks_emit(PARAMS) {
    const int me = (int)get_local_id(0), in_b = IN_B;
    const IDX from = BLOCK * HOLDS, base = ROW * LENGTH, out = ROW * KEEP;
    for (int i = me; i < HOLDS && from + i < KEEP; i += WG) {
        const ulong e = (in_b ? B : A)[base + from + i];
#if PAIRS
        RANK_EMIT(out + from + i, e, (in_b ? POS_B : POS_A)[base + from + i], base);
#else
        RANK_EMIT(out + from + i, (KEY)(e >> 32), (uint)e, base);
#endif
    }
}
