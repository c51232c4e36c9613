// lib/special_jacobi.cl: families of orthogonal polynomials with a parameter, by their recurrences
//
//     special_gegenbauer(n, alpha, x)    special_laguerre(n, alpha, x)
//
// macros  REAL, R, F  see kernels/special.go
// source  DLMF, table 18.9.1

INLINE REAL F(gegenbauer)(const REAL order, const REAL alpha, const REAL x) {
    if (!(order > R(-1.0)) || x != x || alpha != alpha) return order <= R(-1.0) ? R(0.0) : x + order + alpha;
    const int n = (int)fmin(order, R(100000.0));
    REAL before = R(1.0), own = R(2.0) * alpha * x;
    if (n == 0) return R(1.0);
    for (int k = 1; k < n; k++) {
        const REAL f = (REAL)k;
        const REAL next = (R(2.0) * (f + alpha) * x * own - (f + R(2.0) * alpha - R(1.0)) * before) / (f + R(1.0));
        before = own;
        own = next;
    }
    return own;
}

INLINE REAL F(laguerre)(const REAL order, const REAL alpha, const REAL x) {
    if (!(order > R(-1.0)) || x != x || alpha != alpha) return order <= R(-1.0) ? R(0.0) : x + order + alpha;
    const int n = (int)fmin(order, R(100000.0));
    REAL before = R(1.0), own = alpha + R(1.0) - x;
    if (n == 0) return R(1.0);
    for (int k = 1; k < n; k++) {
        const REAL f = (REAL)k;
        const REAL next = ((R(2.0) * f + R(1.0) + alpha - x) * own - (f + alpha) * before) / (f + R(1.0));
        before = own;
        own = next;
    }
    return own;
}
