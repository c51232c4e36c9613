// pick 10 of 1 rows of 1048576, parts=40 wg=256: the first few of a row: nearly all elements are looked at once
// launch rank_pick global [10240 1] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=1048576 KEEP=10 PARTS=40 SPAN=26215
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
#define WG 256
#define MOST 2048
#define SPLIT 1
#define BY_POSITION 0
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict LISTS, \
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const ushort *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "rank/gpu_pick.cl"
// launch rank_pick_merge global [256 1] local [256 1]
