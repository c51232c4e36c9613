// lines: block 4x4, 3 x 32 columns, 7 lines of 112 split k 16

// contract_lines
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define ROWS 4
#define COLS 4
#define SPACE_A 49152
#define SPACE_B 49152
#define SPACE_SUM 16384
#define TAPS 64
#define MEND 1
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define VL 16
#define VT float16
#define STEP 2
#define LINE_TYPE float
#define LINE_LOAD(p) (*(__global const VT_ANYWHERE *)(p))
#define LINE_ONE(p, i) LOAD_float32(p, i)
#define B_PLAIN 1
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload16(0, p)
#define B_ONE(p, i) LOAD_float32(p, i)
#define SPLIT 1

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX q1 = (int)FASTDIV(m, n3, n4);
    const IDX x2 = q1 - q0 * n5;
    const IDX x3 = m - q1 * n5;
    const int i4 = n2 * q0 + n6 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n7, n8);
    const IDX q1 = (int)FASTDIV(k, n10, n11);
    const IDX x2 = q1 - q0 * n12;
    const IDX x3 = k - q1 * n12;
    const int i4 = n9 * q0 + n13 * x2 + n14 * x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

static inline long b_column_hook(const IDX b, const IDX n FN_PARAMS) {
    const int i0 = n15 * n;
    const long v1 = (long)(i0);
    return v1;
}
#define B_COLUMN(b, n) b_column_hook(b, n FN_ARGS)

static inline long b_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n7, n8);
    const IDX x1 = k - q0 * n15;
    const int i2 = n16 * q0 + x1;
    const long v3 = (long)(i2);
    return v3;
}
#define B_COL(k) b_col_hook(k FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX q1 = (int)FASTDIV(m, n3, n4);
    const IDX x2 = q1 - q0 * n5;
    const IDX x3 = m - q1 * n5;
    const IDX q4 = (int)FASTDIV(k, n7, n8);
    const IDX q5 = (int)FASTDIV(k, n10, n11);
    const IDX x6 = q5 - q4 * n12;
    const IDX x7 = k - q5 * n12;
    const int i8 = n2 * q0 + n6 * x2 + x3 + n9 * q4 + n13 * x6 + n14 * x7;
    const float v9 = LOAD_float32(p0, i8);
    return v9;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n7, n8);
    const IDX x1 = k - q0 * n15;
    const int i2 = n15 * n + n16 * q0 + x1;
    const float v3 = LOAD_float32(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)


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

