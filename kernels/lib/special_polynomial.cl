// lib/special_polynomial.cl: orthogonal polynomials of whole orders, by their recurrences
//
//     special_polynomial(kind, n, x)    p[k+1] = (A x + B) p[k] - C p[k-1]
//
// macros  REAL, R, F  see kernels/special.go
// source  DLMF, table 18.9.1; the kinds are those of ops/special/polynomial.go

INLINE REAL F(polynomial)(const int kind, const REAL order, const REAL x0) {
    if (!(order > R(-1.0)) || x0 != x0) return order <= R(-1.0) ? R(0.0) : x0 + order;
    const REAL x = kind >= 4 && kind < 8 ? R(2.0) * x0 - R(1.0) : x0;
    const int n = (int)fmin(order, R(100000.0)), of = kind < 8 ? kind & 3 : kind;
    REAL before = R(1.0), own = x;
    switch (of) {
    case 1: own = R(2.0) * x; break;          // U
    case 2: own = R(2.0) * x - R(1.0); break; // V
    case 3: own = R(2.0) * x + R(1.0); break; // W
    case 8: own = R(2.0) * x; break;          // H
    case 10: own = R(1.0) - x; break;         // L
    }
    if (n == 0) return R(1.0);
    for (int k = 1; k < n; k++) {
        const REAL f = (REAL)k;
        REAL next;
        if (of < 4) next = R(2.0) * x * own - before;
        else if (of == 8) next = R(2.0) * (x * own - f * before);
        else if (of == 9) next = x * own - f * before;
        else if (of == 10) next = ((R(2.0) * f + R(1.0) - x) * own - f * before) / (f + R(1.0));
        else next = ((R(2.0) * f + R(1.0)) * x * own - f * before) / (f + R(1.0));
        before = own;
        own = next;
    }
    return own;
}
