// product/any_output.cl: how BLAS calls store results, where sizes and scalars come with the call
//
//     C[m,n] = ALPHA · sum + BETA · C[m,n]      C is not read where BETA is 0: it may be NaN
//
// hooks   AT(i, j, ld)  where element j of row i lies    C_PTR  where C starts
// macros  ACC  type of the sums    VT  where defined, a vector of VL of them
//         HALF 1: of C, which is square, there is only a triangle, with its diagonal
// sizes   C_LD  from one row of C to the next    ALPHA BETA    LOWER  which triangle, where HALF
// note    defines OUT(b, m, n, v) and OUT_VECTOR(b, m, n, x) for the kernels of contractions

static inline void product_store(__global ACC *to, const ACC v, const ACC alpha, const ACC beta) {
    if (beta == 0)
        *to = alpha * v;
    else
        *to = alpha * v + beta * *to;
}
#if HALF
#define OUTSIDE(m, rows, n, columns) (LOWER ? (n) >= (m) + (rows) : (n) + (columns) <= (m))
#define OUT(b, m, n, v) product_store_inside(C_PTR + AT(m, n, C_LD), v, ALPHA, BETA, !OUTSIDE(m, 1, n, 1))
static inline void product_store_inside(__global ACC *to, const ACC v, const ACC alpha, const ACC beta, const bool inside) {
    if (inside)
        product_store(to, v, alpha, beta);
}
#else
#define OUT(b, m, n, v) product_store(C_PTR + AT(m, n, C_LD), v, ALPHA, BETA)
#endif

#ifdef VT
typedef VT __attribute__((aligned(sizeof(ACC)))) PRODUCT_VECTOR;
static inline void product_store_vector(__global ACC *p, const VT v, const ACC alpha, const ACC beta) {
    __global PRODUCT_VECTOR *to = (__global PRODUCT_VECTOR *)p;
    if (beta == 0)
        *to = alpha * v;
    else
        *to = alpha * v + beta * *to;
}
#if HALF
// Lanes [from, to) of v.
static inline void product_store_part(__global ACC *p, const VT v, const ACC alpha, const ACC beta, const IDX from, const IDX to) {
    if (from <= 0 && to >= VL) {
        product_store_vector(p, v, alpha, beta);
        return;
    }
    ACC lane[VL] __attribute__((aligned(sizeof(VT))));
    *(VT *)lane = v;
    for (int j = max(from, (IDX)0); j < min(to, (IDX)VL); j++)
        product_store(p + j, lane[j], alpha, beta);
}
#define OUT_VECTOR(b, m, n, x) \
    product_store_part(C_PTR + AT(m, n, C_LD), x, ALPHA, BETA, LOWER ? 0 : (m) - (n), LOWER ? (m) - (n) + 1 : VL)
#else
#define OUT_VECTOR(b, m, n, x) product_store_vector(C_PTR + AT(m, n, C_LD), x, ALPHA, BETA)
#endif
#endif
