// lib/special_error.cl: functions of the normal distribution
//
//     special_erfcx  special_log_ndtr  special_ndtri  special_erfinv
//
// macros  REAL, R, F, M, TERMS, DOUBLE  see kernels/special.go
// source  Shepherd and Laframboise, Chebyshev Approximation of (1+2x)exp(x^2)erfc x (1981): the form of erfcx; its coefficients are of an
//         interpolation in 160 bits. Wichura, Algorithm AS 241: The Percentage Points of the Normal Distribution (1988): the inverses

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

// The ratio of two polynomials of degree 7 with the coefficients of numerator and denominator, highest first.
#define RATIO_OF_7(x, a7, a6, a5, a4, a3, a2, a1, a0, b7, b6, b5, b4, b3, b2, b1) \
    (FMA(FMA(FMA(FMA(FMA(FMA(FMA(R(a7), x, R(a6)), x, R(a5)), x, R(a4)), x, R(a3)), x, R(a2)), x, R(a1)), x, R(a0)) / \
     FMA(FMA(FMA(FMA(FMA(FMA(FMA(R(b7), x, R(b6)), x, R(b5)), x, R(b4)), x, R(b3)), x, R(b2)), x, R(b1)), x, R(1.0)))

// The x at which the distribution function is 1/2 + q: low is 1/2 - |q|, to its own last bit. The three ratios are
// computed for all, so that loops become vectors.
INLINE REAL F(normal_quantile)(const REAL q, const REAL low) {
    const REAL a = fabs(q), c = R(0.180625) - a * a, r = sqrt(-M(log)(low)), m = r - R(1.6), f = r - R(5.0);
    const REAL central = a * RATIO_OF_7(c, 2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
        45921.953931549871457, 13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
        5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077,
        687.1870074920579083, 42.313330701600911252);
    const REAL middle = RATIO_OF_7(m, 7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
        1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
        1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
        0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187);
    const REAL far = RATIO_OF_7(f, 2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
        0.026532189526576123093, 0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
        2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
        0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769);
    const REAL tail = r > R(5.0) ? far : middle;
    return copysign(a > R(0.425) ? low == R(0.0) ? (REAL)INFINITY : tail : central, q);
}

INLINE REAL F(ndtri)(const REAL p) {
    const REAL q = p - R(0.5), x = F(normal_quantile)(q, q < R(0.0) ? p : R(1.0) - p);
    return ((p >= R(0.0)) & (p <= R(1.0))) ? x : (REAL)NAN;
}

INLINE REAL F(erfinv)(const REAL x) {
    const REAL a = fabs(x), y = R(0.707106781186547524) * F(normal_quantile)(R(0.5) * x, R(0.5) - R(0.5) * a);
    return a <= R(1.0) ? y : (REAL)NAN;
}
