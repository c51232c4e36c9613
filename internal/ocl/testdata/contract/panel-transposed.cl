// panel: block 8x32 pack b

// contract_pack_b
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define PACK_K 64
#define NR 32
#define ALONG_K 1
#define VL 16
#define VT float16
#define VSTORE vstore16
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload16(0, p)
#define B_ONE(p, i) LOAD_float32(p, i)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n0 * n + k;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline long b_column_hook(const IDX b, const IDX i FN_PARAMS) {
    const int i0 = n0 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define B_COLUMN(b, i) b_column_hook(b, i FN_ARGS)


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
#define B_DIRECT 0
#define SPLIT 0
#define BY_COLUMN 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define OUT_VECTOR(b, m, n, x) *(__global VT_ANYWHERE *)((y0_ + o_y0) + OUT_AT(b, m, n)) = (x)
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p, i) LOAD_float32(p, i)

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

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const int i0 = n1 * m;
    const long v1 = (long)(i0);
    return v1;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const long v0 = (long)(k);
    return v0;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

