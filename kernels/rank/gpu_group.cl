// rank/gpu_group.cl: sort short rows on a GPU: a work-group has a row in local memory
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl
// macros  those of rank/any_keys.cl     WG  work-items of a group    MOST  items, a power of two
//         BY_POSITION  1: what is kept is sorted by position again
// sizes   ROWS, LENGTH, KEEP
// launch  rank_group  global {WG * ROWS}  local {WG}
// note    behind the row stand items that come after all others. Every item is different, so the network is stable
// source  Batcher, Sorting Networks and Their Applications (1968): bitonic

#if PAIRS
#define LATER(a, b) (keys[a] > keys[b] || (keys[a] == keys[b] && pos[a] > pos[b]))
#else
#define LATER(a, b) (keys[a] > keys[b])
#endif

#define SORT_GROUP() \
    for (int k = 2; k <= MOST; k *= 2) \
        for (int j = k / 2; j > 0; j /= 2) { \
            barrier(CLK_LOCAL_MEM_FENCE); \
            for (int i = me; i < MOST / 2; i += WG) { \
                const int a = (i & ~(j - 1)) * 2 + (i & (j - 1)), b = a + j; \
                if (LATER(a, b) == ((a & k) == 0)) { \
                    const ulong e = keys[a]; \
                    keys[a] = keys[b]; \
                    keys[b] = e; \
                    SWAP_POSITIONS \
                } \
            } \
        } \
    barrier(CLK_LOCAL_MEM_FENCE);

kernel void rank_group(PARAMS) {
    __local ulong keys[MOST];
#if PAIRS
    __local uint pos[MOST];
#define SWAP_POSITIONS const uint p = pos[a]; pos[a] = pos[b]; pos[b] = p;
#else
#define SWAP_POSITIONS
#endif
    const int me = (int)get_local_id(0);
    const IDX r = (IDX)get_group_id(0), base = r * LENGTH, out = r * KEEP;
    for (int i = me; i < MOST; i += WG) {
        const int there = i < (int)LENGTH;
#if PAIRS
        keys[i] = there ? rank_key(BITS_AT(base + i)) : ULONG_MAX;
        pos[i] = there ? (uint)i : UINT_MAX;
#else
        keys[i] = there ? (ulong)rank_key(BITS_AT(base + i)) << 32 | (uint)i : ULONG_MAX;
#endif
    }
    SORT_GROUP()
#if BY_POSITION
    for (int i = me; i < MOST; i += WG) {
#if PAIRS
        keys[i] = i < (int)KEEP ? pos[i] : ULONG_MAX;
#else
        keys[i] = i < (int)KEEP ? keys[i] << 32 : ULONG_MAX;
#endif
    }
    SORT_GROUP()
#endif
    for (int i = me; i < (int)KEEP; i += WG) {
        const ulong e = keys[i];
#if BY_POSITION
        const uint p = (uint)(PAIRS ? e : e >> 32);
        VALUES(out + i, BITS_AT(base + (IDX)p));
        POSITIONS(out + i, p);
#elif PAIRS
        RANK_EMIT(out + i, e, pos[i], base);
#else
        RANK_EMIT(out + i, (KEY)(e >> 32), (uint)e, base);
#endif
    }
}
