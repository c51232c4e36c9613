// block 10 trees, 256 samples an item: a CPU driver: eight samples side by side, a block of them a tree
// launch trees_walk global [20] local [1]
// options 
// arguments SAMPLES=5000 FEATURES=30 TARGETS=1 COUNT=10
#define SBITS int
#define INF 0x7f800000
#define LARGEST 0x7fffffff
#define WIDE_KEY 0
#define LANES 8
#define BLOCK 256
#define STAGED 1
#define SINGLE 1
#define FOLD 0
#define X_BITS(i) ((__global const int *)(p0_) + o_p0)[i]
#define NODES ((__global const int *)(p1_) + o_p1)
#define ROOTS ((__global const int *)(p2_) + o_p2)
#define STARTS ((__global const int *)(p3_) + o_p3)
#define TARGET_OF ((__global const int *)(p4_) + o_p4)
#define WEIGHT(i) ((__global const float *)(p5_) + o_p5)[i]
#define PUT(i, v) ((__global float *)(y0_) + o_y0)[i] = (float)(v)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const int *restrict p1_, \
    const ulong o_p1, \
    __global const int *restrict p2_, \
    const ulong o_p2, \
    __global const int *restrict p3_, \
    const ulong o_p3, \
    __global const int *restrict p4_, \
    const ulong o_p4, \
    __global const float *restrict p5_, \
    const ulong o_p5, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global double *restrict SUMS, \
    __global int *restrict KEYS, \
    const IDX SAMPLES, \
    const IDX FEATURES, \
    const IDX TARGETS, \
    const IDX COUNT
#define FN_PARAMS , __global const float *p0, \
    __global const int *p1, \
    __global const int *p2, \
    __global const int *p3, \
    __global const int *p4, \
    __global const float *p5
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, p4_ + o_p4, p5_ + o_p5

#include "trees/any_walk.cl"
