// rank/cpu_vector.cl: keys of sixteen elements at a time, none of 64 bits
//
// hooks   BITS_AT  see rank/any_keys.cl    BEFORE(i, most)  which of the keys of elements i .. i + 15 are less than most,
//         by rank_keys
// macros  those of rank/any_keys.cl    BITS16  16 of BITS    TRUTH16, TRUTH8, TRUTH4  how vectors of these compare

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

// Element i of the row that begins at base.
#define KEYED(i) ((ulong)rank_key(BITS_AT(base + (i))) << 32 | (uint)(i))
