#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define SPLIT 0
#define BATCHES 1
#define A_TYPE double
#define A_PTR (p0_ + o_p0)
#define LOAD_A(b, m, k) (A_PTR[AT(m, k, A_LD)])
#define B_TYPE double
#define B_PTR (p1_ + o_p1)
#define LOAD_B(b, k, n) (B_PTR[AT(k, n, B_LD)])
#define AT(i, j, ld) ((long)(i) * (ld) + (j))
#define C_PTR (y0_ + o_y0)
#define ROWS 4
#define COLS 1
#define UNROLL 2
#define VL 4
#define VT double4
#define VSTORE vstore4
#define LAST(v, n) ((long4)(0, 1, 2, 3) < (long4)(n) ? (VT)(0) : (v))
#define LEVELS 0
#define A_ROW(b, m) AT(m, 0, A_LD)
#define B_COLUMN(b, n) 0
#define A_ONE(p, i) LOAD_float64(p, i)
#define B_ONE(p, i) LOAD_float64(p, i)
#define A_LOAD(p) vload4(0, p)
#define B_LOAD(p) vload4(0, p)
#define HALF 0
#define PARAMS __global const double *restrict p0_, \
    const ulong o_p0, \
    __global const double *restrict p1_, \
    const ulong o_p1, \
    __global double *restrict y0_, \
    const ulong o_y0, \
    const double ALPHA, \
    const double BETA, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX A_LD, \
    const IDX B_LD, \
    const IDX C_LD
#define FN_PARAMS , __global const double *p0, \
    __global const double *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#include "product/any_output.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_dot.cl"
