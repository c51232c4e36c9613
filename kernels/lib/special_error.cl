// lib/special_error.cl: functions of the normal distribution
//
//     special_erfcx  special_log_ndtr  special_ndtri  special_erfinv
//
// macros  REAL, R, F, M, TERMS, DOUBLE  see kernels/special.go
// source  Shepherd and Laframboise, Chebyshev Approximation of (1+2x)exp(x^2)erfc x (1981): the form of erfcx; its coefficients are of an
//         interpolation in 160 bits. The inverses are found by Newton's method from asymptotic values, of the logarithm in the tails

// e^(x²) erfc(x) for x >= 0
INLINE REAL F(erfcx_positive)(const REAL x) {
    const REAL t = x < R(1e8) ? (x - R(2.0)) / (x + R(2.0)) : R(1.0);
#if DOUBLE
    REAL p = R(4.7524240407402157439e-9);
    p = FMA(p, t, R(2.9115174912444538743e-10));
    p = FMA(p, t, R(-4.5159276860026709229e-8));
    p = FMA(p, t, R(-2.6449712681399721119e-8));
    p = FMA(p, t, R(1.7986347916004117237e-7));
    p = FMA(p, t, R(2.3691855885705940522e-7));
    p = FMA(p, t, R(-2.7684409428378497648e-7));
    p = FMA(p, t, R(-9.5000394597971919935e-7));
    p = FMA(p, t, R(-6.883411118543479637e-7));
    p = FMA(p, t, R(1.594444171146069122e-6));
    p = FMA(p, t, R(5.2213279957368115034e-6));
    p = FMA(p, t, R(3.6614674104859935204e-6));
    p = FMA(p, t, R(-0.000013492120628345726395));
    p = FMA(p, t, R(-0.000036404720139120151592));
    p = FMA(p, t, R(-1.5100550146974036125e-6));
    p = FMA(p, t, R(0.00015103435873054077677));
    p = FMA(p, t, R(0.00020636725549009348301));
    p = FMA(p, t, R(-0.00045434000702131043723));
    p = FMA(p, t, R(-0.0014568139528190640272));
    p = FMA(p, t, R(0.0012713388781666973823));
    p = FMA(p, t, R(0.008722653876123063416));
    p = FMA(p, t, R(-0.0080340150771648247746));
    p = FMA(p, t, R(-0.054220000992050155326));
    p = FMA(p, t, R(0.16405128003329548997));
    p = FMA(p, t, R(-0.166030397615289263));
    p = FMA(p, t, R(-0.092763826585744794443));
    p = FMA(p, t, R(1.2769783815525287193));
#else
    REAL p = R(-2.01089311892e-5);
    p = FMA(p, t, R(6.31001854588e-5));
    p = FMA(p, t, R(0.000221105452495));
    p = FMA(p, t, R(-0.000357177892463));
    p = FMA(p, t, R(-0.00146351167017));
    p = FMA(p, t, R(0.00121666549601));
    p = FMA(p, t, R(0.00872429453798));
    p = FMA(p, t, R(-0.00801863569218));
    p = FMA(p, t, R(-0.0542201860511));
    p = FMA(p, t, R(0.164049395351));
    p = FMA(p, t, R(-0.166030391287));
    p = FMA(p, t, R(-0.0927637598135));
    p = FMA(p, t, R(1.27697838155));
#endif
    return x < R(1e8) ? p / (R(1.0) + R(2.0) * x) : R(0.564189583547756287) / x;
}

INLINE REAL F(erfcx)(const REAL x) {
    if (x >= R(0.0)) return F(erfcx_positive)(x);
    if (x < TERMS(-10.0f, -27.0)) return (REAL)INFINITY;
    // e^(x²) of a square in two parts: the product alone would be off by x² roundings.
    const REAL s = x * x, rest = fma(x, x, -s);
    return R(2.0) * M(exp)(s) * (R(1.0) + rest) - F(erfcx_positive)(-x);
}

INLINE REAL F(log_ndtr)(const REAL x) {
    if (x < R(-1.0)) return M(log)(R(0.5) * F(erfcx_positive)(-x * R(0.707106781186547524))) - R(0.5) * x * x;
    return M(log1p)(R(-0.5) * M(erfc)(x * R(0.707106781186547524)));
}

// The x < 0 at which the distribution function is p, for 0 < p < 1/2.
INLINE REAL F(ndtri_low)(const REAL p) {
    const REAL l = M(log)(p), s = sqrt(R(-2.0) * l);
    REAL x = p < R(0.1) ? M(log)(R(2.50662827463100050) * s) / s - s : (p - R(0.5)) * R(2.6);
    for (int i = 0; i < TERMS(4, 5); i++) {
        const REAL e = R(1.25331413731550025) * F(erfcx_positive)(-x * R(0.707106781186547524)); // the slope is 1 / e
        const REAL step = p < R(0.1) ? (M(log)(R(0.797884560802865356) * R(0.5) * e) - R(0.5) * x * x - l) * e
                                     : (R(0.5) * M(erfc)(-x * R(0.707106781186547524)) - p) * R(2.50662827463100050) *
                                            M(exp)(R(0.5) * x * x);
        x = fmin(x - step, R(0.0));
    }
    return x;
}

INLINE REAL F(ndtri)(const REAL p) {
    if (!(p >= R(0.0) && p <= R(1.0))) return (REAL)NAN;
    if (p == R(0.0) || p == R(1.0)) return p == R(0.0) ? -(REAL)INFINITY : (REAL)INFINITY;
    return p == R(0.5) ? R(0.0) : p < R(0.5) ? F(ndtri_low)(p) : -F(ndtri_low)(R(1.0) - p);
}

INLINE REAL F(erfinv)(const REAL x) {
    const REAL a = fabs(x);
    if (!(a < R(1.0))) return a == R(1.0) ? copysign((REAL)INFINITY, x) : (REAL)NAN;
    REAL y;
    if (a > R(0.5)) {
        y = R(-0.707106781186547524) * F(ndtri_low)(R(0.5) - R(0.5) * a); // the difference is exact
    } else {
        y = a * (R(0.886226925452758014) + R(0.232013666534654) * a * a);
        for (int i = 0; i < TERMS(2, 3); i++) y -= (M(erf)(y) - a) * R(0.886226925452758014) * M(exp)(y * y);
    }
    return copysign(y, x);
}
