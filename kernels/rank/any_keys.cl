// rank/any_keys.cl: integer keys whose order is that of the values, for all sorts
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

// Result i, which stood at position p of the row that begins at base. A host that goes on with what is sorted has its own.
#ifndef RANK_EMIT
#define RANK_EMIT(i, key, p, base) do { \
    int known_; \
    const BITS bits_ = rank_bits(key, &known_); \
    VALUES(i, known_ ? bits_ : BITS_AT((base) + (IDX)(p))); \
    POSITIONS(i, p); \
} while (0)
#endif
