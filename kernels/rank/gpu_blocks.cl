// rank/gpu_blocks.cl: sort long rows by digits of their keys, from the last on, on a GPU
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl
// macros  those of rank/any_keys.cl     WG  work-items of a group     HELD  items of a work-item
//         MATCH  how a block sorts its items by their digits. 0: bit by bit, with HELD at most 15. 1: the 32 lanes of
//         a warp find whose digits match, with WG a multiple of 32
//         PTX  1: work-items run in warps of 32, which compare by match.any (PTX 6.0). 0: the same through local
//         memory, slowly, for tests of the rest
// sizes   LENGTH  of a row    KEEP  of a row that are wanted
//         BLOCKS of WG * HELD items of a row      COUNT  items to sort, the first of a row
//         PASS  the number of this pass    PASSES  all of them    SHIFT  where its digit of 8 bits begins, in the
//         key, or FROM_POSITION 1 in the position
// launch  blocks_count  global {WG * BLOCKS, rows}  local {WG, 1}   how often each block has each digit
//         blocks_move   the same                                    items to their places
//         blocks_emit   the same                                    results
//         between the first two, scan/gpu_group.cl sums COUNTS
// scratch A, B  rows of LENGTH items; POS_A, POS_B  their positions where PAIRS
//         COUNTS  [rows, 256, BLOCKS]      TURN  [rows, PASSES + 1]  1: the items are in B
// note    a block sorts its items by the digit in local memory, so that neighbours are stored by neighbours. Stable;
//         the counts of a digit do not depend on the order in which they are taken
// source  Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs (2009); Adinets and
//         Merrill, Onesweep (2022): ranks by matching

#define BUCKETS 256
#define COPIES 8 // of a block's counts, so that fewer items meet at one
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

// k and p take the items at AT(0) to AT(HELD - 1) of a block, all of them at once where the block is full.
#define FETCH_ALL(k, p, AT) \
    if (n == HOLDS) { \
        _Pragma("unroll") \
        for (int i = 0; i < HELD; i++) { FETCH(k[i], p[i], from + AT(i)) } \
    } else { \
        _Pragma("unroll") \
        for (int i = 0; i < HELD; i++) { \
            k[i] = 0; \
            if (AT(i) < n) { FETCH(k[i], p[i], from + AT(i)) } \
        } \
    }
#define APART(i) ((i) * WG + me)

kernel void blocks_count(PARAMS) {
    __local uint c[COPIES * (BUCKETS + 1)];
    const int me = (int)get_local_id(0), in_b = PASS == 0 ? 0 : IN_B;
    const IDX from = BLOCK * HOLDS;
    const int n = (int)max(min((IDX)HOLDS, COUNT - from), (IDX)0);
    ulong k[HELD];
    uint p[HELD] = {0};
    (void)p;
    FETCH_ALL(k, p, APART)
    for (int i = me; i < COPIES * (BUCKETS + 1); i += WG) c[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *const mine = c + (me & (COPIES - 1)) * (BUCKETS + 1);
    _Pragma("unroll")
    for (int i = 0; i < HELD; i++)
        if (APART(i) < n) atomic_inc(mine + DIGIT_OF(k[i], p[i]));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = me; d < BUCKETS; d += WG) {
        uint sum = 0;
        for (int i = 0; i < COPIES; i++) sum += c[i * (BUCKETS + 1) + d];
        COUNTS[(ROW * BUCKETS + d) * BLOCKS + BLOCK] = sum;
    }
}

// Whether anything moves in this pass: not where all items have one digit. All items agree.
#define BEGIN_MOVE \
    const int me = (int)get_local_id(0), in_b = PASS == 0 ? 0 : IN_B; \
    const IDX from = BLOCK * HOLDS; \
    const int n = (int)max(min((IDX)HOLDS, COUNT - from), (IDX)0); \
    __global const uint *const places = COUNTS + ROW * BUCKETS * BLOCKS; \
    if (me == 0) one = 0; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    if (PASS > 0) \
        for (int d = me; d < BUCKETS; d += WG) \
            if ((d + 1 < BUCKETS ? places[(IDX)(d + 1) * BLOCKS] : (uint)COUNT) - places[(IDX)d * BLOCKS] == (uint)COUNT) one = 1; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    const int moves = !one; \
    if (BLOCK == 0 && me == 0) TURN[ROW * (PASSES + 1) + PASS + 1] = PASS == 0 ? 0 : moves ? !in_b : in_b; \
    if (!moves) return;

// Item i of the block, in order, goes to its place: where[d] is that of item 0, were it of digit d.
#if PAIRS
#define MOVE(i, k, p) { \
    const IDX at_ = ROW * LENGTH + (IDX)(where[DIGIT_OF(k, p)] + (uint)(i)); \
    (to_b ? B : A)[at_] = (k); \
    (to_b ? POS_B : POS_A)[at_] = (p); \
}
#else
#define MOVE(i, k, p) (to_b ? B : A)[ROW * LENGTH + (IDX)(where[DIGIT_OF(k, p)] + (uint)(i))] = (k);
#endif

#if MATCH
// A warp has HELD times 32 neighbours of the block, and counts of its own. Of those lanes whose digits match, the first
// adds all of them to the count, and each comes behind those before it.
#define WARPS (WG / 32)
#define OF_WARP(i) (me / 32 * HELD * 32 + (i) * 32 + me % 32)

#if PTX
#define MATCH_ANY(same, d) __asm__ volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(d) : "memory")
#define WARP_BARRIER __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#define UNROLLED _Pragma("unroll")
#else
#define MATCH_ANY(same, d) { \
    digits[me] = (d); \
    barrier(CLK_LOCAL_MEM_FENCE); \
    same = 0; \
    for (int l_ = 0; l_ < 32; l_++) same |= (uint)(digits[me / 32 * 32 + l_] == (d)) << l_; \
    barrier(CLK_LOCAL_MEM_FENCE); \
}
#define WARP_BARRIER barrier(CLK_LOCAL_MEM_FENCE);
#define UNROLLED
#endif

kernel void blocks_move(PARAMS) {
    __local ulong keys[HOLDS];
#if PAIRS
    __local uint pos[HOLDS];
#endif
    __local ushort c[WARPS * (BUCKETS + 2)]; // of each warp and digit; one more for what is not there
    __local uint shared[2 * WG], where[BUCKETS];
    __local int one;
#if !PTX
    __local int digits[WG];
#endif
    BEGIN_MOVE
    ulong own[HELD];
    uint own_pos[HELD] = {0};
    (void)own_pos;
    FETCH_ALL(own, own_pos, OF_WARP)
    for (int i = me; i < WARPS * (BUCKETS + 2); i += WG) c[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile __local ushort *const of_warp = c + me / 32 * (BUCKETS + 2);
    ushort rank[HELD];
    const uint below = (1u << me % 32) - 1;
    UNROLLED
    for (int i = 0; i < HELD; i++) {
        const int d = OF_WARP(i) < n ? DIGIT_OF(own[i], own_pos[i]) : BUCKETS;
        uint same;
        MATCH_ANY(same, d);
        const uint before = of_warp[d];
        rank[i] = (ushort)(before + popcount(same & below));
        WARP_BARRIER
        if ((same & below) == 0) of_warp[d] = (ushort)(before + popcount(same));
        WARP_BARRIER
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Counts become places in the block: smaller digits come first, then warps before.
    uint sum = 0, total;
    for (int d = me * (BUCKETS / WG); d < (me + 1) * (BUCKETS / WG); d++)
        for (int w = 0; w < WARPS; w++) sum += c[w * (BUCKETS + 2) + d];
    uint at = scan_group(sum, shared, &total);
    for (int d = me * (BUCKETS / WG); d < (me + 1) * (BUCKETS / WG); d++) {
        where[d] = places[(IDX)d * BLOCKS + BLOCK] - at;
        for (int w = 0; w < WARPS; w++) {
            const ushort count = c[w * (BUCKETS + 2) + d];
            c[w * (BUCKETS + 2) + d] = (ushort)at;
            at += count;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    _Pragma("unroll")
    for (int i = 0; i < HELD; i++) {
        if (OF_WARP(i) >= n) continue;
        const int to = of_warp[DIGIT_OF(own[i], own_pos[i])] + rank[i];
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
        MOVE(i, k, p)
#else
        MOVE(i, k, 0)
#endif
    }
}
#else
// The digit is sorted in two halves of 4 bits. A work-item counts its items by a number in a register, of 4 bits for
// each half digit; then the counts of all, in the order of half digits and items, become places. Local memory has
// a gap behind the items of each, so that neighbours meet different banks.
#define HALVES 16
#define SPOT(i) ((i) + (i) / HELD)
// What is not there comes last.
#define HALF_OF(k, p, i) ((i) < n ? DIGIT_OF(k, p) >> low & (HALVES - 1) : HALVES - 1)

kernel void blocks_move(PARAMS) {
    __local ulong keys[HOLDS + WG];
#if PAIRS
    __local uint pos[HOLDS + WG];
#endif
    __local ushort16 counts[WG]; // of each half digit and work-item
    __local uint shared[2 * WG], where[BUCKETS];
    __local int one;
    __local ushort *const c = (__local ushort *)counts;
    BEGIN_MOVE
    ulong own[HELD];
    uint own_pos[HELD] = {0};
    (void)own_pos;
    FETCH_ALL(own, own_pos, APART)
    _Pragma("unroll")
    for (int i = 0; i < HELD; i++) {
        keys[SPOT(APART(i))] = own[i];
#if PAIRS
        pos[SPOT(APART(i))] = own_pos[i];
#endif
    }
    for (int low = 0; low < 8; low += 4) {
        barrier(CLK_LOCAL_MEM_FENCE);
        ulong seen = 0, before_own = 0;
        _Pragma("unroll")
        for (int i = 0; i < HELD; i++) {
            own[i] = keys[me * (HELD + 1) + i];
#if PAIRS
            own_pos[i] = pos[me * (HELD + 1) + i];
#endif
            const int d = HALF_OF(own[i], own_pos[i], me * HELD + i);
            before_own |= (seen >> 4 * d & 15) << 4 * i;
            seen += 1UL << 4 * d;
        }
        _Pragma("unroll")
        for (int d = 0; d < HALVES; d++) c[d * WG + me] = (ushort)(seen >> 4 * d & 15);
        barrier(CLK_LOCAL_MEM_FENCE);
        ushort v[HALVES];
        uint sum = 0, total;
        vstore16(counts[me], 0, v);
        _Pragma("unroll")
        for (int i = 0; i < HALVES; i++) {
            const ushort own_count = v[i];
            v[i] = (ushort)sum;
            sum += own_count;
        }
        const uint before = scan_group(sum, shared, &total);
        counts[me] = vload16(0, v) + (ushort)before;
        barrier(CLK_LOCAL_MEM_FENCE);
        _Pragma("unroll")
        for (int i = 0; i < HELD; i++) {
            const int to = c[HALF_OF(own[i], own_pos[i], me * HELD + i) * WG + me] + (int)(before_own >> 4 * i & 15);
            keys[SPOT(to)] = own[i];
#if PAIRS
            pos[SPOT(to)] = own_pos[i];
#endif
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    _Pragma("unroll")
    for (int i = 0; i < HELD; i++) {
        const int at = APART(i);
        own[i] = keys[SPOT(at)];
#if PAIRS
        own_pos[i] = pos[SPOT(at)];
#endif
        if (at >= n) continue;
        const int d = DIGIT_OF(own[i], own_pos[i]);
#if PAIRS
        if (at == 0 || DIGIT_OF(keys[SPOT(at - 1)], pos[SPOT(at - 1)]) != d)
#else
        if (at == 0 || DIGIT_OF(keys[SPOT(at - 1)], 0) != d)
#endif
            where[d] = places[(IDX)d * BLOCKS + BLOCK] - (uint)at;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int to_b = PASS > 0 && !in_b;
    _Pragma("unroll")
    for (int i = 0; i < HELD; i++)
        if (APART(i) < n) MOVE(APART(i), own[i], own_pos[i])
}
#endif

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
