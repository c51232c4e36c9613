// winograd: 56 tiles of 8 x 32 columns of 2x16, 64 channels

// contract_winograd_kernels
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define NR 32

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n1, n2);
    const IDX x1 = k - q0 * n3;
    const int i2 = n0 * n + q0 + n4 * x1;
    const float v3 = LOAD_float32(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)


// contract_winograd
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define NR 32
#define MR 8
#define NV 2
#define VL 16
#define VT float16
#define SPACE 90112
#define ROWS_ADJOIN 0
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) vload16(0, p)
#define A_ONE(p, i) LOAD_float32(p, i)
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))

static inline long a_row_hook(const IDX b, const IDX i FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(i, n0, n1);
    const IDX x1 = i - q0 * n3;
    const int i2 = n2 * q0 + n4 * x1;
    const long v3 = (long)(i2);
    return v3;
}
#define A_ROW(b, i) a_row_hook(b, i FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX x1 = m - q0 * n3;
    const IDX q2 = (int)FASTDIV(k, n5, n6);
    const IDX x3 = k - q2 * n7;
    const int i4 = n2 * q0 + n4 * x1 + n2 * q2 + x3;
    const float v5 = LOAD_float32(p0, i4);
    return v5;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n9, n10);
    const IDX x1 = k - q0 * n4;
    const int i2 = n8 * n + q0 + n11 * x1;
    const float v3 = LOAD_float32(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = LOAD_float32(p2, n);
    const float v1 = (float)(acc + v0);
    const int i2 = n4 * m + n;
    const float v3 = LOAD_float32(p3, i2);
    const float v4 = (float)(v1 + v3);
    const float v5 = (float)(fmax(v4, (float)0));
    return v5;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n4 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

