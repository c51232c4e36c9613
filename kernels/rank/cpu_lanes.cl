// rank/cpu_lanes.cl: sort short rows on a CPU driver, LANES of them side by side in the lanes of vectors, by a network:
// the same comparisons whatever the values.
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl
// macros  those of rank/any_keys.cl     LANES  rows side by side     MOST  items of a row at most
//         BY_POSITION  1: what is kept is sorted by position again
// sizes   ROWS, LENGTH, KEEP   RSPAN  times LANES rows an item
// launch  rank_lanes  global {ROWS / LANES / RSPAN}  local {1}   local memory MOST * LANES items
// source  Batcher's merge exchange in the form for any number of items: Knuth, The Art of Computer
//         Programming 3 (1998), section 5.2.2, algorithm M

#define LANED(t) LANED_(t, LANES)
#define LANED_(t, n) LANED__(t, n)
#define LANED__(t, n) t##n

#if PAIRS
#define SWAP_ITEMS(i, j) { \
        const LANED(ulong) a = keys[i], b = keys[j]; \
        const LANED(ulong) p = pos[i], q = pos[j]; \
        const LANED(long) turn = (a > b) | ((a == b) & (p > q)); \
        keys[i] = select(a, b, turn); \
        keys[j] = select(b, a, turn); \
        pos[i] = select(p, q, turn); \
        pos[j] = select(q, p, turn); \
    }
#else
#define SWAP_ITEMS(i, j) { \
        const LANED(ulong) a = keys[i], b = keys[j]; \
        keys[i] = min(a, b); \
        keys[j] = max(a, b); \
    }
#endif

#if PAIRS
INLINE void sort_lanes(__local LANED(ulong) *keys, __local LANED(ulong) *pos, const int n) {
#else
INLINE void sort_lanes(__local LANED(ulong) *keys, const int n) {
#endif
    int top = 1;
    while (2 * top < n) top *= 2;
    for (int p = n > 1 ? top : 0; p > 0; p /= 2) {
        int r = 0, d = p;
        for (int q = top;; q /= 2) {
            if (p == 1)
                for (int i = r; i < n - d; i += 2) SWAP_ITEMS(i, i + d)
            else
                for (int b = r; b < n - d; b += 2 * p)
                    for (int i = b; i < min(b + p, n - d); i++) SWAP_ITEMS(i, i + d)
            if (q == p) break;
            d = q - p;
            r = p;
        }
    }
}

kernel void rank_lanes(PARAMS) {
    __local LANED(ulong) keys[MOST] __attribute__((aligned(128)));
    __local ulong *const key = (__local ulong *)keys;
#if PAIRS
    __local LANED(ulong) pos[MOST] __attribute__((aligned(128)));
    __local ulong *const at = (__local ulong *)pos;
#define SORT(n) sort_lanes(keys, pos, n)
#else
#define SORT(n) sort_lanes(keys, n)
#endif
    for (IDX s = 0; s < RSPAN; s++) {
        const IDX r0 = ((IDX)get_global_id(0) * RSPAN + s) * LANES;
        if (r0 >= ROWS) return;
        const int n = (int)min((IDX)LANES, ROWS - r0);
        for (int l = 0; l < LANES; l++) {
            const IDX base = (r0 + min(l, n - 1)) * LENGTH;
            for (int i = 0; i < (int)LENGTH; i++) {
                const KEY k = rank_key(BITS_AT(base + i));
#if PAIRS
                key[i * LANES + l] = k;
                at[i * LANES + l] = (ulong)i;
#else
                key[i * LANES + l] = (ulong)k << 32 | (uint)i;
#endif
            }
        }
        SORT((int)LENGTH);
#if BY_POSITION
        for (int i = 0; i < (int)KEEP; i++) {
#if PAIRS
            keys[i] = pos[i];
#else
            keys[i] = keys[i] << 32;
#endif
        }
        SORT((int)KEEP);
#endif
        for (int l = 0; l < n; l++) {
            const IDX base = (r0 + l) * LENGTH, out = (r0 + l) * KEEP;
            for (int i = 0; i < (int)KEEP; i++) {
                const ulong e = key[i * LANES + l];
#if BY_POSITION
                const uint p = (uint)(PAIRS ? e : e >> 32);
                VALUES(out + i, BITS_AT(base + (IDX)p));
                POSITIONS(out + i, p);
#elif PAIRS
                RANK_EMIT(out + i, e, at[i * LANES + l], base);
#else
                RANK_EMIT(out + i, (KEY)(e >> 32), (uint)e, base);
#endif
            }
        }
    }
}
