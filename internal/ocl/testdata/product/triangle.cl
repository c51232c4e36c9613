#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define A_TYPE double
#define A_PTR (p0_ + o_p0)
#define B_PTR (y0_ + o_y0)
#define SOLVE 1
#define TURNED 1
#define MR 8
#define NV 2
#define NR 16
#define VL 8
#define VT double8
#define SPACE 49152
#define PARAMS __global const double *restrict p0_, \
    const ulong o_p0, \
    __global const double *restrict p1_, \
    const ulong o_p1, \
    __global double *restrict y0_, \
    const ulong o_y0, \
    const double ALPHA, \
    const IDX M, \
    const IDX N, \
    const IDX A_ROW, \
    const IDX A_COLUMN, \
    const IDX B_LD, \
    const IDX LOWER, \
    const IDX UNIT
#define FN_PARAMS , __global const double *p0, \
    __global const double *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#include "lib/cpu_transpose.cl"
#include "product/cpu_triangle.cl"
