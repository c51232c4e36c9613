// list 20 lists of 1000, items=8: a core has whole lists, and compares many boxes at a time
// launch suppress_lists global [8] local [1]
// options -cl-single-precision-constant
// arguments LISTS=20 CLASSES=20 BOXES=1000 MOST=1000 CAPACITY=20000 LIMIT=1056964608 LEAST=-1097229926 ITEMS=8 STRIDE=1000 ROOM=1024 PARTS=2 SPAN=10 RSPAN=10000
#define CENTRE 0
#define BOX(i) vload4(i, ((__global const float *)(p0_) + o_p0))
#define ROW(r, batch, class, box) (((__global long *)(y0_) + o_y0)[3 * (r)] = (batch), ((__global long *)(y0_) + o_y0)[3 * (r) + 1] = (class), ((__global long *)(y0_) + o_y0)[3 * (r) + 2] = (long)(box))
#define TOTAL(n) ((__global long *)(y1_) + o_y1)[0] = (long)(n)
#define SCORE_BITS(i) ((__global const uint *)(p1_) + o_p1)[i]
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
    __global float *restrict CORNERS, \
    __global uint *restrict FOUND, \
    __global uint *restrict KEPT, \
    const IDX LISTS, \
    const IDX CLASSES, \
    const IDX BOXES, \
    const IDX MOST, \
    const IDX CAPACITY, \
    const IDX LIMIT, \
    const IDX LEAST, \
    const IDX ITEMS, \
    const IDX STRIDE, \
    const IDX ROOM, \
    const IDX PARTS, \
    const IDX SPAN, \
    const IDX RSPAN
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

#include "suppress/cpu_lists.cl"
// launch suppress_write global [2] local [1]
