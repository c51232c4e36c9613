// factor/any_update.cl: how products of parts of matrices are stored, for decompositions
//
//     C[b,m,n] -= sum      ASSIGN 1: C[b,m,n] = sum
//
// hooks   C_PTR  where C starts    AT(i, j, ld)  where element j of row i lies
// macros  ACC  type of the sums    VT  where defined, a vector of VL of them
// sizes   C_LD  from one row of C to the next    C_STEP  from one matrix to the next
//         LOWER 1: of C, which is square, only the lower triangle counts
// note    defines OUT(b, m, n, v), OUT_VECTOR(b, m, n, x), OUTSIDE and STRIP for the kernels of contractions. Tiles that cross the diagonal
//         are stored whole where LOWER: what lies above it is nobody's

#define OUTSIDE(m, rows, n, columns) (LOWER && (n) >= (m) + (rows))
// Drivers give a core half of the items there are, then half of the rest: of a triangle, tall strips alternate with short ones.
#define STRIP(i, n) (!LOWER ? (i) : (i) % 2 ? (n) - 1 - (i) / 2 : (i) / 2)
#define C_AT(b, m, n) (C_PTR + ((long)(b) * C_STEP + AT(m, n, C_LD)))
#if ASSIGN
#define OUT(b, m, n, v) *C_AT(b, m, n) = (v)
#else
#define OUT(b, m, n, v) *C_AT(b, m, n) -= (v)
#endif

#ifdef VT
typedef VT __attribute__((aligned(sizeof(ACC)))) UPDATE_VECTOR;
static inline void update_vector(__global ACC *p, const VT v) {
    __global UPDATE_VECTOR *to = (__global UPDATE_VECTOR *)p;
#if ASSIGN
    *to = v;
#else
    *to -= v;
#endif
}
#define OUT_VECTOR(b, m, n, x) update_vector(C_AT(b, m, n), x)
#endif
