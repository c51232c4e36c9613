// lib/special_bessel.cl: Bessel functions of orders 0 and 1
//
//     special_i0  special_i0e  special_i1  special_i1e  special_j0  special_j1  special_bessel_y0  special_bessel_y1
//     special_k0  special_k0e  special_k1  special_k1e
//
// macros  REAL, R, F, M, TERMS, DOUBLE  see kernels/special.go
// source  DLMF, sections 10.25 (series), 10.40 and 10.17 (asymptotic expansions), 10.31 (series of K), 10.32.9 (integral of K, by the
//         trapezoidal rule, which converges as e^(-π²/h)), 10.12 and 10.8 (sums of J by Neumann); Olver and Sookne, Note on Backward
//         Recurrence Algorithms (1972)

// e^-x I(x) for x >= 0 and order 0 or 1: both expansions for all, with terms enough for each side's last bit, so that loops
// become vectors.
INLINE REAL F(scaled_i)(const int order, const REAL x) {
    const int near = x <= TERMS(12.0f, 25.0);
    const REAL v = near ? x : R(1.0), z = R(0.25) * v * v, r = near ? R(0.0) : R(0.125) / x;
    REAL series = R(1.0), far = R(1.0);
#pragma unroll
    for (int k = TERMS(22, 52); k > 0; k--) series = FMA(series, z * (R(1.0) / (REAL)(k * (k + order))), R(1.0));
#pragma unroll
    for (int k = TERMS(12, 25); k > 0; k--) far = FMA(far, r * ((REAL)((2 * k - 1) * (2 * k - 1) - 4 * order) / (REAL)k), R(1.0));
    series *= M(exp)(-v) * (order ? R(0.5) * v : R(1.0));
    return near ? series : far * R(0.398942280401432678) / sqrt(x);
}

// e^x of a scaled function, in halves where it overflows before the product does.
INLINE REAL F(scale_up)(const REAL v, const REAL x) {
    const REAL e = M(exp)(R(0.5) * x);
    return x > TERMS(80.0f, 700.0) ? v * e * e : v * M(exp)(x);
}

INLINE REAL F(i0e)(const REAL x) { return x != x ? x : F(scaled_i)(0, fabs(x)); }
INLINE REAL F(i1e)(const REAL x) { return x != x ? x : copysign(F(scaled_i)(1, fabs(x)), x); }
INLINE REAL F(i0)(const REAL x) { return x != x ? x : isinf(x) ? (REAL)INFINITY : F(scale_up)(F(scaled_i)(0, fabs(x)), fabs(x)); }
INLINE REAL F(i1)(const REAL x) { return x != x || isinf(x) ? x : copysign(F(scale_up)(F(scaled_i)(1, fabs(x)), fabs(x)), x); }

// e^x K(x) for x > 0 and order 0 or 1.
INLINE REAL F(scaled_k)(const int order, const REAL x) {
    if (x <= R(1.0)) {
        const REAL z = R(0.25) * x * x, l = M(log)(x) - R(0.115931515658412449);
        REAL t = R(1.0), h = R(0.0), sum = order ? l - R(0.5) : -l;
        for (int k = 1; k < 20; k++) {
            t *= z / (REAL)(k * (k + order));
            h += R(1.0) / (REAL)k;
            sum += t * (order ? l - h - R(0.5) / (REAL)(k + 1) : h - l);
        }
        return (order ? R(1.0) / x + R(0.5) * x * sum : sum) * M(exp)(x);
    }
    if (isinf(x)) return R(0.0);
    if (x > R(30.0)) {
        REAL t = R(1.0), sum = R(1.0);
        const REAL r = R(0.125) / x;
        for (int k = 1; k < TERMS(9, 24); k++) {
            t *= (REAL)(4 * order - (2 * k - 1) * (2 * k - 1)) * r / (REAL)k;
            sum += t;
        }
        return sum * R(1.25331413731550025) * rsqrt(x);
    }
    const REAL h = TERMS(0.36f, 0.2) * rsqrt(fmax(R(1.0), R(0.125) * x)); // the integrand becomes narrow
    REAL sum = R(0.5);
    for (int k = 1; k < 64; k++) {
        const REAL s = M(sinh)(R(0.5) * h * (REAL)k), z = R(2.0) * s * s, e = x * z;
        if (e > TERMS(20.0f, 42.0)) break;
        sum += M(exp)(-e) * (order ? R(1.0) + z : R(1.0));
    }
    return h * sum;
}

INLINE REAL F(k0e)(const REAL x) { return x > R(0.0) ? F(scaled_k)(0, x) : x == R(0.0) ? (REAL)INFINITY : (REAL)NAN; }
INLINE REAL F(k1e)(const REAL x) { return x > R(0.0) ? F(scaled_k)(1, x) : x == R(0.0) ? (REAL)INFINITY : (REAL)NAN; }
INLINE REAL F(k0)(const REAL x) { return x > R(0.0) ? F(scaled_k)(0, x) * M(exp)(-x) : x == R(0.0) ? (REAL)INFINITY : (REAL)NAN; }
INLINE REAL F(k1)(const REAL x) { return x > R(0.0) ? F(scaled_k)(1, x) * M(exp)(-x) : x == R(0.0) ? (REAL)INFINITY : (REAL)NAN; }

// J and Y of an order at x >= 0; Y is of x > 0.
INLINE void F(bessel)(const int order, const REAL x, REAL *jv, REAL *yv) {
    if (isinf(x)) {
        *jv = *yv = R(0.0);
        return;
    }
    if (x > R(25.0)) {
        const REAL r = R(0.125) / x;
        REAL p = R(1.0), q = R(0.0), t = R(1.0);
        for (int k = 1; k < TERMS(8, 20); k++) {
            t *= (REAL)(4 * order - (2 * k - 1) * (2 * k - 1)) * r / (REAL)k;
            if (k & 1) q += k & 2 ? -t : t;
            else p += k & 2 ? -t : t;
        }
        const REAL s = M(sin)(x), c = M(cos)(x), scale = sqrt(R(0.318309886183790672) / x); // of (s ± c) / √2
        const REAL a = order ? s - c : s + c, b = order ? -s - c : s - c;
        *jv = scale * (p * a - q * b);
        *yv = scale * (p * b + q * a);
        return;
    }
    // Downwards from where J is nothing: J[n-1] = 2n/x J[n] - J[n+1]; 1 = J0 + 2 J2 + 2 J4 + ...
    const REAL small = R(0.05);
    const REAL v = fmax(x, small), two = R(2.0) / v;
    const int from = 2 * ((int)(TERMS(0.75f, 0.9) * v) + TERMS(6, 12));
    REAL above = R(0.0), own = TERMS(1e-30f, 1e-250), norm = R(0.0), sum0 = R(0.0), sum1 = R(0.0), j1 = R(0.0);
    for (int n = from; n > 0; n--) {
        // own is J[n] but for a factor
        if (n & 1) {
            const int k = n >> 1; // 2k + 1
            if (k > 0) sum1 += (k & 1 ? -own : own) * (R(1.0) / (REAL)k + R(1.0) / (REAL)(k + 1));
        } else {
            const int k = n >> 1;
            norm += R(2.0) * own;
            sum0 += (k & 1 ? -own : own) / (REAL)k;
        }
        if (n == 1) j1 = own;
        const REAL below = (REAL)n * two * own - above;
        above = own;
        own = below;
    }
    norm = R(1.0) / (norm + own);
    REAL j0 = own * norm;
    j1 *= norm;
    sum0 *= norm;
    sum1 *= norm;
    if (x < small) { // power series; sum0 and sum1 are what DLMF 10.8.1 and 10.8.2 have beside J
        const REAL z = R(0.25) * x * x;
        j0 = R(1.0) - z * (R(1.0) - R(0.25) * z * (R(1.0) - z * (R(1.0) / R(9.0)) * (R(1.0) - R(0.0625) * z)));
        j1 = R(0.5) * x * (R(1.0) - R(0.5) * z * (R(1.0) - z * (R(1.0) / R(6.0)) * (R(1.0) - z * (R(1.0) / R(12.0)))));
        sum0 = -z * (R(0.5) - z * (R(0.1875) - z * (R(11.0) / R(432.0) - z * (R(25.0) / R(13824.0)))));
        sum1 = -R(0.25) * x * z * (R(0.5) - z * (R(5.0) / R(36.0) - z * (R(13.0) / R(864.0))));
    }
    const REAL l = M(log)(x) - R(0.115931515658412449);
    const REAL pi = R(0.636619772367581343); // 2 / π
    *jv = order ? j1 : j0;
    *yv = order ? pi * ((l - R(1.0)) * j1 - j0 / x - sum1) : pi * l * j0 - R(2.0) * pi * sum0;
}

INLINE REAL F(j0)(const REAL x) {
    REAL j, y;
    F(bessel)(0, fabs(x), &j, &y);
    return x != x ? x : j;
}
INLINE REAL F(j1)(const REAL x) {
    REAL j, y;
    F(bessel)(1, fabs(x), &j, &y);
    return x != x ? x : x < R(0.0) ? -j : j;
}
INLINE REAL F(bessel_y0)(const REAL x) {
    REAL j, y;
    F(bessel)(0, x, &j, &y);
    return x > R(0.0) ? y : x == R(0.0) ? -(REAL)INFINITY : (REAL)NAN;
}
INLINE REAL F(bessel_y1)(const REAL x) {
    REAL j, y;
    F(bessel)(1, x, &j, &y);
    return x > R(0.0) ? y : x == R(0.0) ? -(REAL)INFINITY : (REAL)NAN;
}
