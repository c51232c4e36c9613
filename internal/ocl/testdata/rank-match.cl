// match 1 rows of 1048576, blocks=512 wg=256 held=8: ANYCL_VARIANT
// launch blocks_count global [131072 1] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=1048576 KEEP=1048576 PASS=0 PASSES=4 SHIFT=32 FROM_POSITION=0 COUNT=1048576 BLOCKS=512 PARTS=1 SPAN=131072
#define BITS uint
#define SIGN ((BITS)0x80000000U)
#define KEY uint
#define PAIRS 0
#define INF ((BITS)0x7f800000U)
#define ORDER 2
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const uint *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global uint *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define WG 256
#define HELD 8
#define MATCH 1
#define PTX 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict A, \
    __global ulong *restrict B, \
    __global uint *restrict COUNTS, \
    __global uint *restrict TURN, \
    __global uint *restrict SUMS, \
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX PASS, \
    const IDX PASSES, \
    const IDX SHIFT, \
    const IDX FROM_POSITION, \
    const IDX COUNT, \
    const IDX BLOCKS, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

#define ACC uint
#define EXACT 0
#define EXCLUSIVE 1
#define REVERSE 0
#define SPLIT 1
#define TAKE(i) COUNTS[i]
#define PUT(i, v) COUNTS[i] = (v)
#include "scan/any_sums.cl"
#include "scan/gpu_group.cl"
#undef ACC
#undef EXACT
#undef EXCLUSIVE
#undef REVERSE
#undef SPLIT
#undef TAKE
#undef PUT
#undef EACH
#undef TILE
#undef AT
#undef SPOT
#undef TAKE_TILE

#include "rank/any_keys.cl"
#include "rank/gpu_blocks.cl"
// launch scan_group_sums global [2048 1] local [256 1]
// launch scan_group_rows global [2048 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_sums global [2048 1] local [256 1]
// launch scan_group_rows global [2048 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_sums global [2048 1] local [256 1]
// launch scan_group_rows global [2048 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_count global [131072 1] local [256 1]
// launch scan_group_sums global [2048 1] local [256 1]
// launch scan_group_rows global [2048 1] local [256 1]
// launch blocks_move global [131072 1] local [256 1]
// launch blocks_emit global [131072 1] local [256 1]
