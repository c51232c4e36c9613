// first 10 of 1 rows of 1048576, parts=2: the first few of a row: most elements are looked at once
// launch rank_first global [2 1] local [1 1]
// options -cl-single-precision-constant
// arguments LENGTH=1048576 KEEP=10 ROWS=1 PARTS=2 SPAN=524288 RSPAN=1
#define BITS ushort
#define SIGN ((BITS)0x8000U)
#define KEY uint
#define PAIRS 0
#define INF ((BITS)0x7f80U)
#define ORDER 2
#define FLIP ((KEY)0xffffU)
#define BITS_AT(i) ((__global const ushort *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global ushort *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define BITS16 ushort16
#define TRUTH16 short16
#define TRUTH8 short8
#define TRUTH4 short4
#define BEFORE(i, most) (rank_keys(vload16(0, ((__global const ushort *)(p0_) + o_p0) + (i))) < (most))
#define BY_POSITION 0
#define MOST 42
#define SPLIT 1
#define PARTS_MOST 64
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict LISTS, \
    __global uint *restrict FOUND, \
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX ROWS, \
    const IDX PARTS, \
    const IDX SPAN, \
    const IDX RSPAN
#define FN_PARAMS , __global const ushort *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "rank/cpu_vector.cl"
#include "rank/cpu_first.cl"
// launch rank_first_merge global [1] local [1]
