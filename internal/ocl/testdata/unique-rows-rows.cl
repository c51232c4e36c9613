// rows 1000 rows of 5: items of several elements, sorted by merging
// launch unique_merge global [1024] local [256]
// options -cl-single-precision-constant
// arguments COUNT=1000 WIDTH=5 RUN=1 TURN=0
#define BITS uint
#define SIGN ((BITS)0x80000000U)
#define KEY uint
#define PAIRS 0
#define INF ((BITS)0x7f800000U)
#define ORDER 2
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const uint *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((void)0)
#define POSITIONS(i, p) (FIRST[i] = (uint)(p), ((__global long *)(y1_) + o_y1)[i] = (long)(p))
#define RANK_EMIT(i, key, p, base) POSITIONS(i, p)
#define ROW_AT(i, b) ((__global uint *)(y0_) + o_y0)[i] = (b)
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
    __global uint *restrict A, \
    __global uint *restrict B, \
    __global uint *restrict FIRST, \
    __global uint *restrict NUMBERS, \
    __global uint *restrict STARTS, \
    const IDX COUNT, \
    const IDX WIDTH, \
    const IDX RUN, \
    const IDX TURN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "unique/any_order.cl"
#include "unique/any_items.cl"
#include "unique/any_rows.cl"
// launch unique_merge global [1024] local [256]
// launch unique_merge global [1024] local [256]
// launch unique_merge global [1024] local [256]
// launch unique_merge global [1024] local [256]
// launch unique_merge global [1024] local [256]
// launch unique_merge global [1024] local [256]
// launch unique_merge global [1024] local [256]
// launch unique_merge global [1024] local [256]
// launch unique_merge global [1024] local [256]
// launch unique_rows_heads global [1024] local [256]
// launch scan_group_rows global [256 1] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=1000 PARTS=1 SPAN=1000
#define WG 256
#define ACC uint
#define EXACT 0
#define EXCLUSIVE 0
#define REVERSE 0
#define SPLIT 0
#define TAKE(i) NUMBERS[i]
#define PUT(i, v) NUMBERS[i] = (v)
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
    __global uint *restrict NUMBERS, \
    __global uint *restrict SUMS, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

#include "scan/any_sums.cl"
#include "scan/gpu_group.cl"
// launch unique_starts global [1024] local [256]
// launch unique_give global [1024] local [256]
// launch unique_rows global [5120] local [256]
