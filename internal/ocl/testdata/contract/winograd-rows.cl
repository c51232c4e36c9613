// winograd: 55 tiles of 5 x 32 columns of 2x8, 64 channels

// contract_winograd_kernels
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define NR 16

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n1, n2);
    const IDX x1 = k - q0 * n3;
    const int i2 = n0 * n + q0 + n4 * x1;
    const float v3 = LOAD_float16(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)


// contract_winograd
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define NR 16
#define MR 5
#define NV 2
#define VL 8
#define VT float8
#define SPACE 90112
#define ROWS_ADJOIN 1
#define A_TYPE half
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) vload_half8(0, p)
#define A_ONE(p, i) LOAD_float16(p, i)
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))

static inline long a_row_hook(const IDX b, const IDX i FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(i, n0, n1);
    const IDX q1 = (int)FASTDIV(i, n3, n4);
    const IDX x2 = q1 - q0 * n5;
    const IDX x3 = i - q1 * n7;
    const int i4 = n2 * q0 + n6 * x2 + n8 * x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_ROW(b, i) a_row_hook(b, i FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX q1 = (int)FASTDIV(m, n3, n4);
    const IDX x2 = q1 - q0 * n5;
    const IDX x3 = m - q1 * n7;
    const IDX q4 = (int)FASTDIV(k, n9, n10);
    const IDX x5 = k - q4 * n11;
    const int i6 = n2 * q0 + n6 * x2 + n8 * x3 + n6 * q4 + x5;
    const float v7 = LOAD_float16(p0, i6);
    return v7;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n13, n14);
    const IDX x1 = k - q0 * n8;
    const int i2 = n12 * n + q0 + n15 * x1;
    const float v3 = LOAD_float16(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_float16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX x1 = m - q0 * n17;
    const int i2 = n16 * q0 + x1 + n17 * n;
    const long v3 = (long)(i2);
    return v3;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float16(y0_ + o_y0, i, (v))

