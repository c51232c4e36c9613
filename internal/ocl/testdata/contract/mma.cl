// mma tile 128x128x32 warps 2x4 stages 3: matrix units
// launch contract_mma global [12288] local [256]
// options -cl-single-precision-constant
// arguments A_WIDE=1 B_WIDE=1 TILES_M=4 TILES_N=4 M=500 N=504 K=512 BATCHES=3 n0=256000 n1=512 n2=258048 n3=504 n4=252000
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define TM 128
#define TN 128
#define TK 32
#define WX 2
#define WY 4
#define WG (32 * WX * WY)
#define STAGES 3
#define WARPGROUPS 0
#define LEVELS 0
#define SUMS_FROM (int)((IDX)M >> (8 * sizeof(IDX) - 1))
#define BAND 8
#define BF16 0
#define MMA_SM 80
#define A_BY_K 1
#define COPY_A 1
#define STEADY_A 1
#define A_TYPE half
#define A_PTR (p0_ + o_p0)
#define B_BY_K 0
#define COPY_B 1
#define STEADY_B 1
#define B_TYPE half
#define B_PTR (p1_ + o_p1)
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global half *restrict y0_, \
    const ulong o_y0, \
    const IDX A_WIDE, \
    const IDX B_WIDE, \
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
    const IDX n4
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4

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
    const float v1 = LOAD_float16(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n2 * b + n + n3 * k;
    const float v1 = LOAD_float16(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_float16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n4 * b + n3 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float16(y0_ + o_y0, i, (v))

#include "contract/gpu_mma_ptx.cl"
#include "lib/block_sums.cl"
#include "contract/gpu_mma_tile.cl"
#include "contract/gpu_mma.cl"
