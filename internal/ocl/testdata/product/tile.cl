#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define SPLIT 0
#define BATCHES 1
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define LOAD_A(b, m, k) (A_PTR[AT(m, k, A_LD)])
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define LOAD_B(b, k, n) (B_PTR[AT(n, k, B_LD)])
#define AT(i, j, ld) ((long)(i) * (ld) + (j))
#define C_PTR (y0_ + o_y0)
#define TM 64
#define TN 32
#define TK 16
#define TX 8
#define TY 8
#define VW 4
#define VEC float4
#define SPREAD(v, p) vstore4(v, 0, p)
#define STAGES 2
#define SLICES 4
#define BAND 8
#define SUMS_FROM (int)((IDX)M >> (8 * sizeof(IDX) - 1))
#define LEVELS 0
#define A_BY_K 1
#define LA 4
#define A_AT(b, m, k) AT(m, k, A_LD)
#define B_BY_K 1
#define LB 1
#define STEADY 0
#define HALF 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const float ALPHA, \
    const float BETA, \
    const IDX A_WIDE, \
    const IDX TILES_M, \
    const IDX TILES_N, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX A_LD, \
    const IDX B_LD, \
    const IDX C_LD
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#include "product/any_output.cl"
#include "lib/block_sums.cl"
#include "contract/gpu_tile.cl"
