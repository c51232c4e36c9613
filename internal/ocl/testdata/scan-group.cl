// group parts=6 of 2x100000x1: a work-group sums a part of a row
// launch scan_group_sums global [1536 2] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=100000 PARTS=6 SPAN=16672
#define ACC float
#define VT float16
#define EXACT 1
#define EXCLUSIVE 0
#define REVERSE 0
#define SPLIT 1
#define TAKE(i) ((__global const float *)(p0_) + o_p0)[i]
#define PUT(i, v) ((__global float *)(y0_) + o_y0)[i] = (v)
#define WG 256
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict SUMS, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

#include "scan/any_sums.cl"
#include "scan/gpu_group.cl"
// launch scan_group_rows global [1536 2] local [256 1]
