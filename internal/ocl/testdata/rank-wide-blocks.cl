// blocks 2 rows of 1048576, blocks=1024 wg=256 held=4: long rows, digit by digit, block by block in local memory
// launch blocks_count global [262144 2] local [256 1]
// options 
// arguments LENGTH=1048576 KEEP=1048576 PASS=0 PASSES=8 SHIFT=0 FROM_POSITION=0 COUNT=1048576 BLOCKS=1024 PARTS=1 SPAN=262144
#define BITS ulong
#define SIGN ((BITS)0x8000000000000000UL)
#define KEY ulong
#define PAIRS 1
#define INF ((BITS)0x7ff0000000000000UL)
#define ORDER 2
#define FLIP ((KEY)0xffffffffffffffffUL)
#define BITS_AT(i) ((__global const ulong *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global ulong *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define WG 256
#define HELD 4
#define MATCH 0
#define PTX 0
#define PARAMS __global const double *restrict p0_, \
    const ulong o_p0, \
    __global double *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict A, \
    __global ulong *restrict B, \
    __global uint *restrict COUNTS, \
    __global uint *restrict TURN, \
    __global uint *restrict POS_A, \
    __global uint *restrict POS_B, \
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
#define FN_PARAMS , __global const double *p0
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
// launch scan_group_sums global [4096 2] local [256 1]
// launch scan_group_rows global [4096 2] local [256 1]
// launch blocks_move global [262144 2] local [256 1]
// launch blocks_count global [262144 2] local [256 1]
// launch scan_group_sums global [4096 2] local [256 1]
// launch scan_group_rows global [4096 2] local [256 1]
// launch blocks_move global [262144 2] local [256 1]
// launch blocks_count global [262144 2] local [256 1]
// launch scan_group_sums global [4096 2] local [256 1]
// launch scan_group_rows global [4096 2] local [256 1]
// launch blocks_move global [262144 2] local [256 1]
// launch blocks_count global [262144 2] local [256 1]
// launch scan_group_sums global [4096 2] local [256 1]
// launch scan_group_rows global [4096 2] local [256 1]
// launch blocks_move global [262144 2] local [256 1]
// launch blocks_count global [262144 2] local [256 1]
// launch scan_group_sums global [4096 2] local [256 1]
// launch scan_group_rows global [4096 2] local [256 1]
// launch blocks_move global [262144 2] local [256 1]
// launch blocks_count global [262144 2] local [256 1]
// launch scan_group_sums global [4096 2] local [256 1]
// launch scan_group_rows global [4096 2] local [256 1]
// launch blocks_move global [262144 2] local [256 1]
// launch blocks_count global [262144 2] local [256 1]
// launch scan_group_sums global [4096 2] local [256 1]
// launch scan_group_rows global [4096 2] local [256 1]
// launch blocks_move global [262144 2] local [256 1]
// launch blocks_count global [262144 2] local [256 1]
// launch scan_group_sums global [4096 2] local [256 1]
// launch scan_group_rows global [4096 2] local [256 1]
// launch blocks_move global [262144 2] local [256 1]
// launch blocks_emit global [262144 2] local [256 1]
