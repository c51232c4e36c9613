// product.cl: what sums of a product become where sizes and scalars come with the call
//
//     C[m,n] = ALPHA · sum + BETA · C[m,n]      C is not read where BETA is 0: it may be NaN
//
// hooks   AT(i, j, ld)  where element j of row i lies    C_PTR  where C starts
// macros  ACC  type of the sums    VT  where defined, a vector of them
// sizes   C_LD  from one row of C to the next    ALPHA BETA
// note    defines OUT(b, m, n, v) and OUT_VECTOR(b, m, n, x) for the kernels of contractions

static inline void product_store(__global ACC *to, const ACC v, const ACC alpha, const ACC beta) {
    if (beta == 0)
        *to = alpha * v;
    else
        *to = alpha * v + beta * *to;
}
#define OUT(b, m, n, v) product_store(C_PTR + AT(m, n, C_LD), v, ALPHA, BETA)

#ifdef VT
typedef VT __attribute__((aligned(sizeof(ACC)))) PRODUCT_VECTOR;
static inline void product_store_vector(__global ACC *p, const VT v, const ACC alpha, const ACC beta) {
    __global PRODUCT_VECTOR *to = (__global PRODUCT_VECTOR *)p;
    if (beta == 0)
        *to = alpha * v;
    else
        *to = alpha * v + beta * *to;
}
#define OUT_VECTOR(b, m, n, x) product_store_vector(C_PTR + AT(m, n, C_LD), x, ALPHA, BETA)
#endif
