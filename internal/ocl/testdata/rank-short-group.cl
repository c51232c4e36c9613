// group 100 rows of 100, wg=64: short rows, each in local memory
// launch rank_group global [6400] local [64]
// options -cl-single-precision-constant
// arguments LENGTH=100 KEEP=100 ROWS=100
#define BITS ushort
#define SIGN ((BITS)0x8000U)
#define KEY uint
#define PAIRS 0
#define ORDER 1
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const ushort *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global ushort *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define WG 64
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
    const IDX ROWS
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
// ---- rank_group.cl ----
// rank_group.cl: sort short rows on a GPU: a work-group has a row in local memory.
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank.cl
// macros  those of rank.cl     WG  work-items of a group    MOST  items, a power of two
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
