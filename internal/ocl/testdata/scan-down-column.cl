// column parts=4 of 2x100000x20: an axis that is not the last: columns side by side
// launch scan_column_sums global [1 4 2] local [1 1 1]
// options -cl-single-precision-constant
// arguments LENGTH=100000 PARTS=4 SPAN=25008 OUTER=2 INNER=20
#define ACC uchar
#define VT uchar16
#define EXACT 0
#define EXCLUSIVE 1
#define REVERSE 1
#define SPLIT 1
#define TAKE(i) ((__global const uchar *)(p0_) + o_p0)[i]
#define PUT(i, v) ((__global uchar *)(y0_) + o_y0)[i] = (v)
#define COLUMNS 32
#define PARAMS __global const char *restrict p0_, \
    const ulong o_p0, \
    __global char *restrict y0_, \
    const ulong o_y0, \
    __global uchar *restrict SUMS, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN, \
    const IDX OUTER, \
    const IDX INNER
#define FN_PARAMS , __global const char *p0
#define FN_ARGS , p0_ + o_p0

#include "scan/any_sums.cl"
#include "scan/any_column.cl"
// launch scan_column global [1 4 2] local [1 1 1]
