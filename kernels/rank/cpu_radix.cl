// rank/cpu_radix.cl: sort long rows by digits of their keys, from the last on, on a CPU driver
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl
// macros  those of rank/any_keys.cl     DIGIT  bits of a digit      BUCKETS  2^DIGIT
//         BUFFERED  1: what goes to one bucket is gathered to a line of memory, which is stored whole
//         STREAMED  1: past the caches
// sizes   LENGTH  of a row    STRIDE  the same in whole lines     KEEP  of a row that are wanted
//         PARTS of SPAN items of a row      COUNT  items to sort, the first of a row
//         PASS  the number of this pass     SHIFT  where its digit begins, in the key, or FROM_POSITION 1 in the position
// launch  radix_count_first, radix_count  global {PARTS, rows}  local {1, 1}   how often each part has each digit
//         radix_move_first, radix_move    the same                             items to their places
//         radix_emit                      the same                             results
// scratch A, B  rows of STRIDE items; POS_A, POS_B  their positions where PAIRS
//         COUNTS  BUCKETS of every part and row     TURN  [rows, passes + 1]  1: the items are in B
// note    a place depends on digits of lower places, parts before, and items before in the part: the sort is
//         stable and repeats. Where one digit has all items there is nothing to move. The first pass makes the
//         keys, and always moves
// source  Knuth, The Art of Computer Programming 3 (1998), section 5.2.5; Wassenberg and Sanders, Engineering a
//         Multi-core Radix Sort (2011), for lines that are stored past the caches

#define ROW ((IDX)get_global_id(1))
#define PART ((IDX)get_global_id(0))
#define FROM min(PART * SPAN, COUNT)
#define TO min(PART * SPAN + SPAN, COUNT)
#define IN_B TURN[ROW * (PASSES + 1) + PASS]
#define LINE_ITEMS 8

#if PAIRS
#define DIGIT_OF(k, p) ((int)((FROM_POSITION ? (ulong)(p) : (k)) >> SHIFT) & (BUCKETS - 1))
#else
#define DIGIT_OF(e) ((int)((e) >> SHIFT) & (BUCKETS - 1))
#define KEYED(k, p) ((ulong)(k) << 32 | (uint)(p))
#endif

// Four counts side by side: the next of the same digit need not wait for the store of the one before.
#define COUNT_DIGITS(DIGIT_AT) \
    __local uint c[4 * BUCKETS]; \
    for (int d = 0; d < 4 * BUCKETS; d++) c[d] = 0; \
    IDX i = FROM; \
    const IDX end = TO; \
    for (; i + 3 < end; i += 4) { \
        c[DIGIT_AT(i)]++; \
        c[DIGIT_AT(i + 1) + BUCKETS]++; \
        c[DIGIT_AT(i + 2) + 2 * BUCKETS]++; \
        c[DIGIT_AT(i + 3) + 3 * BUCKETS]++; \
    } \
    for (; i < end; i++) c[DIGIT_AT(i)]++; \
    __global uint *to = COUNTS + (ROW * PARTS + PART) * BUCKETS; \
    WIDE for (int d = 0; d < BUCKETS; d++) to[d] = c[d] + c[d + BUCKETS] + c[d + 2 * BUCKETS] + c[d + 3 * BUCKETS];

kernel void radix_count_first(PARAMS) {
    const IDX base = ROW * LENGTH;
#define FIRST_DIGIT(i) ((int)rank_key(BITS_AT(base + (i))) & (BUCKETS - 1))
    COUNT_DIGITS(FIRST_DIGIT)
}

kernel void radix_count(PARAMS) {
    __global const ulong *const items = (IN_B ? B : A) + ROW * STRIDE;
#if PAIRS
    __global const uint *const pos = (IN_B ? POS_B : POS_A) + ROW * STRIDE;
#define ITEM_DIGIT(i) DIGIT_OF(items[i], pos[i])
#else
#define ITEM_DIGIT(i) DIGIT_OF(items[i])
#endif
    COUNT_DIGITS(ITEM_DIGIT)
}

// Where the items of this part begin in each bucket; 0 where one bucket has them all.
#define PLACES(at) \
    int moves = 1; \
    { \
        for (int d = 0; d < BUCKETS; d++) at[d] = total[d] = 0; \
        __global const uint *c = COUNTS + ROW * PARTS * BUCKETS; \
        for (IDX p = 0; p < PARTS; p++, c += BUCKETS) { \
            const uint mine = p < PART; \
            WIDE for (int d = 0; d < BUCKETS; d++) { \
                at[d] += mine * c[d]; \
                total[d] += c[d]; \
            } \
        } \
        uint before = 0; \
        for (int d = 0; d < BUCKETS; d++) { \
            if (total[d] == (uint)COUNT) moves = 0; \
            at[d] += before; \
            before += total[d]; \
        } \
    }

#if BUFFERED
// A bucket's items wait in a line of their own, each where it will lie in the line of memory. A line that is
// full, or that this part does not own from its beginning, is stored.
#define BUFFERS \
    __local ulong lines[BUCKETS * LINE_ITEMS] LINES; \
    __local uint first[BUCKETS]; \
    for (int d = 0; d < BUCKETS; d++) first[d] = at[d];
#if STREAMED
#define WHOLE(p, from) STREAM(*(__local const ulong8 *)(from), (__global ulong8 *)(p))
#else
#define WHOLE(p, from) (*(__global ulong8 *)(p) = *(__local const ulong8 *)(from))
#endif
#define PUT_ITEM(d, e, p) { \
        const uint o = at[d]++; \
        lines[(d) * LINE_ITEMS + (o & (LINE_ITEMS - 1))] = e; \
        PUT_POSITION(o, p); \
        if ((o & (LINE_ITEMS - 1)) == LINE_ITEMS - 1) { \
            if (o - (LINE_ITEMS - 1) >= first[d]) \
                WHOLE(to + o - (LINE_ITEMS - 1), lines + (d) * LINE_ITEMS); \
            else \
                for (uint k = first[d]; k <= o; k++) to[k] = lines[(d) * LINE_ITEMS + (k & (LINE_ITEMS - 1))]; \
        } \
    }
#define EMPTY_BUFFERS \
    for (int d = 0; d < BUCKETS; d++) \
        for (uint k = max(first[d], at[d] & ~(uint)(LINE_ITEMS - 1)); k < at[d]; k++) \
            to[k] = lines[d * LINE_ITEMS + (k & (LINE_ITEMS - 1))];
#else
#define BUFFERS
#define PUT_ITEM(d, e, p) { const uint o = at[d]++; to[o] = e; PUT_POSITION(o, p); }
#define EMPTY_BUFFERS
#endif
#if PAIRS
#define PUT_POSITION(o, p) (to_pos[o] = (uint)(p))
#else
#define PUT_POSITION(o, p)
#endif

kernel void radix_move_first(PARAMS) {
    __local uint at[BUCKETS], total[BUCKETS];
    PLACES(at)
    if (PART == 0) TURN[ROW * (PASSES + 1) + 1] = 0;
    __global ulong *const to = A + ROW * STRIDE;
#if PAIRS
    __global uint *const to_pos = POS_A + ROW * STRIDE;
#endif
    BUFFERS
    const IDX base = ROW * LENGTH, end = TO;
    for (IDX i = FROM; i < end; i++) {
        const KEY k = rank_key(BITS_AT(base + i));
        const int d = (int)k & (BUCKETS - 1);
#if PAIRS
        PUT_ITEM(d, k, i)
#else
        PUT_ITEM(d, KEYED(k, i), i)
#endif
    }
    EMPTY_BUFFERS
}

kernel void radix_move(PARAMS) {
    __local uint at[BUCKETS], total[BUCKETS];
    const int in_b = IN_B;
    PLACES(at)
    if (PART == 0) TURN[ROW * (PASSES + 1) + PASS + 1] = moves ? !in_b : in_b;
    if (!moves) return;
    __global const ulong *const items = (in_b ? B : A) + ROW * STRIDE;
    __global ulong *const to = (in_b ? A : B) + ROW * STRIDE;
#if PAIRS
    __global const uint *const pos = (in_b ? POS_B : POS_A) + ROW * STRIDE;
    __global uint *const to_pos = (in_b ? POS_A : POS_B) + ROW * STRIDE;
#endif
    BUFFERS
    const IDX end = TO;
    for (IDX i = FROM; i < end; i++) {
        const ulong e = items[i];
#if PAIRS
        const uint p = pos[i];
        const int d = DIGIT_OF(e, p);
#else
        const uint p = 0;
        const int d = DIGIT_OF(e);
#endif
        PUT_ITEM(d, e, p)
    }
    EMPTY_BUFFERS
}

kernel void radix_emit(PARAMS) {
    const IDX base = ROW * LENGTH, out = ROW * KEEP, end = min(PART * SPAN + SPAN, KEEP);
    __global const ulong *const items = (IN_B ? B : A) + ROW * STRIDE;
#if PAIRS
    __global const uint *const pos = (IN_B ? POS_B : POS_A) + ROW * STRIDE;
#endif
    for (IDX i = PART * SPAN; i < end; i++) {
        const ulong e = items[i];
#if PAIRS
        RANK_EMIT(out + i, e, pos[i], base);
#else
        RANK_EMIT(out + i, (KEY)(e >> 32), (uint)e, base);
#endif
    }
}
