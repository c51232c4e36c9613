// block 504x256 of 8x32 depth 126: a CPU driver: four products of bytes at a time, in the cache of one core
// launch contract_block global [2 1 1] local [1 1 1]
// options -cl-single-precision-constant
// arguments A_WHOLE=125 B_WHOLE=125 B_APART=501 M=500 N=501 K=126 BATCHES=1 ROWS=504 GROUP=64 PANELS=8 DEPTH=126 LOTS=1 n0=502 n1=2004 n2=4 n3=2 n4=3 n5=501 n6=1002 n7=1503
#define ACC uint
#define MAC(a, b, c) DOT_US(a, b, c)
#define WORDS 4
#define FLIP 0x80808080u
#define MR 8
#define NV 2
#define VL 16
#define NR 32
#define VT uint16
#define VSTORE vstore16
#define SPACE_A 8192
#define SPACE_B 32768
#define ROWS_ADJOIN 0
#define LEVELS 0
#define SPACE_SUM 0
#define RESTS 0
#define A_DIRECT 0
#define A_ALONG_K 1
#define A_ALONG_M 0
#define A_TYPE char
#define A_PTR (p0_ + o_p0)
#define A_LOAD(p) (vload16(0, (__global const uint *)(p)) ^ 0x80808080u)
#define A_ONE(p, i) (as_uint(vload4(0, (p) + (i))) ^ 0x80808080u)
#define B_ALONG_K 0
#define B_ALONG_N 1
#define B_TYPE char
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) (convert_uint16(as_uchar16(vload16(0, (p) + 0 * (long)B_APART))) | convert_uint16(as_uchar16(vload16(0, (p) + 1 * (long)B_APART))) << 8 | convert_uint16(as_uchar16(vload16(0, (p) + 2 * (long)B_APART))) << 16 | convert_uint16(as_uchar16(vload16(0, (p) + 3 * (long)B_APART))) << 24)
#define PUT_VECTOR(v, p) (*(__global VT_ANYWHERE *)(p) = (v))
#define OUT_VECTOR(b, m, n, x) PUT_VECTOR((x), (y0_ + o_y0) + OUT_AT(b, m, n))
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (int)(v)))
#define PARAMS __global const char *restrict p0_, \
    const ulong o_p0, \
    __global const char *restrict p1_, \
    const ulong o_p1, \
    __global int *restrict y0_, \
    const ulong o_y0, \
    const IDX A_WHOLE, \
    const IDX B_WHOLE, \
    const IDX B_APART, \
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
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7
#define FN_PARAMS , __global const char *p0, \
    __global const char *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4, n5, n6, n7

static inline long a_row_hook(const IDX b, const IDX i FN_PARAMS) {
    const int i0 = n0 * i;
    const long v1 = (long)(i0);
    return v1;
}
#define A_ROW(b, i) a_row_hook(b, i FN_ARGS)

static inline long b_row_hook(const IDX b, const IDX k FN_PARAMS) {
    const int i0 = n1 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_ROW(b, k) b_row_hook(b, k FN_ARGS)

static inline uint load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * m + n2 * k;
    const char v1 = LOAD_int8(p0, i0);
    const int i2 = n0 * m + n2 * k + 1;
    const char v3 = LOAD_int8(p0, i2);
    const int i4 = n2 * k + n3;
    const int g5 = i4 < n0;
    const int i6 = n0 * m + n2 * k + n3;
    const char v7 = g5 ? LOAD_int8(p0, i6) : (char)0;
    const int i8 = n2 * k + n4;
    const int g9 = i8 < n0;
    const int i10 = n0 * m + n2 * k + n4;
    const char v11 = g9 ? LOAD_int8(p0, i10) : (char)0;
    const uint v12 = (uint)((uint)(uchar)v1 | (uint)(uchar)v3 << 8 | (uint)(uchar)v7 << 16 | (uint)(uchar)v11 << 24);
    const uint v13 = (uint)(v12 ^ 0x80808080u);
    return v13;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline uint load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n + n1 * k;
    const char v1 = LOAD_int8(p1, i0);
    const int i2 = n + n1 * k + n5;
    const char v3 = LOAD_int8(p1, i2);
    const int i4 = n2 * k + n3;
    const int g5 = i4 < n0;
    const int i6 = n + n1 * k + n6;
    const char v7 = g5 ? LOAD_int8(p1, i6) : (char)0;
    const int i8 = n2 * k + n4;
    const int g9 = i8 < n0;
    const int i10 = n + n1 * k + n7;
    const char v11 = g9 ? LOAD_int8(p1, i10) : (char)0;
    const uint v12 = (uint)((uint)(uchar)v1 | (uint)(uchar)v3 << 8 | (uint)(uchar)v7 << 16 | (uint)(uchar)v11 << 24);
    return v12;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline int epilogue_hook(const IDX b, const IDX m, const IDX n, const int acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n5 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_int32(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/cpu_block.cl"
