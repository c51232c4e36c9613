// blocks 1 rows of 1048576, blocks=1024 wg=256 held=4: sorted block by block in local memory, then numbered by running sums
// launch blocks_count global [262144 1] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=1048576 KEEP=1048576 PASS=0 PASSES=8 SHIFT=0 FROM_POSITION=0 COUNT=1048576 BLOCKS=1024 PARTS=1 SPAN=262144
#define BITS ulong
#define SIGN ((BITS)0x8000000000000000UL)
#define KEY ulong
#define PAIRS 1
#define ORDER 1
#define FLIP ((KEY)0x0UL)
#define BITS_AT(i) ((__global const ulong *)(p0_) + o_p0)[i]
#define RANK_EMIT(i, key, p, base) ((void)(i), (void)(key), (void)(p), (void)(base))
#define WG 256
#define HELD 4
#define MATCH 0
#define PTX 0
#define PARAMS __global const long *restrict p0_, \
    const ulong o_p0, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global long *restrict y2_, \
    const ulong o_y2, \
    __global long *restrict y3_, \
    const ulong o_y3, \
    __global long *restrict y4_, \
    const ulong o_y4, \
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
#define FN_PARAMS , __global const long *p0
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
// launch scan_group_sums global [4096 1] local [256 1]
// launch scan_group_rows global [4096 1] local [256 1]
// launch blocks_move global [262144 1] local [256 1]
// launch blocks_count global [262144 1] local [256 1]
// launch scan_group_sums global [4096 1] local [256 1]
// launch scan_group_rows global [4096 1] local [256 1]
// launch blocks_move global [262144 1] local [256 1]
// launch blocks_count global [262144 1] local [256 1]
// launch scan_group_sums global [4096 1] local [256 1]
// launch scan_group_rows global [4096 1] local [256 1]
// launch blocks_move global [262144 1] local [256 1]
// launch blocks_count global [262144 1] local [256 1]
// launch scan_group_sums global [4096 1] local [256 1]
// launch scan_group_rows global [4096 1] local [256 1]
// launch blocks_move global [262144 1] local [256 1]
// launch blocks_count global [262144 1] local [256 1]
// launch scan_group_sums global [4096 1] local [256 1]
// launch scan_group_rows global [4096 1] local [256 1]
// launch blocks_move global [262144 1] local [256 1]
// launch blocks_count global [262144 1] local [256 1]
// launch scan_group_sums global [4096 1] local [256 1]
// launch scan_group_rows global [4096 1] local [256 1]
// launch blocks_move global [262144 1] local [256 1]
// launch blocks_count global [262144 1] local [256 1]
// launch scan_group_sums global [4096 1] local [256 1]
// launch scan_group_rows global [4096 1] local [256 1]
// launch blocks_move global [262144 1] local [256 1]
// launch blocks_count global [262144 1] local [256 1]
// launch scan_group_sums global [4096 1] local [256 1]
// launch scan_group_rows global [4096 1] local [256 1]
// launch blocks_move global [262144 1] local [256 1]
// launch scan_group_sums global [16384 1] local [256 1]
// options -cl-single-precision-constant
// arguments STRIDE=1048576 PASSES=8 LENGTH=1048576 PARTS=64 SPAN=16384
#define PAIRS 1
#define TURNED 1
#define WG 256
#define ACC uint
#define EXACT 0
#define EXCLUSIVE 0
#define REVERSE 0
#define SPLIT 1
#define TAKE(i) ((i) == 0 || KEY_IN(0, i) != KEY_IN(0, (i) - 1))
#define PUT(i, v) NUMBERS[i] = (v)
#define PARAMS __global const long *restrict p0_, \
    const ulong o_p0, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global long *restrict y2_, \
    const ulong o_y2, \
    __global long *restrict y3_, \
    const ulong o_y3, \
    __global long *restrict y4_, \
    const ulong o_y4, \
    __global ulong *restrict A, \
    __global ulong *restrict B, \
    __global uint *restrict TURN, \
    __global uint *restrict POS_A, \
    __global uint *restrict POS_B, \
    __global uint *restrict NUMBERS, \
    __global uint *restrict SUMS, \
    const IDX STRIDE, \
    const IDX PASSES, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const long *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_items.cl"
#include "scan/any_sums.cl"
#include "scan/gpu_group.cl"
// launch scan_group_rows global [16384 1] local [256 1]
// launch unique_starts global [1048576] local [256]
// options -cl-single-precision-constant
// arguments STRIDE=1048576 PASSES=8 COUNT=1048576
#define BITS ulong
#define SIGN ((BITS)0x8000000000000000UL)
#define KEY ulong
#define PAIRS 1
#define ORDER 1
#define FLIP ((KEY)0x0UL)
#define BITS_AT(i) ((__global const ulong *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global ulong *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define TURNED 1
#define INVERSE(p, g) ((__global long *)(y2_) + o_y2)[p] = (long)(g)
#define SIZES(g, n) ((__global long *)(y3_) + o_y3)[g] = (long)(n)
#define NUMBER(n) ((__global long *)(y4_) + o_y4)[0] = (long)(n)
#define SORTED 0
#define PARAMS __global const long *restrict p0_, \
    const ulong o_p0, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global long *restrict y2_, \
    const ulong o_y2, \
    __global long *restrict y3_, \
    const ulong o_y3, \
    __global long *restrict y4_, \
    const ulong o_y4, \
    __global ulong *restrict A, \
    __global ulong *restrict B, \
    __global uint *restrict TURN, \
    __global uint *restrict POS_A, \
    __global uint *restrict POS_B, \
    __global uint *restrict NUMBERS, \
    __global uint *restrict STARTS, \
    __global uint *restrict MARKS, \
    const IDX STRIDE, \
    const IDX PASSES, \
    const IDX COUNT
#define FN_PARAMS , __global const long *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "rank/any_items.cl"
#include "unique/any_items.cl"
// launch scan_group_sums global [16384 1] local [256 1]
// options -cl-single-precision-constant
// arguments STRIDE=1048576 PASSES=8 LENGTH=1048576 PARTS=64 SPAN=16384
#define PAIRS 1
#define TURNED 1
#define WG 256
#define ACC uint
#define EXACT 0
#define EXCLUSIVE 0
#define REVERSE 0
#define SPLIT 1
#define TAKE(i) MARKS[i]
#define PUT(i, v) MARKS[i] = (v)
#define PARAMS __global const long *restrict p0_, \
    const ulong o_p0, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global long *restrict y2_, \
    const ulong o_y2, \
    __global long *restrict y3_, \
    const ulong o_y3, \
    __global long *restrict y4_, \
    const ulong o_y4, \
    __global ulong *restrict A, \
    __global ulong *restrict B, \
    __global uint *restrict TURN, \
    __global uint *restrict POS_A, \
    __global uint *restrict POS_B, \
    __global uint *restrict MARKS, \
    __global uint *restrict SUMS, \
    const IDX STRIDE, \
    const IDX PASSES, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const long *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_items.cl"
#include "scan/any_sums.cl"
#include "scan/gpu_group.cl"
// launch scan_group_rows global [16384 1] local [256 1]
// launch unique_give global [1048576] local [256]
