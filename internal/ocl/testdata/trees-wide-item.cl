// item 10 trees, 1 samples an item: an item walks one sample
// launch trees_walk global [5120] local [256]
// options 
// arguments SAMPLES=5000 FEATURES=30 TARGETS=4 COUNT=10
#define SBITS long
#define INF 0x7ff0000000000000L
#define LARGEST 0x7fffffffffffffffL
#define WIDE_KEY 1
#define LANES 1
#define BLOCK 1
#define STAGED 0
#define SINGLE 0
#define FOLD 3
#define X_BITS(i) ((__global const long *)(p0_) + o_p0)[i]
#define NODES ((__global const int *)(p1_) + o_p1)
#define ROOTS ((__global const int *)(p2_) + o_p2)
#define STARTS ((__global const int *)(p3_) + o_p3)
#define TARGET_OF ((__global const int *)(p4_) + o_p4)
#define WEIGHT(i) ((__global const double *)(p5_) + o_p5)[i]
#define PUT(i, v) ((__global double *)(y0_) + o_y0)[i] = (double)(v)
#define PARAMS __global const double *restrict p0_, \
    const ulong o_p0, \
    __global const int *restrict p1_, \
    const ulong o_p1, \
    __global const int *restrict p2_, \
    const ulong o_p2, \
    __global const int *restrict p3_, \
    const ulong o_p3, \
    __global const int *restrict p4_, \
    const ulong o_p4, \
    __global const double *restrict p5_, \
    const ulong o_p5, \
    __global double *restrict y0_, \
    const ulong o_y0, \
    __global double *restrict SUMS, \
    const IDX SAMPLES, \
    const IDX FEATURES, \
    const IDX TARGETS, \
    const IDX COUNT
#define FN_PARAMS , __global const double *p0, \
    __global const int *p1, \
    __global const int *p2, \
    __global const int *p3, \
    __global const int *p4, \
    __global const double *p5
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, p4_ + o_p4, p5_ + o_p5

#include "trees/any_walk.cl"
