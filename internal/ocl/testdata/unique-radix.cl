// radix 1 rows of 1048576, parts=8 digit=8: sorted digit by digit, then numbered in parts
// launch radix_count_first global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments LENGTH=1048576 KEEP=1048576 PASS=0 PASSES=4 SHIFT=32 FROM_POSITION=0 COUNT=1048576 STRIDE=1048576 PARTS=8 SPAN=131072
#define BITS uint
#define SIGN ((BITS)0x80000000U)
#define KEY uint
#define PAIRS 0
#define INF ((BITS)0x7f800000U)
#define ORDER 2
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const uint *)(p0_) + o_p0)[i]
#define RANK_EMIT(i, key, p, base) ((void)(i), (void)(key), (void)(p), (void)(base))
#define DIGIT 8
#define BUCKETS 256
#define BUFFERED 1
#define STREAMED 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
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
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX PASS, \
    const IDX PASSES, \
    const IDX SHIFT, \
    const IDX FROM_POSITION, \
    const IDX COUNT, \
    const IDX STRIDE, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "rank/cpu_radix.cl"
// launch radix_move_first global [8 1] local [1 1]
// launch radix_count global [8 1] local [1 1]
// launch radix_move global [8 1] local [1 1]
// launch radix_count global [8 1] local [1 1]
// launch radix_move global [8 1] local [1 1]
// launch radix_count global [8 1] local [1 1]
// launch radix_move global [8 1] local [1 1]
// launch unique_heads global [8] local [1]
// options -cl-single-precision-constant
// arguments STRIDE=1048576 PASSES=4 COUNT=1048576 PARTS=8 SPAN=131072
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
#define TURNED 1
#define INVERSE(p, g) ((__global long *)(y2_) + o_y2)[p] = (long)(g)
#define SIZES(g, n) ((__global long *)(y3_) + o_y3)[g] = (long)(n)
#define NUMBER(n) ((__global long *)(y4_) + o_y4)[0] = (long)(n)
#define SORTED 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
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
    __global uint *restrict HEADS, \
    __global uint *restrict LAST, \
    const IDX STRIDE, \
    const IDX PASSES, \
    const IDX COUNT, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "rank/any_items.cl"
#include "unique/cpu_parts.cl"
// launch unique_emit global [8] local [1]
