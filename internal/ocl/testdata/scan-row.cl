// row parts=4 of 2x100000x1: a CPU driver: sixteen elements at a time
// launch scan_sums global [4 2] local [1 1]
// options -cl-single-precision-constant
// arguments LENGTH=100000 PARTS=4 SPAN=25008 ROWS=2 RSPAN=1
#define ACC float
#define VT float16
#define EXACT 1
#define EXCLUSIVE 0
#define REVERSE 0
#define SPLIT 1
#define TAKE(i) ((__global const float *)(p0_) + o_p0)[i]
#define PUT(i, v) ((__global float *)(y0_) + o_y0)[i] = (v)
#define STREAMED 0
#define TAKES(i) (*(__global const ANYWHERE *)(((__global const float *)(p0_) + o_p0) + (i)))
#define PUTS(i, v) scan_put(((__global float *)(y0_) + o_y0) + (i), v)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict SUMS, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN, \
    const IDX ROWS, \
    const IDX RSPAN
#define ARGS p0_, o_p0, y0_, o_y0, SUMS, LENGTH, PARTS, SPAN, ROWS, RSPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

#include "scan/any_sums.cl"
#include "scan/cpu_row.cl"
// launch scan_row global [4 2] local [1 1]
