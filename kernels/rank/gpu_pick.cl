// rank/gpu_pick.cl: the first few of a row on a GPU: what can be one of them is collected and sorted
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl
// macros  those of rank/any_keys.cl, not PAIRS     WG  work-items of a group    MOST  items that are held, a power of two
//         SPLIT  1: a row is cut into parts, and rank_pick_merge chooses among what each has found
//         BY_POSITION  1: what is kept is sorted by position again
// sizes   LENGTH  of a row    KEEP  of a row that are wanted, at most MOST / 4    PARTS of SPAN elements, KEEP or more
// launch  rank_pick        global {WG * PARTS, rows}  local {WG, 1}
//         rank_pick_merge  global {WG, rows}          local {WG, 1}    where SPLIT
// scratch LISTS  [rows, PARTS, KEEP] items where SPLIT
// note    once MOST are held they are sorted, all but KEEP are dropped, and what does not come before the last of these
//         is passed over from then on: of a row in random order, nearly all. In the worst order each MOST - KEEP elements
//         are sorted. Every item is different, so which place an item got by an atomic does not show
// source  Batcher, Sorting Networks and Their Applications (1968): bitonic

#define EACH 8
#define TILE (WG * EACH)
#define FLAT 0xffffffffffffffffUL // behind all items

// held[0..n) in order, behind them items that come after all others.
INLINE void pick_sort(__local ulong *held, const int n) {
    const int me = (int)get_local_id(0);
    int most = 2;
    while (most < n) most *= 2;
    for (int i = n + me; i < most; i += WG) held[i] = FLAT;
    for (int k = 2; k <= most; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = me; i < most / 2; i += WG) {
                const int a = (i & ~(j - 1)) * 2 + (i & (j - 1)), b = a + j;
                const ulong x = held[a], y = held[b];
                if ((x > y) == ((a & k) == 0)) {
                    held[a] = y;
                    held[b] = x;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The first keep of items v that each work-item brings, all that come before *limit, together with those held.
INLINE void pick_take(const ulong *v, __local ulong *held, __local int *count, ulong *limit, const int keep) {
    const int me = (int)get_local_id(0);
    uint left = 0;
    for (int k = 0; k < EACH; k++) left |= (uint)(v[k] < *limit) << k;
    for (int n = MOST + 1; n > MOST;) { // all work-items agree
        for (int k = 0; k < EACH; k++) {
            if (!(left >> k & 1)) continue;
            const int at = atomic_inc(count);
            if (at >= MOST) continue;
            held[at] = v[k];
            left &= ~(1u << k);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        n = *count;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n < MOST) return;
        pick_sort(held, MOST);
        *limit = held[keep - 1];
        if (me == 0) *count = keep;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < EACH; k++)
            if (!(v[k] < *limit)) left &= ~(1u << k);
    }
}

// v takes the items of a tile from element b on that are this work-item's, WG apart; FLAT from end on.
#define TAKE_TILE(v, b, end, ITEM_AT) \
    for (int k = 0; k < EACH; k++) v[k] = (b) + k * WG + me < (end) ? ITEM_AT((b) + k * WG + me) : FLAT;

// The first keep of the items from begin to end lie in held, in order.
#define PICK(begin, end, ITEM_AT) \
    ulong v[EACH], next[EACH], limit = FLAT; \
    if (me == 0) count = 0; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    TAKE_TILE(next, begin, end, ITEM_AT) \
    for (IDX b = (begin); b < (end); b += TILE) { \
        for (int k = 0; k < EACH; k++) v[k] = next[k]; \
        if (b + TILE < (end)) { TAKE_TILE(next, b + TILE, end, ITEM_AT) } \
        pick_take(v, held, &count, &limit, keep); \
    } \
    pick_sort(held, count);

#if BY_POSITION
#define EMIT_ROW \
    for (int i = me; i < keep; i += WG) held[i] <<= 32; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    pick_sort(held, keep); \
    for (int i = me; i < keep; i += WG) { \
        const uint p = (uint)(held[i] >> 32); \
        VALUES(row * KEEP + i, BITS_AT(row * LENGTH + (IDX)p)); \
        POSITIONS(row * KEEP + i, p); \
    }
#else
#define EMIT_ROW \
    for (int i = me; i < keep; i += WG) RANK_EMIT(row * KEEP + i, (KEY)(held[i] >> 32), (uint)held[i], row * LENGTH);
#endif

#define ITEM_OF(i) ((ulong)rank_key(BITS_AT(row * LENGTH + (i))) << 32 | (uint)(i))
#define LISTED(i) LISTS[row * PARTS * KEEP + (i)]

kernel void rank_pick(PARAMS) {
    __local ulong held[MOST];
    __local int count;
    const int me = (int)get_local_id(0), keep = (int)KEEP;
    const IDX row = (IDX)get_global_id(1), part = (IDX)get_group_id(0);
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    PICK(from, to, ITEM_OF)
#if SPLIT
    for (int i = me; i < keep; i += WG) LISTED(part * KEEP + i) = i < count ? held[i] : FLAT;
#else
    EMIT_ROW
#endif
}

#if SPLIT
kernel void rank_pick_merge(PARAMS) {
    __local ulong held[MOST];
    __local int count;
    const int me = (int)get_local_id(0), keep = (int)KEEP;
    const IDX row = (IDX)get_global_id(1);
    PICK(0, PARTS * KEEP, LISTED)
    EMIT_ROW
}
#endif
