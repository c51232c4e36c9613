// dot block 4x4 unroll 1: 3 x 700 outputs of 4000 terms, which adjoin in memory
// launch contract_dot global [1 175 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments M=3 N=700 K=4000 BATCHES=1 n0=4000 n1=700
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define ROWS 4
#define COLS 4
#define UNROLL 1
#define VL 16
#define VT float16
#define VSTORE vstore16
#define LAST(v, n) ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)(n) ? (VT)(0) : (v))
#define LEVELS 0
#define A_TYPE half
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) vload_half16(0, p)
#define A_ONE(p, i) LOAD_float16(p, i)
#define B_TYPE half
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload_half16(0, p)
#define B_ONE(p, i) LOAD_float16(p, i)
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global half *restrict y0_, \
    const ulong o_y0, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

static inline long a_row_hook(const IDX b, const IDX i FN_PARAMS) {
    const int i0 = n0 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define A_ROW(b, i) a_row_hook(b, i FN_ARGS)

static inline long b_column_hook(const IDX b, const IDX i FN_PARAMS) {
    const int i0 = n0 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define B_COLUMN(b, i) b_column_hook(b, i FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_float16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n1 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float16(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/cpu_dot.cl"
