// panel: block 8x32 split k 49

// contract_panel
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 8
#define NV 2
#define VL 16
#define NR 32
#define VT float16
#define VLOAD vload16
#define A_DIRECT 1
#define B_DIRECT 1
#define SPLIT 1
#define OUT_VECTOR(b, m, n, x) *(__global VT_ANYWHERE *)(PART + (((size_t)(S_FROM + s) * BATCHES + (b)) * M + (m)) * N + (n)) = (x)
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p, i) LOAD_float32(p, i)
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload16(0, p)

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX x1 = m - q0 * n3;
    const int i2 = n2 * q0 + x1;
    const long v3 = (long)(i2);
    return v3;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n4, n5);
    const IDX q1 = (int)FASTDIV(k, n7, n8);
    const IDX x2 = q1 - q0 * n9;
    const IDX x3 = k - q1 * n9;
    const int i4 = n6 * q0 + n2 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

static inline long b_batch_hook(const IDX b FN_PARAMS) {
    const long v0 = (long)(0);
    return v0;
}
#define B_BATCH(b) b_batch_hook(b FN_ARGS)

static inline long b_row_hook(const IDX k FN_PARAMS) {
    const int i0 = n10 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_ROW(k) b_row_hook(k FN_ARGS)

static inline long b_column_hook(const IDX n FN_PARAMS) {
    const long v0 = (long)(n);
    return v0;
}
#define B_COLUMN(n) b_column_hook(n FN_ARGS)


// contract_sum
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define SPAN 64
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

