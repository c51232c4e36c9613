// random.cl: counter-based random numbers, Philox-4x32 with 10 rounds.
//
//     philox_word(key, i, run)   word number i (i mod 4 of block i / 4) of the stream
//
// The counter is {low, high of i / 4, run, 0} and the key {low, high of key}: any
// word of any run can be computed alone, so results do not depend on geometry.
// source  Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (2011)

static inline uint4 philox4x32(uint4 c, uint2 k) {
    for (int round = 0; round < 10; round++) {
        const uint lo0 = 0xD2511F53u * c.x, hi0 = mul_hi(0xD2511F53u, c.x);
        const uint lo1 = 0xCD9E8D57u * c.z, hi1 = mul_hi(0xCD9E8D57u, c.z);
        c = (uint4)(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
        k += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}

static inline uint philox_word(const ulong key, const ulong i, const uint run) {
    const ulong block = i >> 2;
    const uint4 r = philox4x32((uint4)((uint)block, (uint)(block >> 32), run, 0u),
                               (uint2)((uint)key, (uint)(key >> 32)));
    const uint w = (uint)i & 3u;
    return w == 0u ? r.x : w == 1u ? r.y : w == 2u ? r.z : r.w;
}
