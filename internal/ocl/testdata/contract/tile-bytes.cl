// tile tile 128x64x16 items 8x16 slices 2: a GPU: tiles in local memory
// launch contract_tile global [24576] local [256]
// options -cl-single-precision-constant
// arguments A_WHOLE=128 B_WHOLE=128 TILES_M=4 TILES_N=8 A_WIDE=1 M=500 N=504 K=128 BATCHES=3 n0=256000 n1=512 n2=4 n3=2 n4=3 n5=258048 n6=2016 n7=504 n8=1008 n9=1512 n10=252000
#define ACC uint
#define MAC(a, b, c) DOT_US(a, b, c)
#define WORDS 4
#define TM 128
#define TN 64
#define TK 16
#define TX 8
#define TY 16
#define VW 4
#define VEC uint4
#define SPREAD(v, p) vstore4(v, 0, p)
#define STAGES 1
#define SLICES 2
#define BAND 8
#define SUMS_FROM (int)((IDX)M >> (8 * sizeof(IDX) - 1))
#define LEVELS 0
#define A_BY_K 1
#define LA 1
#define B_BY_K 0
#define LB 1
#define STEADY 0
#define A_TYPE uchar
#define A_PTR (p0_ + o_p0)
#define LOAD_A(b, m, k) (A_WIDE && ((size_t)A_PTR & 3) == 0 ? *(__global const uint *)(A_PTR + A_AT(b, m, k)) : A_BYTES(b, m, k))
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (int)(v)))
#define PARAMS __global const uchar *restrict p0_, \
    const ulong o_p0, \
    __global const char *restrict p1_, \
    const ulong o_p1, \
    __global int *restrict y0_, \
    const ulong o_y0, \
    const IDX A_WHOLE, \
    const IDX B_WHOLE, \
    const IDX TILES_M, \
    const IDX TILES_N, \
    const IDX A_WIDE, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9, \
    const IDX n10
#define FN_PARAMS , __global const uchar *p0, \
    __global const char *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9, \
    const IDX n10
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10

static inline long a_at_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * b + n1 * m + n2 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define A_AT(b, m, k) a_at_hook(b, m, k FN_ARGS)

static inline uint a_bytes_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * b + n1 * m + n2 * k;
    const uchar v1 = LOAD_uint8(p0, i0);
    const int i2 = n0 * b + n1 * m + n2 * k + 1;
    const uchar v3 = LOAD_uint8(p0, i2);
    const int i4 = n0 * b + n1 * m + n2 * k + n3;
    const uchar v5 = LOAD_uint8(p0, i4);
    const int i6 = n0 * b + n1 * m + n2 * k + n4;
    const uchar v7 = LOAD_uint8(p0, i6);
    const uint v8 = (uint)((uint)(uchar)v1 | (uint)(uchar)v3 << 8 | (uint)(uchar)v5 << 16 | (uint)(uchar)v7 << 24);
    return v8;
}
#define A_BYTES(b, m, k) a_bytes_hook(b, m, k FN_ARGS)

static inline uint load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n5 * b + n + n6 * k;
    const char v1 = LOAD_int8(p1, i0);
    const int i2 = n5 * b + n + n6 * k + n7;
    const char v3 = LOAD_int8(p1, i2);
    const int i4 = n5 * b + n + n6 * k + n8;
    const char v5 = LOAD_int8(p1, i4);
    const int i6 = n5 * b + n + n6 * k + n9;
    const char v7 = LOAD_int8(p1, i6);
    const uint v8 = (uint)((uint)(uchar)v1 | (uint)(uchar)v3 << 8 | (uint)(uchar)v5 << 16 | (uint)(uchar)v7 << 24);
    return v8;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline int epilogue_hook(const IDX b, const IDX m, const IDX n, const int acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n10 * b + n7 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_int32(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/gpu_tile.cl"
