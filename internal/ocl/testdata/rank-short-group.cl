// group 100 rows of 100, wg=64: short rows, each in local memory
// launch rank_group global [6400] local [64]
// options -cl-single-precision-constant
// arguments LENGTH=100 KEEP=100 ROWS=100
#define BITS ushort
#define SIGN ((BITS)0x8000U)
#define KEY uint
#define PAIRS 0
#define ORDER 1
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const ushort *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global ushort *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define WG 64
#define MOST 128
#define BY_POSITION 0
#define PARAMS __global const short *restrict p0_, \
    const ulong o_p0, \
    __global short *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX ROWS
#define FN_PARAMS , __global const short *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "rank/gpu_group.cl"
