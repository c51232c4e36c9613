// lib/draws.cl: random numbers of distributions that are drawn by trials
//
//     philox_log_gamma(alpha, seed)   the logarithm of a gamma variate, by rejection    philox_log_gamma_double
//     philox_poisson(rate, seed)      by multiplication for rates below 10, by rejection above    philox_poisson_double
//
// seed is a random number of the element, and trial t takes the words of position t under it: the number of trials depends on the
// data, and what is drawn on nothing else. It stands behind lib/random.cl. internal/philox has the same in Go.
// source  Marsaglia and Tsang, A Simple Method for Generating Gamma Variables (2000);
//         Hoermann, The Transformed Rejection Method for Generating Poisson Random Variables (1993), algorithm PTRS;
//         Loader, Fast and Accurate Computation of Binomial Probabilities (2000), for the probability of a count

#define PHILOX_TRIALS 64

#define DEFINE_DRAWS(name, T, OPEN, LN, L1P, COSPI, EXP) \
INLINE T philox_log_gamma##name(const T alpha, const ulong seed) { \
    if (!(alpha > 0)) return alpha == 0 ? -INFINITY : NAN; \
    const int small = alpha < 1; \
    const T d = (small ? alpha + 1 : alpha) - (T)1 / 3, c = 1 / sqrt(9 * d); \
    T v = 1, boost = 0; \
    for (uint t = 0; t < PHILOX_TRIALS; t++) { \
        const philox_words w = philox(t, 0u, 0u, seed); \
        const T x = sqrt(-2 * LN(OPEN(w.x))) * COSPI(2 * OPEN(w.y)), one = 1 + c * x; \
        v = one * one * one; \
        boost = small ? LN(OPEN(w.w)) / alpha : 0; \
        if (one > 0 && LN(OPEN(w.z)) < x * x / 2 + d * (1 - v + LN(v))) break; \
    } \
    return LN(d * v) + boost; \
} \
INLINE T philox_poisson##name(const T rate, const ulong seed) { \
    if (!(rate >= 0)) return NAN; \
    if (rate == INFINITY) return rate; \
    if (rate < 10) { \
        const T least = EXP(-rate); \
        T product = 1; \
        for (uint t = 0; t < PHILOX_TRIALS; t++) { \
            const philox_words w = philox(t, 0u, 0u, seed); \
            if ((product *= OPEN(w.x)) <= least) return 4 * t; \
            if ((product *= OPEN(w.y)) <= least) return 4 * t + 1; \
            if ((product *= OPEN(w.z)) <= least) return 4 * t + 2; \
            if ((product *= OPEN(w.w)) <= least) return 4 * t + 3; \
        } \
        return 4 * PHILOX_TRIALS; \
    } \
    const T b = (T)0.931 + (T)2.53 * sqrt(rate), a = (T)-0.059 + (T)0.02483 * b; \
    const T inverse = (T)1.1239 + (T)1.1328 / (b - (T)3.4), sure = (T)0.9277 - (T)3.6224 / (b - 2); \
    T k = floor(rate); \
    for (uint t = 0; t < PHILOX_TRIALS; t++) { \
        const philox_words w = philox(t, 0u, 0u, seed); \
        const T u = OPEN(w.x) - (T)0.5, v = OPEN(w.y), us = (T)0.5 - fabs(u); \
        k = floor((2 * a / us + b) * u + rate + (T)0.43); \
        if (us >= (T)0.07 && v <= sure) break; \
        if (k < 0 || us < (T)0.013 && v > us) continue; \
        const T x = (k - rate) / rate, far = rate * (k > 0 ? (1 + x) * L1P(x) - x : 1); \
        const T near = k > 0 ? LN((T)6.283185307179586 * k) / 2 + (1 - (1 - (T)2 / 7 / (k * k)) / (30 * k * k)) / (12 * k) : 0; \
        if (LN(v * inverse / (a / (us * us) + b)) <= -far - near) break; \
    } \
    return max(k, (T)0); \
}

// A word as a number of (0, 1), half a step from both ends. Of double it has 32 bits, which are enough for a trial.
#define PHILOX_OPEN(w) (((float)((w) >> 9) + 0.5f) * 0x1p-23f)
#define PHILOX_OPEN_DOUBLE(w) (((double)(w) + 0.5) * 0x1p-32)
DEFINE_DRAWS(, float, PHILOX_OPEN, log, log1p, cospi, exp)
#ifdef HAS_DOUBLE
DEFINE_DRAWS(_double, double, PHILOX_OPEN_DOUBLE, log, log1p, cospi, exp)
#endif
