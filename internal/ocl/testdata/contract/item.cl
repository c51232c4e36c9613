// item item: ANYCL_VARIANT
// launch contract_item global [1472] local [64]
// options -cl-single-precision-constant
// arguments COUNT=1470 M=21 N=35 K=40 BATCHES=2 n0=2 n1=58 n2=840 n3=40 n4=35 n5=1400 n6=735
#define ACC uint
#define MAC(a, b, c) ((a) * (b) + (c))
#define LEVELS 0
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (int)(v)))
#define PARAMS __global const int *restrict p0_, \
    const ulong o_p0, \
    __global const int *restrict p1_, \
    const ulong o_p1, \
    __global const int *restrict p2_, \
    const ulong o_p2, \
    __global const int *restrict p4_, \
    const ulong o_p4, \
    __global int *restrict y0_, \
    const ulong o_y0, \
    const IDX COUNT, \
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
    const IDX n6
#define FN_PARAMS , __global const int *p0, \
    __global const int *p1, \
    __global const int *p2, \
    __global const int *p3, \
    __global const int *p4, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, y0_ + o_y0, p4_ + o_p4, n0, n1, n2, n3, n4, n5, n6

static inline int load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = m + k;
    const int g1 = i0 >= n0 && i0 < n1;
    const int i2 = n2 * b + n3 * m + k;
    const int v3 = g1 ? LOAD_int32(p0, i2) : (int)0;
    const int v4 = 2;
    const int v5 = (int)((uint)v3 * (uint)v4);
    return v5;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline int load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int v0 = LOAD_int32(p4, k);
    const int z1 = (int)v0;
    const int q2 = floordiv_int(z1, n3);
    const int r3 = z1 - q2 * n3;
    const int i4 = n4 * r3 + n5 * b + n;
    const int v5 = LOAD_int32(p1, i4);
    return v5;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline int epilogue_hook(const IDX b, const IDX m, const IDX n, const int acc FN_PARAMS) {
    const int v0 = LOAD_int32(p2, n);
    const int v1 = (int)((uint)acc + (uint)v0);
    const int i2 = n6 * b + n4 * m + n;
    const int v3 = LOAD_int32(p3, i2);
    const int v4 = (int)((uint)v1 + (uint)v3);
    return v4;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n6 * b + n4 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_int32(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/any_item.cl"
