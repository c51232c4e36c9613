// mma tile 16x16x64 warps 1x1 stages 4: matrix units
// launch contract_mma global [384] local [32]
// options -cl-single-precision-constant
// arguments TILES_M=2 TILES_N=3 M=21 N=35 K=40 BATCHES=2 n0=2 n1=58 n2=840 n3=40 n4=35 n5=1400 n6=735
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define TM 16
#define TN 16
#define TK 64
#define WX 1
#define WY 1
#define WG (32 * WX * WY)
#define STAGES 4
#define WARPGROUPS 0
#define LEVELS 0
#define SUMS_FROM (int)((IDX)M >> (8 * sizeof(IDX) - 1))
#define BAND 8
#define BF16 1
#define MMA_SM 80
#define A_BY_K 1
#define COPY_A 0
#define STEADY_A 0
#define B_BY_K 1
#define COPY_B 0
#define STEADY_B 0
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global const ushort *restrict p1_, \
    const ulong o_p1, \
    __global const ushort *restrict p2_, \
    const ulong o_p2, \
    __global const int *restrict p4_, \
    const ulong o_p4, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    const IDX TILES_M, \
    const IDX TILES_N, \
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
#define FN_PARAMS , __global const ushort *p0, \
    __global const ushort *p1, \
    __global const ushort *p2, \
    __global const ushort *p3, \
    __global const int *p4, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, y0_ + o_y0, p4_ + o_p4, n0, n1, n2, n3, n4, n5, n6

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = m + k;
    const int g1 = i0 >= n0 && i0 < n1;
    const int i2 = n2 * b + n3 * m + k;
    const float v3 = g1 ? LOAD_bfloat16(p0, i2) : (float)0;
    const float v4 = 0x1p-01f;
    const float v5 = (float)(v3 * v4);
    return v5;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int v0 = LOAD_int32(p4, k);
    const int z1 = (int)v0;
    const int q2 = floordiv_int(z1, n3);
    const int r3 = z1 - q2 * n3;
    const int i4 = n4 * r3 + n5 * b + n;
    const float v5 = LOAD_bfloat16(p1, i4);
    return v5;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_bfloat16(acc));
    const float v1 = LOAD_bfloat16(p2, n);
    const float v2 = (float)(v0 + v1);
    const int i3 = n6 * b + n4 * m + n;
    const float v4 = LOAD_bfloat16(p3, i3);
    const float v5 = (float)(v2 + v4);
    const float v6 = (float)(fmax(v5, (float)0));
    return v6;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n6 * b + n4 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_bfloat16(y0_ + o_y0, i, (v))

#include "contract/gpu_mma_ptx.cl"
#include "lib/block_sums.cl"
#include "contract/gpu_mma_tile.cl"
#include "contract/gpu_mma.cl"
