// subgroup: tile 24x16x16 sub-groups 4x4 of 8

// contract_subgroup
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define LANES 8
#define RM 24
#define RN 2
#define TK 16
#define SX 4
#define SY 4
#define BAND 8
#define A_BY_K 1
#define B_BY_K 0
#define READS_A 2
#define NEAR_B 1
#define READ_A READ_float32
#define A_WIDE 4
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define READ_B READ_float32
#define FOUR_B FOUR_float32
#define B_WIDE 4
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))

static inline long a_at_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * b + n1 * m + k;
    const long v1 = (long)(i0);
    return v1;
}
#define A_AT(b, m, k) a_at_hook(b, m, k FN_ARGS)

static inline long b_at_hook(const IDX b, const IDX n, const IDX k FN_PARAMS) {
    const int i0 = n2 * b + n + n3 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_AT(b, n, k) b_at_hook(b, n, k FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * b + n1 * m + k;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n2 * b + n + n3 * k;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n4 * b + n3 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

