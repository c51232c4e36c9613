// stream 2512 columns, 4 rows at a time: a CPU driver: one row, and a matrix that is read once, row by row
// launch contract_stream global [2 1 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments M=1 N=5001 K=700 BATCHES=1 COLUMNS=2512 n0=5001
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define VL 16
#define VT float16
#define STEPS 4
#define LEVELS 1
#define TERMS 512
#define SPACE 4096
#define B_TYPE ushort
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) as_float16(convert_uint16(vload16(0, p)) << 16)
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global const ushort *restrict p1_, \
    const ulong o_p1, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX COLUMNS, \
    const IDX n0
#define FN_PARAMS , __global const ushort *p0, \
    __global const ushort *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const float v0 = LOAD_bfloat16(p0, k);
    return v0;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n + n0 * k;
    const float v1 = LOAD_bfloat16(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline long b_row_hook(const IDX b, const IDX k FN_PARAMS) {
    const int i0 = n0 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_ROW(b, k) b_row_hook(b, k FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_bfloat16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const long v0 = (long)(n);
    return v0;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_bfloat16(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/cpu_stream.cl"
