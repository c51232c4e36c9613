// strip: 4 rows x 3 vectors of 8, step 1, 4 x 114 an item

// contract_pack_a
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define PACK_K 64
#define MR 4

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(b, n0, n1);
    const IDX x1 = b - q0 * n2;
    const int i2 = n3 * x1 + n4 * m + k;
    const float v3 = LOAD_float16(p0, i2);
    return v3;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)


// contract_strip
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 4
#define NV 3
#define TAPS 64
#define SPACE 128
#define B_TYPE half
#define B_PTR (p1_ + o_p1)
#define VL 8
#define VT float8
#define STEP 1
#define LINE_TYPE half
#define LINE_LOAD(p) vload_half8(0, p)
#define LINE_ONE(p, i) LOAD_float16(p, i)
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define WHOLE 0

static inline long b_at_hook(const IDX b, const IDX r, const IDX i FN_PARAMS) {
    const int i0 = n0 * b + n1 * r + i;
    const long v1 = (long)(i0);
    return v1;
}
#define B_AT(b, r, i) b_at_hook(b, r, i FN_ARGS)

static inline long b_tap_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n2, n3);
    const IDX q1 = (int)FASTDIV(k, n5, n6);
    const IDX x2 = q1 - q0 * n7;
    const IDX x3 = k - q1 * n7;
    const int i4 = n4 * q0 + n1 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define B_TAP(k) b_tap_hook(k FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_float16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n8 * b + n9 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float16(y0_ + o_y0, i, (v))

