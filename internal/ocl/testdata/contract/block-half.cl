// block 42x176 of 6x16 depth 130: a CPU driver: blocks in the cache of one core
// launch contract_block global [3 1 2] local [1 1 1]
// options -cl-single-precision-constant
// arguments M=40 N=501 K=520 BATCHES=2 ROWS=42 GROUP=60 PANELS=11 DEPTH=130 LOTS=1 n0=20800 n1=520 n2=260520 n3=501 n4=20040
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define MR 6
#define NV 2
#define VL 8
#define NR 16
#define VT float8
#define VSTORE vstore8
#define SPACE_A 8192
#define SPACE_B 32768
#define ROWS_ADJOIN 0
#define LEVELS 0
#define SPACE_SUM 65536
#define RESTS 0
#define A_DIRECT 0
#define A_ALONG_K 1
#define A_ALONG_M 0
#define A_TYPE ushort
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) as_float8(convert_uint8(vload8(0, p)) << 16)
#define A_ONE(p, i) LOAD_bfloat16(p, i)
#define B_ALONG_K 0
#define B_ALONG_N 1
#define B_TYPE ushort
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) as_float8(convert_uint8(vload8(0, p)) << 16)
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
    const IDX ROWS, \
    const IDX GROUP, \
    const IDX PANELS, \
    const IDX DEPTH, \
    const IDX LOTS, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_PARAMS , __global const ushort *p0, \
    __global const ushort *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4

static inline long a_row_hook(const IDX b, const IDX i FN_PARAMS) {
    const int i0 = n0 * b + n1 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define A_ROW(b, i) a_row_hook(b, i FN_ARGS)

static inline long b_row_hook(const IDX b, const IDX k FN_PARAMS) {
    const int i0 = n2 * b + n3 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_ROW(b, k) b_row_hook(b, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n2 * b + n + n3 * k;
    const float v1 = LOAD_bfloat16(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_bfloat16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n4 * b + n3 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_bfloat16(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/cpu_block.cl"
