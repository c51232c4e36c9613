// lib/math.cl: elementary functions of float whose loops become vectors
//
//     wide_exp   wide_exp2  wide_expm1  wide_log   wide_log2  wide_log1p  wide_sinh  wide_cosh
//     wide_tanh  wide_erf   wide_erfc   wide_sin   wide_cos   wide_tan    wide_asin  wide_acos
//     wide_atan  wide_atan2 wide_pow    wide_cospi  wide_fmod  wide_exp_below
//     wide_asinh wide_acosh wide_atanh  wide_hypot  wide_exp_plus_1
//
// Each takes and gives float, with the special cases of OpenCL's function of that name, to within
// the error that the full profile allows (most of them 2 ulp). There is no branch, no table and no
// call in them, so a compiler makes vectors of a loop around them; the drivers' own scalar functions
// have branches, and loops over them run one element at a time. PoCL's exp has none, but multiplies
// and adds apart.
//
// macros  WIDE_MATH 1: these functions, for CPU drivers with double. Otherwise: the driver's own.
// source  Moshier, Cephes Mathematical Library (logf, log2f, expf, sinf, cosf, asinf, atanf);
//         Shepherd and Laframboise, Chebyshev Approximation of (1+2x)exp(x^2)erfc x (1981);
//         Payne and Hanek, Radian Reduction for Trigonometric Functions (1983)

#if WIDE_MATH

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// What is exact only in the order that is written stays so under -cl-fast-relaxed-math.
#define EXACTLY _Pragma("clang fp reassociate(off)")

// 2^n for n in [-126, 127].
#define POWER_OF_2(n) as_float(((n) + 127) << 23)

// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for x > 0.
INLINE float wide_split(const float x, float *k) {
    const int tiny = x < 0x1p-126f;
    const int u = as_int(tiny ? x * 0x1p23f : x), e = (u - 0x3f3504f3) >> 23;
    *k = (float)(tiny ? e - 23 : e);
    return as_float(u - (e << 23)) - 1.0f;
}

// log(1 + f) - f for f from wide_split.
INLINE float wide_log_rest(const float f) {
    float p = 7.0376836292e-2f;
    p = FMA(p, f, -1.1514610310e-1f);
    p = FMA(p, f, 1.1676998740e-1f);
    p = FMA(p, f, -1.2420140846e-1f);
    p = FMA(p, f, 1.4249322787e-1f);
    p = FMA(p, f, -1.6668057665e-1f);
    p = FMA(p, f, 2.0000714765e-1f);
    p = FMA(p, f, -2.4999993993e-1f);
    p = FMA(p, f, 3.3333331174e-1f);
    const float z = f * f;
    return FMA(-0.5f, z, p * f * z);
}

// y, the logarithm of x in some base, where x has one.
INLINE float wide_log_ends(const float x, const float y) {
    const float ends = x == 0.0f ? -INFINITY : x > 0.0f ? x : NAN;
    return ((x > 0.0f) & (x < INFINITY)) ? y : ends;
}

INLINE float wide_log(const float x) {
    float k;
    const float f = wide_split(x, &k);
    const float y = FMA(k, 0.693359375f, f + FMA(k, -2.12194440e-4f, wide_log_rest(f)));
    return wide_log_ends(x, y);
}

INLINE float wide_log2(const float x) {
    float k;
    const float f = wide_split(x, &k), r = wide_log_rest(f), more = 0.44269504088896340736f; // log2(e) - 1
    return wide_log_ends(x, ((r * more + f * more) + r + f) + k);
}

INLINE float wide_log1p(const float x) {
    EXACTLY
    const float u = 1.0f + x, lost = x - (u - 1.0f); // what the sum rounded away
    const float y = wide_log(u);
    const float z = ((u > 0.0f) & (u < 0x1p24f)) ? y + lost / u : y;
    return fabs(x) < 0x1p-24f ? x : z;
}

// A float whose last bits hold the whole number next to it + 126, where NEXT_WHOLE was added: exact
// only under EXACTLY.
#define NEXT_WHOLE (0x1.8p23f + 126.0f)

// p 2^(n-1) where the last bits of t hold n + 126; in two steps where that is small and may be
// subnormal: p is normal after the first.
INLINE float wide_scale(const float p, const float t) {
    const int small = t < 0x1.8p23f + 32.0f;
    const float y = p * as_float((as_uint(t) + (small ? 32u : 0u)) << 23);
    return small ? y * 0x1p-32f : y;
}

// 2^n (1 + r + ...) for x = n log(2) + r, to 0.9 ulp and 0.86 steps of a subnormal.
INLINE float wide_exp(const float x) {
    EXACTLY
    const float below = x > 89.0f ? 89.0f : x, c = below < -104.0f ? -104.0f : below; // a NaN stays
    const float t = FMA(c, M_LOG2E_F, NEXT_WHOLE), n = t - NEXT_WHOLE;
    const float r = FMA(n, 2.12194440e-4f, FMA(n, -0.693359375f, c));
    float p = 2.76290788e-3f; // of 2 e^r
    p = FMA(p, r, 1.67374909e-2f);
    p = FMA(p, r, 8.3336778e-2f);
    p = FMA(p, r, 3.33330423e-1f);
    p = FMA(p, r, 9.99999881e-1f);
    p = FMA(p, r, 2.0f);
    p = FMA(p, r, 2.0f);
    return wide_scale(p, t);
}

// The same for x <= 0, with 0 for what is below the smallest normal number: two thirds of the work. T
// is float or a vector of it.
#define EXP_BELOW(T, BITS, name) \
INLINE T name(const T x) { \
    EXACTLY \
    const float whole = 0x1.8p23f + 127.0f; \
    const T t = FMA(x, (T)M_LOG2E_F, (T)whole), n = t - whole; \
    const T r = FMA(n, (T)2.12194440e-4f, FMA(n, (T)-0.693359375f, x)); \
    T p = (T)1.38145394e-3f; \
    p = FMA(p, r, (T)8.36874545e-3f); \
    p = FMA(p, r, (T)4.1668389e-2f); \
    p = FMA(p, r, (T)1.666652115e-1f); \
    p = FMA(p, r, (T)4.999999405e-1f); \
    p = FMA(p, r, (T)1.0f); \
    p = FMA(p, r, (T)1.0f); \
    return x < -0x1.5d589ep6f ? (T)0.0f : p * as_##T(as_##BITS(t) << 23); /* a NaN stays */ \
}
EXP_BELOW(float, uint, wide_exp_below)
EXP_BELOW(float8, uint8, wide_exp_below_8)
EXP_BELOW(float16, uint16, wide_exp_below_16)

// 1 + e^x: what a subnormal e^x adds is rounded away, so that two thirds of the work are left here as well.
INLINE float wide_exp_plus_1(const float x) {
    EXACTLY
    const float below = x > 89.0f ? 89.0f : x, c = below < -86.0f ? -86.0f : below; // a NaN stays
    const float t = FMA(c, M_LOG2E_F, NEXT_WHOLE), n = t - NEXT_WHOLE;
    const float r = FMA(n, 2.12194440e-4f, FMA(n, -0.693359375f, c));
    float p = 2.76290788e-3f; // of 2 e^r, as in wide_exp
    p = FMA(p, r, 1.67374909e-2f);
    p = FMA(p, r, 8.3336778e-2f);
    p = FMA(p, r, 3.33330423e-1f);
    p = FMA(p, r, 9.99999881e-1f);
    p = FMA(p, r, 2.0f);
    p = FMA(p, r, 2.0f);
    return FMA(p, as_float(as_uint(t) << 23), 1.0f);
}

INLINE float wide_exp2(const float x) {
    EXACTLY
    const float below = x > 129.0f ? 129.0f : x, c = below < -151.0f ? -151.0f : below; // a NaN stays
    const float t = c + NEXT_WHOLE, f = c - (t - NEXT_WHOLE);
    float p = 3.070672376639e-4f; // of 2 2^f
    p = FMA(p, f, 2.679774880533e-3f);
    p = FMA(p, f, 1.923687471535e-2f);
    p = FMA(p, f, 1.110066494233e-1f);
    p = FMA(p, f, 4.804528582726e-1f);
    p = FMA(p, f, 1.386294305710f);
    p = FMA(p, f, 2.0f);
    return wide_scale(p, t);
}

// (e^x - 1) / 2, which does not overflow before e^x does.
INLINE float wide_half_expm1(const float x) {
    EXACTLY
    const float below = x > 89.0f ? 89.0f : x, c = below < -20.0f ? -20.0f : below; // a NaN stays
    const float t = FMA(c, M_LOG2E_F, NEXT_WHOLE), n = t - NEXT_WHOLE;
    const float r = FMA(n, 2.12194440e-4f, FMA(n, -0.693359375f, c));
    float p = 1.9875691500e-4f;
    p = FMA(p, r, 1.3981999507e-3f);
    p = FMA(p, r, 8.3334519073e-3f);
    p = FMA(p, r, 4.1665795894e-2f);
    p = FMA(p, r, 1.6666665459e-1f);
    p = FMA(p, r, 5.0000001201e-1f);
    p = FMA(p, r * r, r); // e^r - 1
    const float s = as_float(as_uint(t) << 23); // 2^(n-1)
    return FMA(s, p, s - 0.5f);
}

INLINE float wide_expm1(const float x) {
    return fabs(x) < 0x1p-25f ? x : 2.0f * wide_half_expm1(x);
}

INLINE float wide_tanh(const float x) {
    const float a = fabs(x), t = clamp(x, -8.3f, 8.3f), z = t * t;
    float p = -2.76076847742355e-16f;
    p = FMA(p, z, 2.00018790482477e-13f);
    p = FMA(p, z, -8.60467152213735e-11f);
    p = FMA(p, z, 5.12229709037114e-8f);
    p = FMA(p, z, 1.48572235717979e-5f);
    p = FMA(p, z, 6.37261928875436e-4f);
    p = FMA(p, z, 4.89352455891786e-3f);
    float q = 1.19825839466702e-6f;
    q = FMA(q, z, 1.18534705686654e-4f);
    q = FMA(q, z, 2.26843463243900e-3f);
    q = FMA(q, z, 4.89352518554385e-3f);
    return ((a < 0x1p-12f) | (x != x)) ? x : a > 9.1f ? copysign(1.0f, x) : t * p / q;
}

INLINE float wide_sinh(const float x) {
    const float a = fabs(x), h = wide_half_expm1(a), big = wide_exp(0.5f * a);
    const float y = a < 80.0f ? h + h / FMA(2.0f, h, 1.0f) : 0.5f * big * big;
    return a < 0x1p-12f ? x : copysign(y, x);
}

INLINE float wide_cosh(const float x) {
    const float a = fabs(x), e = wide_exp(min(a, 80.0f)), big = wide_exp(0.5f * a);
    return a < 80.0f ? FMA(0.5f, e, 0.5f / e) : 0.5f * big * big;
}

// By the logarithm of 1 + u, which loses nothing where u is small; past 2^40 by that of 2x.
INLINE float wide_asinh(const float x) {
    const float a = fabs(x), b = a > 0x1p40f ? 0.0f : a, s = b * b;
    const float u = a > 0x1p40f ? a : a + s / (1.0f + sqrt(1.0f + s)); // a + sqrt(1 + a^2) - 1
    const float y = wide_log1p(u) + (a > 0x1p40f ? M_LN2_F : 0.0f);
    return a < 0x1p-12f ? x : copysign(y, x);
}
INLINE float wide_acosh(const float x) {
    const float t = (x > 0x1p40f ? 1.0f : x) - 1.0f;
    const float u = x > 0x1p40f ? x : t + sqrt(t * (t + 2.0f));
    return x >= 1.0f ? wide_log1p(u) + (x > 0x1p40f ? M_LN2_F : 0.0f) : NAN;
}
INLINE float wide_atanh(const float x) {
    const float a = fabs(x), y = 0.5f * wide_log1p((a + a) / (1.0f - a));
    return a < 0x1p-12f ? x : copysign(y, x);
}

// Scaled by a power of 2, so that the squares neither overflow nor vanish.
INLINE float wide_hypot(const float x, const float y) {
    const float a = fabs(x), b = fabs(y), big = a > b ? a : b;
    const int high = big > 0x1p60f, low = big < 0x1p-40f;
    const float s = high ? 0x1p-80f : low ? 0x1p100f : 1.0f, back = high ? 0x1p80f : low ? 0x1p-100f : 1.0f;
    const float m = a * s, n = b * s, r = sqrt(FMA(m, m, n * n)) * back;
    return ((a == INFINITY) | (b == INFINITY)) ? INFINITY : r;
}

INLINE float wide_erf(const float x) {
    const float a = fabs(x), t = min(a, 4.5f), s = t * t;
    float far = FMA(-1.72853470e-5f, t, 3.83197126e-4f);
    far = FMA(far, s, FMA(-3.88396438e-3f, t, 2.42546219e-2f));
    far = FMA(far, t, -1.06777877e-1f);
    far = FMA(far, t, -6.34846687e-1f);
    far = FMA(far, t, -1.28717512e-1f);
    far = copysign(1.0f - wide_exp(FMA(far, t, -t)), x);
    float near = -5.96761703e-4f;
    near = FMA(near, s, 4.99119423e-3f);
    near = FMA(near, s, -2.67681349e-2f);
    near = FMA(near, s, 1.12819925e-1f);
    near = FMA(near, s, -3.76125336e-1f);
    near = FMA(near, s, 1.28379166e-1f);
    near = FMA(near, x, x);
    return x != x ? x : a > 0.927734375f ? far : near;
}

INLINE float wide_erfc(const float x) {
    // (1 + 2a) exp(a^2) erfc(a) = 1 + p(q) with q = (a - 2) / (a + 2)
    const float a = min(fabs(x), 10.5f), q = (a - 2.0f) / (a + 2.0f);
    float p = 5.92470169e-5f;
    p = FMA(p, q, 1.61224554e-4f);
    p = FMA(p, q, -3.46481771e-4f);
    p = FMA(p, q, -1.39681227e-3f);
    p = FMA(p, q, 1.20588380e-3f);
    p = FMA(p, q, 8.69014394e-3f);
    p = FMA(p, q, -8.01387429e-3f);
    p = FMA(p, q, -5.42122945e-2f);
    p = FMA(p, q, 1.64048523e-1f);
    p = FMA(p, q, -1.66031078e-1f);
    p = FMA(p, q, -9.27637145e-2f);
    p = FMA(p, q, 2.76978403e-1f);
    // exp(-a^2) with the square in two parts: hi^2 is exact, the rest is small.
    const float hi = as_float(as_uint(a) & 0xfffff000u), lo = (hi - a) * (hi + a);
    const float rest = FMA(lo, FMA(lo, FMA(lo, FMA(lo, FMA(lo, 1.0f / 120.0f, 1.0f / 24.0f), 1.0f / 6.0f), 0.5f), 1.0f), 1.0f);
    const float y = (1.0f + p) / FMA(2.0f, a, 1.0f) * rest * wide_exp(-hi * hi);
    return x != x ? x : x < 0.0f ? 2.0f - y : y;
}

// A whole number next to a double: the nearest below 2^51, above it some multiple of its last bit.
#define NEAREST(d) (((d) + 0x1.8p52f) - 0x1.8p52f)

// x = (4 i + quadrant) pi/2 + r with |r| <= pi/4, for every x: the products of x with 24 bits of
// 2/pi at a time are exact in double, and so is what is left of them modulo 4.
INLINE float wide_quadrant(const float x, int *quadrant) {
    EXACTLY
    double scaled = (double)x, turn = 0, whole = 0;
#define NEXT_BITS(bits) { \
        const double product = scaled * (bits), part = turn + (product - 4.0f * NEAREST(product * 0.25f)); \
        const double nearest = NEAREST(part); \
        turn = part - nearest; \
        whole += nearest; \
        scaled *= 0x1p-24f; \
    }
    NEXT_BITS(0xa2f983p-24f)
    NEXT_BITS(0x6e4e44p-24f)
    NEXT_BITS(0x1529fcp-24f)
    NEXT_BITS(0x2757d1p-24f)
    NEXT_BITS(0xf534ddp-24f)
    NEXT_BITS(0xc0db62p-24f)
    NEXT_BITS(0x95993cp-24f)
    *quadrant = (int)whole & 3;
    return (float)(turn * as_double(0x3ff921fb54442d18L)); // pi / 2
}

INLINE float wide_sin_near(const float r) {
    const float z = r * r;
    return FMA(FMA(FMA(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f) * z, r, r);
}
INLINE float wide_cos_near(const float r) {
    const float z = r * r;
    return FMA(FMA(FMA(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f), z * z, FMA(-0.5f, z, 1.0f));
}

INLINE float wide_sin(const float x) {
    int q;
    const float r = wide_quadrant(x, &q), y = q & 1 ? wide_cos_near(r) : wide_sin_near(r);
    return fabs(x) < INFINITY ? fabs(x) < 0x1p-12f ? x : q & 2 ? -y : y : NAN;
}
INLINE float wide_cos(const float x) {
    int q;
    const float r = wide_quadrant(x, &q), y = q & 1 ? wide_sin_near(r) : wide_cos_near(r);
    return fabs(x) < INFINITY ? 0.0f + ((q + 1) & 2 ? -y : y) : NAN;
}
// cos(pi x), whose zeros have no sign. Whole numbers from 2^24 on are even.
INLINE float wide_cospi(const float x) {
    EXACTLY
    const float a = fabs(x) < 0x1p24f ? fabs(x) : 0.0f;
    const float t = 2.0f * a - 4.0f * ((0.5f * a + 0x1p23f) - 0x1p23f); // of [-2, 2], in quarters of a turn
    const float u = t + 0x1.8p23f, r = (t - (u - 0x1.8p23f)) * M_PI_2_F;
    const int q = as_int(u);
    const float y = q & 1 ? wide_sin_near(r) : wide_cos_near(r);
    return fabs(x) < INFINITY ? 0.0f + ((q + 1) & 2 ? -y : y) : NAN;
}
INLINE float wide_tan(const float x) {
    int q;
    const float r = wide_quadrant(x, &q), s = wide_sin_near(r), c = wide_cos_near(r);
    return fabs(x) < INFINITY ? fabs(x) < 0x1p-12f ? x : q & 1 ? -c / s : s / c : NAN;
}

// atan of a >= 0, or of n / d with the division still to be done.
INLINE float wide_atan_ratio(const float n, const float d) {
    const int far = n > 2.414213562373095f * d, mid = n > 0.4142135623730950f * d;
    const float t = (far ? -d : mid ? n - d : n) / (far ? n : mid ? n + d : d), z = t * t;
    float p = 8.05374449538e-2f;
    p = FMA(p, z, -1.38776856032e-1f);
    p = FMA(p, z, 1.99777106478e-1f);
    p = FMA(p, z, -3.33329491539e-1f);
    return (far ? M_PI_2_F : mid ? M_PI_4_F : 0.0f) + FMA(p * z, t, t);
}

INLINE float wide_atan(const float x) {
    const float a = fabs(x);
    return x != x ? x : copysign(a < INFINITY ? wide_atan_ratio(a, 1.0f) : M_PI_2_F, x);
}

INLINE float wide_atan2(const float y, const float x) {
    // Both scaled into the range where sums and products neither overflow nor vanish.
    const float big = fmax(fabs(x), fabs(y)), s = big > 0x1p100f ? 0x1p-30f : big < 0x1p-80f ? 0x1p60f : 1.0f;
    const int same = fabs(x) == fabs(y), none = big == 0.0f;
    const float n = fabs(y) * s, d = fabs(x) * s;
    const float t = none ? 0.0f : same ? M_PI_4_F : isinf(x) ? 0.0f : isinf(y) ? M_PI_2_F : wide_atan_ratio(n, d);
    const float a = as_int(x) < 0 ? M_PI_F - t : t;
    return ((x != x) | (y != y)) ? NAN : copysign(a, y);
}

// asin(a) for 0 <= a <= 1/2.
INLINE float wide_asin_near(const float a) {
    const float z = a * a;
    float p = 4.2163199048e-2f;
    p = FMA(p, z, 2.4181311049e-2f);
    p = FMA(p, z, 4.5470025998e-2f);
    p = FMA(p, z, 7.4953002686e-2f);
    p = FMA(p, z, 1.6666752422e-1f);
    return FMA(p * z, a, a);
}

INLINE float wide_asin(const float x) {
    const float a = fabs(x), t = a > 0.5f ? sqrt(FMA(-0.5f, a, 0.5f)) : a, y = wide_asin_near(t);
    return a <= 1.0f ? copysign(a > 0.5f ? FMA(-2.0f, y, M_PI_2_F) : y, x) : NAN;
}
INLINE float wide_acos(const float x) {
    const float a = fabs(x), t = a > 0.5f ? sqrt(FMA(-0.5f, a, 0.5f)) : a, y = wide_asin_near(t);
    const float far = x < 0.0f ? M_PI_F - 2.0f * y : 2.0f * y;
    // pi/2 in two parts: the first subtraction would round twice.
    const float near = M_PI_2_F - (copysign(y, x) + 4.37113883e-8f);
    return a <= 1.0f ? a > 0.5f ? far : near : NAN;
}

INLINE float wide_pow(const float x, const float y) {
    EXACTLY
    // In double: log2(a) by the series of atanh, then the exponential of y log2(a).
    const float a = fabs(x);
    float k;
    const double f = (double)wide_split(a, &k), s = f / (f + 2.0f), z = s * s;
    double p = 1.0f / (double)17.0f;
    p = p * z + 1.0f / (double)15.0f;
    p = p * z + 1.0f / (double)13.0f;
    p = p * z + 1.0f / (double)11.0f;
    p = p * z + 1.0f / (double)9.0f;
    p = p * z + 1.0f / (double)7.0f;
    p = p * z + 1.0f / (double)5.0f;
    p = p * z + 1.0f / (double)3.0f;
    p = p * z + 1.0f;
    const double ends = a == 0.0f ? -INFINITY : INFINITY;
    const double log2a = ((a > 0.0f) & (a < INFINITY)) ? k + 2.0f * s * p * as_double(0x3ff71547652b82feL) : ends;
    const double much = y * log2a, below = much > 200.0f ? (double)200.0f : much, t = below < -200.0f ? (double)-200.0f : below;
    const double sum = t + 0x1.8p52f, n = sum - 0x1.8p52f;
    const double g = (t - n) * as_double(0x3fe62e42fefa39efL);
    double e = 1.0f / (double)362880.0f;
    e = e * g + 1.0f / (double)40320.0f;
    e = e * g + 1.0f / (double)5040.0f;
    e = e * g + 1.0f / (double)720.0f;
    e = e * g + 1.0f / (double)120.0f;
    e = e * g + 1.0f / (double)24.0f;
    e = e * g + 1.0f / (double)6.0f;
    e = e * g + 0.5f;
    e = e * g + 1.0f;
    e = e * g + 1.0f;
    const float r = (float)(e * as_double((as_long(sum) + 1023) << 52));
    // The sign of a negative base lives on under an odd power, and only whole powers have a value.
    const int whole = rint(y) == y, odd = whole & (fabs(y) < 0x1p24f) & (rint(0.5f * y) != 0.5f * y);
    const float v = as_int(x) < 0 && odd ? -r : r;
    const int bad = (x < 0.0f) & (a < INFINITY) & !whole & (fabs(y) < INFINITY);
    const int one = (y == 0.0f) | (x == 1.0f) | ((a == 1.0f) & (fabs(y) == INFINITY));
    return one ? 1.0f : ((x != x) | (y != y) | bad) ? NAN : v;
}

// a - b trunc(a / b), exactly: fifty bits of the quotient at a time, of the 277 that it may have.
// What is left each time is exact, a multiple of the last bit of a or of the scaled b and no larger
// than the scaled b.
INLINE float wide_fmod(const float a, const float b) {
    EXACTLY
    const double d = fabs(b), inverse = 1.0f / d;
    double left = fabs(a);
#define TAKE_OFF(scale) { \
        const double quotient = left * (inverse / (scale)); \
        left = fma(d * (scale), -NEAREST(quotient), left); \
    }
    TAKE_OFF(as_double(0x4f90000000000000L)) // 2^250
    TAKE_OFF(as_double(0x4c70000000000000L)) // 2^200
    TAKE_OFF(as_double(0x4950000000000000L)) // 2^150
    TAKE_OFF(as_double(0x4630000000000000L)) // 2^100
    TAKE_OFF(0x1p50f)
    TAKE_OFF(1.0f)
    left = left < 0 ? left + d : left;
    const float r = copysign((float)left, a);
    const int none = (a != a) | (b != b) | (b == 0.0f) | (fabs(a) == INFINITY);
    return none ? NAN : fabs(a) < fabs(b) ? a : r;
}

#else

#define wide_exp(x) exp(x)
#define wide_exp_below(x) exp(x)
#define wide_exp_below_8(x) exp(x)
#define wide_exp_below_16(x) exp(x)
#define wide_exp_plus_1(x) (1.0f + exp(x))
#define wide_log(x) log(x)
#define wide_log2(x) log2(x)
#define wide_log1p(x) log1p(x)
#define wide_exp2(x) exp2(x)
#define wide_expm1(x) expm1(x)
#define wide_sinh(x) sinh(x)
#define wide_cosh(x) cosh(x)
#define wide_tanh(x) tanh(x)
#define wide_asinh(x) asinh(x)
#define wide_acosh(x) acosh(x)
#define wide_atanh(x) atanh(x)
#define wide_hypot(x, y) hypot(x, y)
#define wide_erf(x) erf(x)
#define wide_erfc(x) erfc(x)
#define wide_sin(x) sin(x)
#define wide_cos(x) cos(x)
#define wide_cospi(x) cospi(x)
#define wide_tan(x) tan(x)
#define wide_asin(x) asin(x)
#define wide_acos(x) acos(x)
#define wide_atan(x) atan(x)
#define wide_atan2(y, x) atan2(y, x)
#define wide_pow(x, y) pow(x, y)
#define wide_fmod(a, b) fmod(a, b)

#endif
