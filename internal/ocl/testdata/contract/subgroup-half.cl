// subgroup tile 8x32x16 sub-groups 2x8 of 16 split k 5: a GPU with sub-groups: tiles in registers that lanes share
// launch contract_subgroup global [1280] local [256]
// options -cl-single-precision-constant
// arguments A_STEP=9000 B_STEP=50 TILES_M=1 TILES_N=1 M=64 N=50 K=9000 BATCHES=1 CHUNK=1808 n0=9000 n1=50
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define LANES 16
#define LEVELS 1
#define TERMS 512
#define RM 8
#define RN 2
#define TK 16
#define SX 2
#define SY 8
#define BAND 8
#define A_BY_K 1
#define B_BY_K 0
#define READS_A 1
#define NEAR_B 1
#define READ_A READ_bfloat16
#define A_WIDE 4
#define A_TYPE ushort
#define A_PTR (p1_ + o_p1)
#define READ_B READ_bfloat16
#define FOUR_B FOUR_bfloat16
#define B_WIDE 4
#define B_TYPE ushort
#define B_PTR (p0_ + o_p0)
#define SPLIT 1
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global const ushort *restrict p1_, \
    const ulong o_p1, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PART, \
    const IDX A_STEP, \
    const IDX B_STEP, \
    const IDX TILES_M, \
    const IDX TILES_N, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX CHUNK, \
    const IDX n0, \
    const IDX n1
#define FN_PARAMS , __global const ushort *p0, \
    __global const ushort *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

static inline long a_at_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * m + k;
    const long v1 = (long)(i0);
    return v1;
}
#define A_AT(b, m, k) a_at_hook(b, m, k FN_ARGS)

static inline long b_at_hook(const IDX b, const IDX n, const IDX k FN_PARAMS) {
    const int i0 = n + n1 * k;
    const long v1 = (long)(i0);
    return v1;
}
#define B_AT(b, n, k) b_at_hook(b, n, k FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const int i0 = n0 * m + k;
    const float v1 = LOAD_bfloat16(p1, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n + n1 * k;
    const float v1 = LOAD_bfloat16(p0, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

#include "contract/gpu_subgroup_intel.cl"
#include "lib/block_sums.cl"
#include "contract/gpu_subgroup.cl"
// launch contract_sum global [3200] local [64]
// options -cl-single-precision-constant
// arguments M=64 N=50 BATCHES=1 SPLITS=5 n0=64
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define SPAN 1
#define LEVELS 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global const ushort *restrict p1_, \
    const ulong o_p1, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PART, \
    const IDX M, \
    const IDX N, \
    const IDX BATCHES, \
    const IDX SPLITS, \
    const IDX n0
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, PART, M, N, BATCHES, SPLITS, n0
#define FN_PARAMS , __global const ushort *p0, \
    __global const ushort *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_bfloat16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = m + n0 * n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_bfloat16(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/any_sum.cl"
