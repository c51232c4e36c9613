// lib/special_slopes.cl: derivatives of special functions by their parameters
//
//     special_zeta_slope(m, s, q)    derivative of order m, 1 or 2, of zeta by s
//     special_igamma_slope(a, x)     derivative of igamma by a
//
// macros  REAL, R, F, M, TERMS, DOUBLE  see kernels/special.go
// source  DLMF, sections 25.11 (Euler's and Maclaurin's formula), 8.7 and 8.9 (series and continued fraction), differentiated term by term;
//         Moore, Algorithm AS 187: Derivatives of the Incomplete Gamma Integral (1982)

// Σ (-log(q + k))^m (q + k)^-s over k >= 0
INLINE REAL F(zeta_slope)(const int m, const REAL s, const REAL q) {
    if (!(s >= R(1.0)) || !(q > R(0.0))) return (REAL)NAN;
    if (s == R(1.0)) return m == 1 ? -(REAL)INFINITY : (REAL)INFINITY;
    if (isinf(s)) return q > R(1.0) ? R(0.0) : q == R(1.0) ? R(-0.0) : m == 1 ? (REAL)INFINITY : (REAL)INFINITY;
    if (isinf(q)) return R(0.0);
    REAL a = q, sum = R(0.0);
    for (int k = 0; k < 9; k++, a += R(1.0)) {
        const REAL l = -M(log)(a), b = M(pow)(a, -s);
        sum += b * (m == 1 ? l : l * l);
    }
    const REAL l = M(log)(a), b = M(pow)(a, -s), r = R(1.0) / (s - R(1.0));
    const REAL whole = (a > R(1e10) ? M(pow)(a, R(1.0) - s) : b * a) * r;
    if (m == 1) sum -= whole * (l + r) + R(0.5) * b * l;
    else sum += whole * (l * l + R(2.0) * r * (l + r)) + R(0.5) * b * l * l;
    // c[j] t with t = s (s+1) ... (s+2j-2) a^-(s+2j-1), of which d1 and -d2 are the derivatives of the logarithm by s.
    const REAL c[7] = {R(0.0833333333333333333), R(-0.00138888888888888889), R(3.30687830687830688e-5), R(-8.26719576719576720e-7),
                       R(2.08767569878680990e-8), R(-5.28419013868749318e-10), R(1.33825365306846788e-11)};
    const REAL z = R(1.0) / (a * a);
    REAL t = b * s / a, d1 = R(1.0) / s - l, d2 = R(1.0) / (s * s);
    for (int j = 0; j < 7; j++) {
        if (j > 0) {
            const REAL u = s + (REAL)(2 * j - 1), v = u + R(1.0);
            t *= u * v * z;
            d1 += R(1.0) / u + R(1.0) / v;
            d2 += R(1.0) / (u * u) + R(1.0) / (v * v);
        }
        sum += c[j] * t * (m == 1 ? d1 : d1 * d1 - d2);
    }
    return sum;
}

// digamma(a + 1) - log a, for a >= 8
INLINE REAL F(digamma_rest)(const REAL a) {
    const REAL r = R(1.0) / a, z = r * r;
    REAL p = R(0.0833333333333333333);
    p = FMA(p, z, R(-0.0210927960927960928));
    p = FMA(p, z, R(0.00757575757575757576));
    p = FMA(p, z, R(-0.00416666666666666667));
    p = FMA(p, z, R(0.00396825396825396825));
    p = FMA(p, z, R(-0.00833333333333333333));
    p = FMA(p, z, R(0.0833333333333333333));
    return R(0.5) * r - p * z;
}

INLINE REAL F(igamma_slope)(const REAL a, const REAL x) {
    if (!(a >= R(0.0)) || !(x >= R(0.0)) || a == R(0.0) && x == R(0.0) || isinf(a) && isinf(x)) return (REAL)NAN;
    if (x == R(0.0) || isinf(x) || isinf(a)) return R(0.0);
    const REAL scale = a < R(8.0) ? M(exp)(a * M(log)(x) - x - F(lgamma_positive)(a + R(1.0))) : F(igamma_scale)(a, x) / a;
    if (scale == R(0.0)) return R(0.0);
    // How far log x is from digamma(a + 1).
    const REAL off = a < R(8.0) ? M(log)(x) - F(digamma)(a + R(1.0)) : M(log1p)((x - a) / a) - F(digamma_rest)(a);
    if (x <= R(1.0) || x < a) {
        REAL sum = off, t = R(1.0), k = a, h = R(0.0);
        for (int i = 0; i < 20000; i++) {
            k += R(1.0);
            t *= x / k;
            h += R(1.0) / k;
            const REAL v = t * (off - h);
            sum += v;
            if (x < k && fabs(v) <= fabs(sum) * TERMS(3e-9f, 3e-18)) break;
        }
        return scale * sum;
    }
    // By Lentz, with derivatives by a beside.
    const REAL tiny = R(1e-30);
    REAL b = x + R(1.0) - a, c = R(1.0) / tiny, d = R(1.0) / b, h = d, dc = R(0.0), dd = d * d, dh = dd;
    for (int i = 1; i < 20000; i++) {
        const REAL f = -i * (i - a), df = (REAL)i;
        b += R(2.0);
        const REAL e = R(1.0) / (f * d + b);
        dd = -e * e * (df * d + f * dd - R(1.0));
        d = e;
        dc = (df - f * dc / c) / c - R(1.0);
        c = b + f / c;
        const REAL change = d * c, moves = d * dc + dd * c;
        dh = dh * change + h * moves;
        h *= change;
        if (fabs(change - R(1.0)) < TERMS(6e-8f, 1.2e-16) && fabs(h * moves) <= fabs(dh) * TERMS(6e-8f, 1.2e-16)) break;
    }
    return -scale * (h * (a * off + R(1.0)) + a * dh);
}
