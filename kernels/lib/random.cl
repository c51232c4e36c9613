// lib/random.cl: counter-based random numbers, Philox-4x32 with 10 rounds
//
//     philox_uniform(at, run, stream, seed)   [0, 1), 24 bits      philox_uniform_double   53 bits
//     philox_normal(at, run, stream, seed)    sqrt(-2 ln u) cos(2 pi v), u in (0, 1], v in [0, 1)
//     philox_fold(seed, i)                    the seed of iteration i of a loop
//
// The counter is {low, high of at, run, stream} and the key {low, high of seed}: any number of any
// run can be computed alone, so results do not depend on geometry. internal/philox has the same in Go.
// source  Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (2011);
//         Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators (2014);
//         Box and Muller, A Note on the Generation of Random Normal Deviates (1958)

// Four words and not a uint4, which would keep the compilers of CPU drivers from making vectors of
// a loop over positions.
typedef struct { uint x, y, z, w; } philox_words;

#define PHILOX_ROUND \
    a = 0xD2511F53UL * c.x; /* in 64 bits: some CPU drivers do not inline mul_hi */ \
    b = 0xCD9E8D57UL * c.z; \
    c.x = (uint)(b >> 32) ^ c.y ^ k0; \
    c.z = (uint)(a >> 32) ^ c.w ^ k1; \
    c.y = (uint)b; \
    c.w = (uint)a; \
    k0 += 0x9E3779B9u; \
    k1 += 0xBB67AE85u;
#define PHILOX_5_ROUNDS PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND

INLINE philox_words philox(const ulong at, const uint run, const uint stream, const ulong seed) {
    philox_words c = {(uint)at, (uint)(at >> 32), run, stream};
    uint k0 = (uint)seed, k1 = (uint)(seed >> 32);
    ulong a, b;
    PHILOX_5_ROUNDS
    PHILOX_5_ROUNDS
    return c;
}

// The seed of iteration i of a loop.
INLINE ulong philox_fold(const ulong seed, const ulong i) {
    ulong x = seed + (i + 1UL) * 0x9E3779B97F4A7C15UL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9UL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBUL;
    return x ^ (x >> 31);
}

INLINE ulong philox_bits(const ulong at, const uint run, const uint stream, const ulong seed) {
    const philox_words w = philox(at, run, stream, seed);
    return (ulong)w.x << 32 | w.y;
}

INLINE float philox_uniform(const ulong at, const uint run, const uint stream, const ulong seed) {
    return (float)(philox(at, run, stream, seed).x >> 8) * 0x1p-24f;
}

INLINE float philox_normal(const ulong at, const uint run, const uint stream, const ulong seed) {
    const philox_words w = philox(at, run, stream, seed);
    const float u = (float)((w.x >> 8) + 1u) * 0x1p-24f, v = (float)(w.y >> 8) * 0x1p-24f;
    return sqrt(-2.0f * wide_log(u)) * wide_cospi(2.0f * v);
}

#ifdef HAS_DOUBLE
INLINE ulong philox_long(const uint hi, const uint lo) { return ((ulong)hi << 32 | lo) >> 11; }

INLINE double philox_uniform_double(const ulong at, const uint run, const uint stream, const ulong seed) {
    const philox_words w = philox(at, run, stream, seed);
    return double_whole(philox_long(w.x, w.y)) * 0x1p-53;
}

INLINE double philox_normal_double(const ulong at, const uint run, const uint stream, const ulong seed) {
    const philox_words w = philox(at, run, stream, seed);
    const double u = double_whole(philox_long(w.x, w.y) + 1UL) * 0x1p-53, v = double_whole(philox_long(w.z, w.w)) * 0x1p-53;
    return sqrt(-2.0 * double_log_inside(u)) * double_cospi(2.0 * v);
}
#endif
