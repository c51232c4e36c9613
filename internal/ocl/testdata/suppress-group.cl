// group 20 lists of 1000, wg=256: a work-group has a list, sorted in local memory
// launch rank_group global [5120] local [256]
// options -cl-single-precision-constant
// arguments LEAST=-1097229926 LENGTH=1000 KEEP=1000 ROWS=20
#define BITS uint
#define SIGN ((BITS)0x80000000U)
#define KEY uint
#define PAIRS 0
#define ORDER 0
#define FLIP ((KEY)0x0U)
#define SCORE_BITS(i) ((__global const uint *)(p1_) + o_p1)[i]
#define BITS_AT(i) suppress_key(SCORE_BITS(i), (uint)LEAST)
#define RANK_EMIT(i, key, p, base) (A[i] = (ulong)(key) << 32 | (uint)(p))
#define WG 256
#define MOST 1024
#define BY_POSITION 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict A, \
    const IDX LEAST, \
    const IDX LENGTH, \
    const IDX KEEP, \
    const IDX ROWS
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#include "rank/any_keys.cl"
#include "rank/gpu_group.cl"
// launch suppress_sweep global [5120] local [256]
// options -cl-single-precision-constant
// arguments LISTS=20 CLASSES=20 BOXES=1000 MOST=1000 CAPACITY=20000 LIMIT=1056964608 STRIDE=1000
#define CENTRE 0
#define BOX(i) vload4(i, ((__global const float *)(p0_) + o_p0))
#define ROW(r, batch, class, box) (((__global long *)(y0_) + o_y0)[3 * (r)] = (batch), ((__global long *)(y0_) + o_y0)[3 * (r) + 1] = (class), ((__global long *)(y0_) + o_y0)[3 * (r) + 2] = (long)(box))
#define TOTAL(n) ((__global long *)(y1_) + o_y1)[0] = (long)(n)
#define PAIRS 0
#define WG 256
#define TURNED 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global long *restrict y0_, \
    const ulong o_y0, \
    __global long *restrict y1_, \
    const ulong o_y1, \
    __global ulong *restrict A, \
    __global uint *restrict FOUND, \
    __global uint *restrict KEPT, \
    __global uint *restrict OFFSETS, \
    const IDX LISTS, \
    const IDX CLASSES, \
    const IDX BOXES, \
    const IDX MOST, \
    const IDX CAPACITY, \
    const IDX LIMIT, \
    const IDX STRIDE
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#include "rank/any_items.cl"
#include "suppress/gpu_group.cl"
// launch scan_group_rows global [256 1] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=20 PARTS=1 SPAN=20
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
// launch suppress_give global [5120] local [256]
