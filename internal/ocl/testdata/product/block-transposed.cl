#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define SPLIT 0
#define BATCHES 1
#define A_TYPE double
#define A_PTR (p0_ + o_p0)
#define LOAD_A(b, m, k) (A_PTR[AT(k, m, A_LD)])
#define B_TYPE double
#define B_PTR (p1_ + o_p1)
#define LOAD_B(b, k, n) (B_PTR[AT(n, k, B_LD)])
#define AT(i, j, ld) ((long)(i) * (ld) + (j))
#define C_PTR (y0_ + o_y0)
#define MR 8
#define NV 2
#define VL 8
#define NR 16
#define VT double8
#define VSTORE vstore8
#define SPACE_A 4096
#define SPACE_B 16384
#define SPACE_SUM 32768
#define RESTS 0
#define LEVELS 0
#define ROWS_ADJOIN 0
#define LOTS 1
#define A_DIRECT 0
#define A_ALONG_K 0
#define A_ALONG_M 1
#define A_ROW(b, m) AT(m, 0, A_LD)
#define A_COLUMN(b, k) AT(k, 0, A_LD)
#define A_ONE(p, i) LOAD_float64(p, i)
#define A_LOAD(p) vload8(0, p)
#define MSTORE vstore8
#define B_ALONG_K 1
#define B_ALONG_N 0
#define B_COLUMN(b, n) AT(n, 0, B_LD)
#define B_ROW(b, k) AT(k, 0, B_LD)
#define B_LOAD(p) vload8(0, p)
#define HALF 0
#define PARAMS __global const double *restrict p0_, \
    const ulong o_p0, \
    __global const double *restrict p1_, \
    const ulong o_p1, \
    __global double *restrict y0_, \
    const ulong o_y0, \
    const double ALPHA, \
    const double BETA, \
    const IDX ROWS, \
    const IDX GROUP, \
    const IDX PANELS, \
    const IDX DEPTH, \
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
#include "lib/cpu_transpose.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_block.cl"
