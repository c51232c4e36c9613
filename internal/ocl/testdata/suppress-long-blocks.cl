// blocks 6 lists of 10000, wg=256: long lists, sorted block by block; then a work-group has one
// launch blocks_count global [1280 6] local [256 1]
// options -cl-single-precision-constant
// arguments LEAST=0 LENGTH=10000 KEEP=10000 PASS=0 PASSES=4 SHIFT=32 FROM_POSITION=0 COUNT=10000 BLOCKS=5 PARTS=1 SPAN=1280
#define BITS uint
#define SIGN ((BITS)0x80000000U)
#define KEY uint
#define PAIRS 0
#define ORDER 0
#define FLIP ((KEY)0x0U)
#define SCORE_BITS(i) ((__global const uint *)(p1_) + o_p1)[i]
#define BITS_AT(i) suppress_key(SCORE_BITS(i), (uint)LEAST)
#define RANK_EMIT(i, key, p, base) ((void)(i), (void)(key), (void)(p), (void)(base))
#define WG 256
#define HELD 8
#define MATCH 0
#define PTX 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict A, \
    __global ulong *restrict B, \
    __global uint *restrict COUNTS, \
    __global uint *restrict TURN, \
    __global uint *restrict SUMS, \
    const IDX LEAST, \
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
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#define ACC uint
#define EXACT 0
#define EXCLUSIVE 1
#define REVERSE 0
#define SPLIT 0
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
// launch scan_group_rows global [256 6] local [256 1]
// launch blocks_move global [1280 6] local [256 1]
// launch blocks_count global [1280 6] local [256 1]
// launch scan_group_rows global [256 6] local [256 1]
// launch blocks_move global [1280 6] local [256 1]
// launch blocks_count global [1280 6] local [256 1]
// launch scan_group_rows global [256 6] local [256 1]
// launch blocks_move global [1280 6] local [256 1]
// launch blocks_count global [1280 6] local [256 1]
// launch scan_group_rows global [256 6] local [256 1]
// launch blocks_move global [1280 6] local [256 1]
// launch suppress_sweep global [1536] local [256]
// options -cl-single-precision-constant
// arguments LISTS=6 CLASSES=3 BOXES=10000 MOST=100 CAPACITY=600 LIMIT=1056964608 STRIDE=10000 PASSES=4
#define CENTRE 1
#define BOX(i) vload4(i, ((__global const float *)(p0_) + o_p0))
#define ROW(r, batch, class, box) (((__global long *)(y0_) + o_y0)[3 * (r)] = (batch), ((__global long *)(y0_) + o_y0)[3 * (r) + 1] = (class), ((__global long *)(y0_) + o_y0)[3 * (r) + 2] = (long)(box))
#define TOTAL(n) ((__global long *)(y1_) + o_y1)[0] = (long)(n)
#define PAIRS 0
#define WG 256
#define TURNED 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict A, \
    __global ulong *restrict B, \
    __global uint *restrict TURN, \
    __global uint *restrict FOUND, \
    __global uint *restrict KEPT, \
    __global uint *restrict OFFSETS, \
    const IDX LISTS, \
    const IDX CLASSES, \
    const IDX BOXES, \
    const IDX MOST, \
    const IDX CAPACITY, \
    const IDX LIMIT, \
    const IDX STRIDE, \
    const IDX PASSES
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#include "rank/any_items.cl"
#include "suppress/gpu_group.cl"
// launch scan_group_rows global [256 1] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=6 PARTS=1 SPAN=6
#define WG 256
#define ACC uint
#define EXACT 0
#define EXCLUSIVE 1
#define REVERSE 0
#define SPLIT 0
#define TAKE(i) KEPT[i]
#define PUT(i, v) OFFSETS[i] = (v)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global uint *restrict KEPT, \
    __global uint *restrict OFFSETS, \
    __global uint *restrict SUMS, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#include "scan/any_sums.cl"
#include "scan/gpu_group.cl"
// launch suppress_give global [1536] local [256]
