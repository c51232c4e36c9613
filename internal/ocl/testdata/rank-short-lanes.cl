// lanes 100 rows of 100, 8 side by side: short rows, side by side in the lanes of vectors
// launch rank_lanes global [7] local [1]
// options -cl-single-precision-constant
// arguments LENGTH=100 KEEP=100 ROWS=100 RSPAN=2
#define BITS ushort
#define SIGN ((BITS)0x8000U)
#define KEY uint
#define PAIRS 0
#define ORDER 1
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const ushort *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global ushort *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define LANES 8
#define MOST 128
#define BY_POSITION 0
#define PARAMS __global const short *restrict p0_, \
    const ulong o_p0, \
    __global short *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX ROWS, \
    const IDX RSPAN
#define FN_PARAMS , __global const short *p0
#define FN_ARGS , p0_ + o_p0

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
// ---- rank_lanes.cl ----
// rank_lanes.cl: sort short rows on a CPU driver, LANES of them side by side in the lanes of vectors, by a network:
// the same comparisons whatever the values.
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank.cl
// macros  those of rank.cl     LANES  rows side by side     MOST  items of a row at most
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
