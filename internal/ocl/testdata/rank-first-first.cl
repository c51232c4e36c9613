// first 10 of 1 rows of 1048576, parts=2: the first few of a row: most elements are looked at once
// launch rank_first global [2 1] local [1 1]
// options -cl-single-precision-constant
// arguments LENGTH=1048576 KEEP=10 ROWS=1 PARTS=2 SPAN=524288 RSPAN=1
#define BITS ushort
#define SIGN ((BITS)0x8000U)
#define KEY uint
#define PAIRS 0
#define INF ((BITS)0x7f80U)
#define ORDER 2
#define FLIP ((KEY)0xffffU)
#define BITS_AT(i) ((__global const ushort *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global ushort *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define BITS16 ushort16
#define TRUTH16 short16
#define TRUTH8 short8
#define TRUTH4 short4
#define BEFORE(i, most) (rank_keys(vload16(0, ((__global const ushort *)(p0_) + o_p0) + (i))) < (most))
#define MOST 42
#define SPLIT 1
#define PARTS_MOST 64
#define BY_POSITION 0
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict LISTS, \
    __global uint *restrict FOUND, \
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX ROWS, \
    const IDX PARTS, \
    const IDX SPAN, \
    const IDX RSPAN
#define FN_PARAMS , __global const ushort *p0
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
// ---- rank_first.cl ----
// rank_first.cl: the first few of long rows, on a CPU driver.
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank.cl    BEFORE(i, most)  which of the keys of elements i .. i + 15 are
//         less than most, by rank_keys
// macros  those of rank.cl, less PAIRS     MOST  items that are held, more than KEEP
//         SPLIT  1: a row is cut into parts, PARTS_MOST at most, of which rank_first_merge takes the first
//         BITS16  16 of BITS    TRUTH16, TRUTH8, TRUTH4  how vectors of these compare
//         BY_POSITION  1: what is kept is sorted by position again
// sizes   ROWS, LENGTH, KEEP    PARTS of SPAN elements of a row     RSPAN  rows an item
// launch  rank_first        global {PARTS, ROWS / RSPAN}  local {1, 1}   local memory 2 * MOST items
//         rank_first_merge  global {ROWS}  local {1}    where SPLIT      the same
// scratch LISTS  KEEP items of every part, in order     FOUND  how many there are
// note    what comes before the last of those found so far is held too, and when there is no room for more all are
//         sorted and cut. In random order few come before it, so that most elements cost one comparison in a vector

// rank_key of sixteen.
INLINE BITS16 rank_keys(const BITS16 b) {
#if ORDER == 0
    return b ^ (BITS)FLIP;
#elif ORDER == 1
    return b ^ SIGN ^ (BITS)FLIP;
#else
    const BITS16 m = b & REST, none = 0;
    BITS16 k = b ^ ((none - (b >> (BITS)(8 * sizeof(BITS) - 1))) | SIGN);
    k = select(k, none + SIGN, m == none);
    return select(k, ~none, m > INF) ^ (BITS)FLIP;
#endif
}
INLINE int any_of(const TRUTH16 v) {
    const TRUTH8 a = v.lo | v.hi;
    const TRUTH4 b = a.lo | a.hi;
    return (b.x | b.y | b.z | b.w) != 0;
}

// Sorts n items by merging; t has room for as many.
INLINE void sort_items(__local ulong *a, __local ulong *t, const int n) {
    for (int b = 0; b < n; b += 8)
        for (int i = b + 1; i < min(b + 8, n); i++) {
            const ulong e = a[i];
            int j = i;
            for (; j > b && a[j - 1] > e; j--) a[j] = a[j - 1];
            a[j] = e;
        }
    int turned = 0;
    for (int w = 8; w < n; w *= 2) {
        __local const ulong *const from = turned ? t : a;
        __local ulong *const to = turned ? a : t;
        for (int b = 0; b < n; b += 2 * w) {
            const int m = min(b + w, n), end = min(b + 2 * w, n);
            int i = b, j = m;
            for (int k = b; k < end; k++) {
                const int left = i < m && (j >= end || from[i] < from[j]);
                to[k] = left ? from[i] : from[j];
                i += left;
                j += !left;
            }
        }
        turned = !turned;
    }
    if (turned)
        for (int i = 0; i < n; i++) a[i] = t[i];
}

#define KEYED(i) ((ulong)rank_key(BITS_AT(base + (i))) << 32 | (uint)(i))

#if BY_POSITION
#define EMIT_ROW(r) { \
        const IDX base = (r) * LENGTH, out = (r) * KEEP; \
        for (int i = 0; i < (int)KEEP; i++) held[i] = held[i] & UINT_MAX; \
        sort_items(held, spare, (int)KEEP); \
        for (int i = 0; i < (int)KEEP; i++) { \
            VALUES(out + i, BITS_AT(base + (IDX)held[i])); \
            POSITIONS(out + i, held[i]); \
        } \
    }
#else
#define EMIT_ROW(r) { \
        const IDX base = (r) * LENGTH, out = (r) * KEEP; \
        for (int i = 0; i < (int)KEEP; i++) RANK_EMIT(out + i, (KEY)(held[i] >> 32), (uint)held[i], base); \
    }
#endif

kernel void rank_first(PARAMS) {
    WIDE_VECTORS
    __local ulong held[MOST] LINES, spare[MOST] LINES;
    const IDX part = (IDX)get_global_id(0), from = part * SPAN, to = min(from + SPAN, LENGTH);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const int keep = (int)KEEP;
    for (IDX r = r0; r < r1; r++) {
        const IDX base = r * LENGTH;
        IDX i = min(from + MOST, to);
        int have = (int)(i - from);
        for (int k = 0; k < have; k++) held[k] = KEYED(from + k);
        sort_items(held, spare, have);
        have = min(have, keep);
        while (i < to) { // keep are held, or nothing is left
            const KEY limit = (KEY)(held[keep - 1] >> 32);
            const BITS16 most = (BITS16)((BITS)limit);
            while (i < to && have < MOST) {
                if (i + 64 <= to) {
                    const TRUTH16 v = BEFORE(base + i, most) | BEFORE(base + i + 16, most);
                    const TRUTH16 w = BEFORE(base + i + 32, most) | BEFORE(base + i + 48, most);
                    if (!any_of(v | w)) {
                        i += 64;
                        continue;
                    }
                }
                // Of a stretch of 64 that has any, each 16 are asked again.
                const IDX end = min(i + 64, to);
                while (i < end && have < MOST) {
                    if (i + 16 <= end) {
                        if (!any_of(BEFORE(base + i, most))) {
                            i += 16;
                            continue;
                        }
                    }
                    const IDX last = min(i + 16, end);
                    for (; i < last && have < MOST; i++) {
                        const ulong e = KEYED(i);
                        held[have] = e;
                        have += (KEY)(e >> 32) < limit; // what is equal comes later
                    }
                }
            }
            sort_items(held, spare, have);
            have = min(have, keep);
        }
#if SPLIT
        for (int k = 0; k < have; k++) LISTS[(r * PARTS + part) * KEEP + k] = held[k];
        FOUND[r * PARTS + part] = (uint)have;
#else
        EMIT_ROW(r)
#endif
    }
}

#if SPLIT
kernel void rank_first_merge(PARAMS) {
    __local ulong held[MOST] LINES, spare[MOST] LINES;
    __local uint at[PARTS_MOST];
    const IDX r = (IDX)get_global_id(0);
    __global const ulong *const lists = LISTS + r * PARTS * KEEP;
    for (int k = 0; k < (int)PARTS; k++) at[k] = 0;
    for (int i = 0; i < (int)KEEP; i++) {
        ulong least = ULONG_MAX;
        int which = 0;
        for (int k = 0; k < (int)PARTS; k++) {
            if (at[k] >= FOUND[r * PARTS + k]) continue;
            const ulong e = lists[k * KEEP + at[k]];
            if (e >= least) continue;
            least = e;
            which = k;
        }
        held[i] = least;
        at[which]++;
    }
    (void)spare;
    EMIT_ROW(r)
}
#endif
// launch rank_first_merge global [1] local [1]
