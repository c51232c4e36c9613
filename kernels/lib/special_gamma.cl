// lib/special_gamma.cl: the logarithm of the gamma function, its derivatives, the Hurwitz zeta function and incomplete gamma functions
//
//     special_lgamma  special_digamma  special_zeta  special_polygamma  special_igamma  special_igammac
//
// macros  REAL, R, F, M, TERMS, DOUBLE  see kernels/special.go
// source  DLMF, sections 5.5 (recurrence, reflection), 5.11 (Stirling), 8.7 and 8.9 (series and continued fraction), 25.11 (Hurwitz zeta
//         by Euler's and Maclaurin's formula); Temme, The Asymptotic Expansion of the Incomplete Gamma Functions (1979), for what scales
//         them. The polynomial is a Chebyshev interpolation in 160 bits of log Γ(x) / ((x - 1)(x - 2)), t = 2(x - 2)

// log Γ(x) - ((x - 1/2) log x - x + 1/2 log 2π) for x >= 8
INLINE REAL F(stirling_rest)(const REAL x) {
    const REAL r = R(1.0) / x, z = r * r;
    REAL p = R(-0.0295506535947712418);
    p = FMA(p, z, R(0.00641025641025641026));
    p = FMA(p, z, R(-0.00191752691752691753));
    p = FMA(p, z, R(0.000841750841750841751));
    p = FMA(p, z, R(-0.000595238095238095238));
    p = FMA(p, z, R(0.000793650793650793651));
    p = FMA(p, z, R(-0.00277777777777777778));
    p = FMA(p, z, R(0.0833333333333333333));
    return p * r;
}

// log Γ(2 + t/2) / ((x - 1)(x - 2)) for |t| <= 1
INLINE REAL F(lgamma_near)(const REAL t) {
#if DOUBLE
    REAL p = R(4.5909529751193731754e-13);
    p = FMA(p, t, R(-1.9267924064320765165e-12));
    p = FMA(p, t, R(5.9261292995139784508e-12));
    p = FMA(p, t, R(-2.5051841561037665056e-11));
    p = FMA(p, t, R(1.1062065421362489485e-10));
    p = FMA(p, t, R(-4.7074140738738744813e-10));
    p = FMA(p, t, R(2.0071970014779614865e-9));
    p = FMA(p, t, R(-8.6231416099956804527e-9));
    p = FMA(p, t, R(3.7274374879084178941e-8));
    p = FMA(p, t, R(-1.6229545557682995988e-7));
    p = FMA(p, t, R(7.1309623036348080683e-7));
    p = FMA(p, t, R(-3.1695889763926270146e-6));
    p = FMA(p, t, R(0.000014302764412196860374));
    p = FMA(p, t, R(-0.000065879088569481710762));
    p = FMA(p, t, R(0.00031241507279346682488));
    p = FMA(p, t, R(-0.0015480240241709334492));
    p = FMA(p, t, R(0.0082412501552889584075));
    p = FMA(p, t, R(-0.050158650837176968525));
    p = FMA(p, t, R(0.42278433509846713939));
#else
    REAL p = R(8.04241367048e-7);
    p = FMA(p, t, R(-3.56599852676e-6));
    p = FMA(p, t, R(1.42326297633e-5));
    p = FMA(p, t, R(-6.55741599538e-5));
    p = FMA(p, t, R(0.000312434769948));
    p = FMA(p, t, R(-0.00154810965049));
    p = FMA(p, t, R(0.008241248672));
    p = FMA(p, t, R(-0.0501586443894));
    p = FMA(p, t, R(0.422784335098));
#endif
    return p;
}

// of x > 0
INLINE REAL F(lgamma_positive)(const REAL x) {
    if (x >= R(8.0))
        return x == (REAL)INFINITY ? x : (x - R(0.5)) * (M(log)(x) - R(1.0)) + (R(0.418938533204672742) + F(stirling_rest)(x));
    REAL y = x, up = R(1.0), down = R(1.0);
    for (; y < R(1.5); y += R(1.0)) down *= y;
    for (; y > R(2.5);) {
        y -= R(1.0);
        up *= y;
    }
    // Near 1 the argument is x + 1, and the logarithm of x is taken of what it is off from 1, which is exact.
    const REAL more = x < R(1.5) ? x >= R(0.5) ? -M(log1p)(x - R(1.0)) : -M(log)(down) : up > R(1.0) ? M(log)(up) : R(0.0);
    return (y - R(1.0)) * (y - R(2.0)) * F(lgamma_near)(R(2.0) * (y - R(2.0))) + more;
}

// |sin πx|
INLINE REAL F(sin_pi)(const REAL x) { return fabs(sinpi(x)); }

INLINE REAL F(lgamma)(const REAL x) {
    if (x != x) return x;
    if (x == floor(x) && x <= R(0.0) || isinf(x)) return (REAL)INFINITY;
    if (x > R(0.0)) return F(lgamma_positive)(x);
    return R(1.1447298858494001741) - M(log)(F(sin_pi)(x)) - F(lgamma_positive)(R(1.0) - x);
}

INLINE REAL F(digamma)(const REAL x0) {
    REAL x = x0, more = R(0.0);
    if (x == R(0.0)) return signbit(x) ? (REAL)INFINITY : -(REAL)INFINITY;
    if (x < R(0.0)) {
        if (x == floor(x)) return (REAL)NAN;
        more = -R(3.14159265358979323846) * cospi(x) / sinpi(x);
        x = R(1.0) - x;
    }
    for (; x < R(8.0); x += R(1.0)) more -= R(1.0) / x;
    const REAL r = R(1.0) / x, z = r * r;
    REAL p = R(0.0833333333333333333);
    p = FMA(p, z, R(-0.0210927960927960928));
    p = FMA(p, z, R(0.00757575757575757576));
    p = FMA(p, z, R(-0.00416666666666666667));
    p = FMA(p, z, R(0.00396825396825396825));
    p = FMA(p, z, R(-0.00833333333333333333));
    p = FMA(p, z, R(0.0833333333333333333));
    return M(log)(x) - R(0.5) * r - p * z + more;
}

// Σ (q + k)^-s over k >= 0
INLINE REAL F(zeta)(const REAL s, const REAL q) {
    if (s != s || q != q || s < R(1.0)) return (REAL)NAN;
    if (s == R(1.0)) return (REAL)INFINITY;
    if (q <= R(0.0)) {
        if (q == floor(q)) return (REAL)INFINITY;
        if (s != floor(s)) return (REAL)NAN;
    }
    REAL a = q, sum = R(0.0);
    for (int k = 0; k < 100000 && (k < 9 || a < R(9.0)); k++, a += R(1.0)) {
        const REAL b = M(pow)(a, -s);
        sum += b;
        if (a > R(0.0) && b < sum * TERMS(1e-9f, 1e-18)) return sum;
    }
    const REAL b = M(pow)(a, -s);
    sum += (a > R(1e10) ? M(pow)(a, R(1.0) - s) : b * a) / (s - R(1.0)) + R(0.5) * b; // which may underflow before the product does
    // B_2j / (2j)! · s (s+1) ... (s+2j-2) · a^-(s+2j-1)
    REAL t = b * s / a;
    const REAL z = R(1.0) / (a * a);
    sum += t * R(0.0833333333333333333);
    t *= (s + R(1.0)) * (s + R(2.0)) * z;
    sum -= t * R(0.00138888888888888889);
    t *= (s + R(3.0)) * (s + R(4.0)) * z;
    sum += t * R(3.30687830687830688e-5);
    t *= (s + R(5.0)) * (s + R(6.0)) * z;
    sum -= t * R(8.26719576719576720e-7);
    t *= (s + R(7.0)) * (s + R(8.0)) * z;
    sum += t * R(2.08767569878680990e-8);
    t *= (s + R(9.0)) * (s + R(10.0)) * z;
    sum -= t * R(5.28419013868749318e-10);
    t *= (s + R(11.0)) * (s + R(12.0)) * z;
    return sum + t * R(1.33825365306846788e-11);
}

// The derivative of order n of digamma.
INLINE REAL F(polygamma)(const REAL n, const REAL x) {
    if (n == R(0.0)) return F(digamma)(x);
    REAL f = R(1.0);
    for (REAL k = R(2.0); k <= n; k += R(1.0)) f *= k;
    const REAL y = f * F(zeta)(n + R(1.0), x);
    return fmod(n, R(2.0)) == R(0.0) ? -y : y;
}

// x^a e^-x / Γ(a), by how far x is from a where both are large.
INLINE REAL F(igamma_scale)(const REAL a, const REAL x) {
    if (a < R(8.0)) return M(exp)(a * M(log)(x) - x - F(lgamma_positive)(a));
    const REAL m = (x - a) / a;
    REAL w; // log(1 + m) - m
    if (fabs(m) < R(0.3)) {
        const REAL s = m / (R(2.0) + m), z = s * s;
        REAL p = R(0.0);
        for (int k = TERMS(15, 35); k >= 3; k -= 2) p = FMA(p, z, R(2.0) / k);
        w = s * z * p - s * m; // log(1 + m) = 2s + 2s³/3 + ..., and 2s - m = -s m
    } else {
        w = M(log)(x / a) - m;
    }
    return sqrt(a * R(0.159154943091895336)) * M(exp)(a * w - F(stirling_rest)(a));
}

INLINE REAL F(igamma_series)(const REAL a, const REAL x) {
    REAL sum = R(1.0), t = R(1.0), k = a;
    for (int i = 0; i < 20000 && t > sum * TERMS(3e-9f, 3e-18); i++) {
        k += R(1.0);
        t *= x / k;
        sum += t;
    }
    return sum / a * F(igamma_scale)(a, x);
}

// By Lentz.
INLINE REAL F(igamma_fraction)(const REAL a, const REAL x) {
    const REAL tiny = R(1e-30);
    REAL b = x + R(1.0) - a, c = R(1.0) / tiny, d = R(1.0) / b, h = d;
    for (int i = 1; i < 20000; i++) {
        const REAL f = -i * (i - a);
        b += R(2.0);
        d = f * d + b;
        c = b + f / c;
        d = R(1.0) / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        const REAL change = d * c;
        h *= change;
        if (fabs(change - R(1.0)) < TERMS(6e-8f, 1.2e-16)) break;
    }
    return h * F(igamma_scale)(a, x);
}

// Of small a and x <= 1 what is above, which 1 less what is below would lose: 1 - x^a/Γ(1 + a), and the rest of the series for
// what is below.
INLINE REAL F(igamma_rest)(const REAL a, const REAL x) {
    const REAL lgamma1 = a * (R(1.0) + a) * F(lgamma_near)(R(2.0) * a) - M(log1p)(a); // log Γ(1 + a) = log Γ(2 + a) - log(1 + a)
    const REAL l = a * M(log)(x) - lgamma1;
    REAL t = R(1.0), sum = R(0.0);
    for (int k = 1; k < TERMS(12, 21); k++) {
        t *= -x / (REAL)k;
        sum += t * a / (a + (REAL)k);
    }
    return -M(expm1)(l) - M(exp)(l) * sum;
}

// Both: *lower and *upper add up to 1.
INLINE void F(igamma_both)(const REAL a, const REAL x, REAL *lower, REAL *upper) {
    *lower = *upper = (REAL)NAN;
    if (!(a >= R(0.0)) || !(x >= R(0.0)) || a == R(0.0) && x == R(0.0) || isinf(a) && isinf(x)) return;
    if (a == R(0.0) || isinf(x)) {
        *lower = R(1.0), *upper = R(0.0);
    } else if (x == R(0.0) || isinf(a)) {
        *lower = R(0.0), *upper = R(1.0);
    } else if (x <= R(1.0) || x < a) {
        *lower = F(igamma_series)(a, x), *upper = a <= R(0.5) ? F(igamma_rest)(a, x) : R(1.0) - *lower;
    } else {
        *upper = F(igamma_fraction)(a, x), *lower = R(1.0) - *upper;
    }
}

INLINE REAL F(igamma)(const REAL a, const REAL x) {
    REAL lower, upper;
    F(igamma_both)(a, x, &lower, &upper);
    return lower;
}

INLINE REAL F(igammac)(const REAL a, const REAL x) {
    REAL lower, upper;
    F(igamma_both)(a, x, &lower, &upper);
    return upper;
}
