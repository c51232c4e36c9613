// tile: tile 32x32x16 items 8x8 split k 10

// contract_tile
#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define TM 32
#define TN 32
#define TK 16
#define TX 8
#define TY 8
#define VW 4
#define VEC double4
#define SPREAD(v, p) vstore4(v, 0, p)
#define STAGES 1
#define A_BY_K 1
#define LA 1
#define B_BY_K 1
#define LB 1
#define SPLIT 1

static inline double load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * m + k;
    const double v1 = LOAD_float64(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline double load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n0 * n + k;
    const double v1 = LOAD_float64(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)


// contract_sum
#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define SPAN 1
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (double)(v)))

static inline double epilogue_hook(const IDX b, const IDX m, const IDX n, const double acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float64(y0_ + o_y0, i, (v))

