// group 1 rows of 1000, wg=256: few items, sorted in local memory
// launch rank_group global [256] local [256]
// options -cl-single-precision-constant
// arguments LENGTH=1000 KEEP=1000 ROWS=1
#define BITS uchar
#define SIGN ((BITS)0x80U)
#define KEY uint
#define PAIRS 0
#define ORDER 0
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const uchar *)(p0_) + o_p0)[i]
#define RANK_EMIT(i, key, p, base) (A[i] = (ulong)(key) << 32 | (uint)(p))
#define WG 256
#define MOST 1024
#define BY_POSITION 0
#define PARAMS __global const uchar *restrict p0_, \
    const ulong o_p0, \
    __global uchar *restrict y0_, \
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
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX ROWS
#define FN_PARAMS , __global const uchar *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "rank/gpu_group.cl"
// launch scan_group_rows global [256 1] local [256 1]
// options -cl-single-precision-constant
// arguments STRIDE=1000 LENGTH=1000 PARTS=1 SPAN=1000
#define PAIRS 0
#define TURNED 0
#define WG 256
#define ACC uint
#define EXACT 0
#define EXCLUSIVE 0
#define REVERSE 0
#define SPLIT 0
#define TAKE(i) ((i) == 0 || KEY_IN(0, i) != KEY_IN(0, (i) - 1))
#define PUT(i, v) NUMBERS[i] = (v)
#define PARAMS __global const uchar *restrict p0_, \
    const ulong o_p0, \
    __global uchar *restrict y0_, \
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
    __global uint *restrict NUMBERS, \
    __global uint *restrict SUMS, \
    const IDX STRIDE, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const uchar *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_items.cl"
#include "scan/any_sums.cl"
#include "scan/gpu_group.cl"
// launch unique_starts global [1024] local [256]
// options -cl-single-precision-constant
// arguments STRIDE=1000 COUNT=1000
#define BITS uchar
#define SIGN ((BITS)0x80U)
#define KEY uint
#define PAIRS 0
#define ORDER 0
#define FLIP ((KEY)0x0U)
#define BITS_AT(i) ((__global const uchar *)(p0_) + o_p0)[i]
#define VALUES(i, b) ((__global uchar *)(y0_) + o_y0)[i] = (b)
#define POSITIONS(i, p) ((__global long *)(y1_) + o_y1)[i] = (long)(p)
#define TURNED 0
#define INVERSE(p, g) ((__global long *)(y2_) + o_y2)[p] = (long)(g)
#define SIZES(g, n) ((__global long *)(y3_) + o_y3)[g] = (long)(n)
#define NUMBER(n) ((__global long *)(y4_) + o_y4)[0] = (long)(n)
#define SORTED 1
#define PARAMS __global const uchar *restrict p0_, \
    const ulong o_p0, \
    __global uchar *restrict y0_, \
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
    __global uint *restrict NUMBERS, \
    __global uint *restrict STARTS, \
    const IDX STRIDE, \
    const IDX COUNT
#define FN_PARAMS , __global const uchar *p0
#define FN_ARGS , p0_ + o_p0

#include "rank/any_keys.cl"
#include "rank/any_items.cl"
#include "unique/any_items.cl"
// launch unique_give global [1024] local [256]
