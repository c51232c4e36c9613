// subgroup tile 24x16x16 sub-groups 4x4 of 8: a GPU with sub-groups: tiles in registers that lanes share
// launch contract_subgroup global [18432] local [128]
// options -cl-single-precision-constant
// arguments A_STEP=512 B_STEP=504 TILES_M=6 TILES_N=8 M=500 N=504 K=512 BATCHES=3 n0=256000 n1=512 n2=258048 n3=504 n4=252000
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define LANES 8
#define LEVELS 0
#define RM 24
#define RN 2
#define TK 16
#define SX 4
#define SY 4
#define BAND 8
#define A_BY_K 1
#define B_BY_K 0
#define READS_A 2
#define NEAR_B 1
#define READ_A READ_float32
#define A_WIDE 4
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define READ_B READ_float32
#define FOUR_B FOUR_float32
#define B_WIDE 4
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define SPLIT 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX A_STEP, \
    const IDX B_STEP, \
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
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
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
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const int i0 = n2 * b + n + n3 * k;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n4 * b + n3 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "contract/gpu_subgroup_intel.cl"
#include "lib/block_sums.cl"
#include "contract/gpu_subgroup.cl"
