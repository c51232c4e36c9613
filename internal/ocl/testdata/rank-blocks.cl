// blocks 1 rows of 1048576, blocks=512 wg=256: long rows, digit by digit, block by block in local memory
// launch blocks_count global [131072 1] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=1048576 KEEP=1048576 PASS=0 PASSES=8 SHIFT=32 FROM_POSITION=0 COUNT=1048576 BLOCKS=512 PARTS=1 SPAN=8192
#define BITS uint
#define SIGN ((BITS)0x80000000U)
#define KEY uint
#define PAIRS 0
#define INF ((BITS)0x7f800000U)
#define ORDER 2
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const uint *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global uint *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define WG 256
#define HELD 8
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict A, \
    __global ulong *restrict B, \
    __global uint *restrict COUNTS, \
    __global uint *restrict TURN, \
    __global uint *restrict SUMS, \
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX PASS, \
    const IDX PASSES, \
    const IDX SHIFT, \
    const IDX FROM_POSITION, \
    const IDX COUNT, \
    const IDX BLOCKS, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

#define ACC uint
#define EXACT 0
#define EXCLUSIVE 1
#define REVERSE 0
#define SPLIT 0
#define TAKE(i) COUNTS[i]
#define PUT(i, v) COUNTS[i] = (v)
// ---- scan.cl ----
// scan.cl: what running sums are made of: a sum that carries its rounding error, and the running
// sums of 16 lanes or of a work-group.
//
// macros  ACC    type of the sums, unsigned for integers, which wrap    VT  16 of them
//         EXACT  1: rounding errors are added up beside the sum, so that its error does not grow with
//                the length. An infinity has none
//         WG     work-items of a group, a power of two, where scan_group is used
// source  Hillis and Steele, Data Parallel Algorithms (1986); Knuth, The Art of Computer Programming 2
//         (1998), section 4.2.2 (the error of an addition)

INLINE void scan_add(ACC *sum, ACC *rest, const ACC v) {
#if EXACT
    const ACC s = *sum + v, b = s - *sum, e = (*sum - (s - b)) + (v - b);
    *rest += e == e ? e : 0;
    *sum = s;
#else
    *sum += v;
#endif
}

#ifdef VT
INLINE VT scan_lanes(VT v) {
    v += (VT)(0, v.s0, v.s12, v.s3456, v.s789abcde);
    v += (VT)(0, 0, v.s01, v.s2345, v.s6789abcd);
    v += (VT)(0, 0, 0, 0, v.s0123, v.s456789ab);
    v += (VT)(0, 0, 0, 0, 0, 0, 0, 0, v.lo);
    return v;
}

typedef VT __attribute__((aligned(sizeof(ACC)))) ANYWHERE;

INLINE void scan_put(__global ACC *p, const VT v) {
#if STREAMED
    if (((size_t)p & (LINE - 1)) == 0) {
        STREAM(v, (__global VT *)p);
        return;
    }
#endif
    *(__global ANYWHERE *)p = v;
}

// Each lane takes the one before it.
INLINE VT scan_shift(const VT v) { return (VT)(0, v.s0, v.s12, v.s3456, v.s789abcde); }
#endif

#ifdef WG
// The sums of v over the items up to this one; all of them in *total.
INLINE ACC scan_group(ACC v, __local ACC *shared, ACC *total) {
    const int me = (int)get_local_id(0);
    shared[me] = v;
    for (int d = 1; d < WG; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const ACC before = me >= d ? shared[me - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        v += before;
        shared[me] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *total = shared[WG - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
}
#endif
// ---- scan_group.cl ----
// scan_group.cl: running sums of rows that are dense in memory, on a GPU: a work-group takes a part of a row.
//
//     y[r, i] = sum over j <= i of x[r, j]
//
// hooks   TAKE(i)  element i of x    PUT(i, v)
// macros  ACC, EXACT, WG  see scan.cl      EXCLUSIVE  1: j < i      REVERSE  1: from the end of the row on
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
#undef ACC
#undef EXACT
#undef EXCLUSIVE
#undef REVERSE
#undef SPLIT
#undef TAKE
#undef PUT
#undef EACH
#undef TILE
#undef AT
#undef SPOT

// ---- rank.cl ----
// rank.cl: what every way to order the values of a row has in common: their keys.
//
// hooks   BITS_AT(i)        element i of x, as BITS       VALUES(i, b), POSITIONS(i, p)  store results, or nothing
// macros  BITS         unsigned type of as many bits as the dtype, whose sign is SIGN
//         KEY          uint, or ulong where BITS is: its order is that of the values
//         ORDER        0: unsigned, 1: signed, 2: float whose infinity is INF
//         FLIP         what keys of a descending order are xored with, else 0
//         ITEM         a key and a position: ulong, the key above, or item where PAIRS
//         PAIRS        1: KEY is ulong. Keys and positions lie in planes of their own
// note    the zeros are equal, and so are all NaN, which are above all numbers: a key gives the value back
//         but for these two, and they are read where they stood
// source  Herf, Radix Tricks (2001); Terdiman, Radix Sort Revisited (2000)

#define REST ((BITS)(SIGN - 1)) // all bits below the sign

INLINE KEY rank_key(const BITS b) {
#if ORDER == 0
    return (KEY)b ^ FLIP;
#elif ORDER == 1
    return (KEY)(BITS)(b ^ SIGN) ^ FLIP;
#else
    const BITS m = b & REST;
    BITS k = (BITS)(b ^ (b & SIGN ? (BITS)~(BITS)0 : SIGN));
    k = m == 0 ? SIGN : k;
    k = m > INF ? (BITS)~(BITS)0 : k;
    return (KEY)k ^ FLIP;
#endif
}

// The bits of the value at position p of a row that begins at base.
#if ORDER == 2
INLINE BITS rank_bits(const KEY key, int *known) {
    const BITS k = (BITS)(key ^ FLIP);
    *known = k != SIGN && k != (BITS)~(BITS)0;
    return (BITS)(k ^ (k & SIGN ? SIGN : (BITS)~(BITS)0));
}
#elif ORDER == 1
INLINE BITS rank_bits(const KEY key, int *known) { *known = 1; return (BITS)(key ^ FLIP) ^ SIGN; }
#else
INLINE BITS rank_bits(const KEY key, int *known) { *known = 1; return (BITS)(key ^ FLIP); }
#endif

// Result i, which stood at position p of the row that begins at base.
#define RANK_EMIT(i, key, p, base) do { \
    int known_; \
    const BITS bits_ = rank_bits(key, &known_); \
    VALUES(i, known_ ? bits_ : BITS_AT((base) + (IDX)(p))); \
    POSITIONS(i, p); \
} while (0)
// ---- rank_blocks.cl ----
// rank_blocks.cl: sort long rows by digits of their keys, from the last on, on a GPU.
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank.cl
// macros  those of rank.cl     WG  work-items of a group     HELD  items of a work-item
// sizes   LENGTH  of a row    KEEP  of a row that are wanted
//         BLOCKS of WG * HELD items of a row      COUNT  items to sort, the first of a row
//         PASS  the number of this pass    PASSES  all of them    SHIFT  where its digit of 4 bits begins, in the
//         key, or FROM_POSITION 1 in the position
// launch  blocks_count  global {WG * BLOCKS, rows}  local {WG, 1}   how often each block has each digit
//         blocks_move   the same                                    items to their places
//         blocks_emit   the same                                    results
//         between the first two, scan_group.cl sums COUNTS
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
    __local uint shared[WG], begins[BUCKETS];
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
    uint before = scan_group(sum, shared, &total) - sum;
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
// launch scan_group_rows global [256 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_rows global [256 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_rows global [256 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_rows global [256 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_rows global [256 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_rows global [256 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_rows global [256 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_rows global [256 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_emit global [131072 1] local [256 1]
