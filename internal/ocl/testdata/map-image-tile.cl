// tile padded view=24x22x24 outer=1: a CPU driver: tiles turned in registers, since rows lie closer than columns
// launch map_pad global [2 24] local [1 1]
// options -cl-single-precision-constant
// arguments OUTER=24 ROWS=22 COLS=24 OSPAN=1 FROM=1 TO=21 STEP=200 LEN=9600 n0=1431655766 n1=4 n2=4800 n3=12 n4=20 n5=200 n6=-21 n7=10 n8=6336 n9=528 n10=24
#define OUT float
#define VL 16
#define VT float16
#define HAVE(x) x
#define LOAD16_AT(p) vload16(0, p)
#define LOAD16(i) LOAD16_AT((p0_ + o_p0 + (i)))
#define NARROW 0
#define DIRECT 1
#define ELEMENT(i) (y0_ + o_y0)[i]
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX OUTER, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX OSPAN, \
    const IDX FROM, \
    const IDX TO, \
    const IDX STEP, \
    const IDX LEN, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9, \
    const IDX n10
#define FN_PARAMS , __global const float *p0, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9, \
    const IDX n10
#define FN_ARGS , p0_ + o_p0, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10

static inline long at_hook(const IDX o, const IDX c FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(o, n0, n1);
    const IDX x1 = o - q0 * n3;
    const int i2 = n2 * q0 + n4 * x1 + n5 * c + n6;
    const long v3 = (long)(i2);
    return v3;
}
#define AT(o, c) at_hook(o, c FN_ARGS)

static inline uchar inside_hook(const IDX o FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(o, n0, n1);
    const IDX x1 = o - q0 * n3;
    const int i2 = x1 - 1;
    const int g3 = i2 >= 0 && i2 < n7;
    const uchar v4 = g3;
    return v4;
}
#define INSIDE(o) inside_hook(o FN_ARGS)

static inline float value_hook(const IDX o, const IDX r, const IDX c FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(o, n0, n1);
    const IDX x1 = o - q0 * n3;
    const int i2 = x1 - 1;
    const int i3 = r - 1;
    const int g4 = i2 >= 0 && i2 < n7 && i3 >= 0 && i3 < n4;
    const int i5 = n2 * q0 + n4 * x1 + r + n5 * c + n6;
    const float v6 = g4 ? LOAD_float32(p0, i5) : (float)0;
    return v6;
}
#define VALUE(o, r, c) value_hook(o, r, c FN_ARGS)

static inline long place_hook(const IDX o, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(o, n0, n1);
    const IDX x1 = o - q0 * n3;
    const int i2 = n8 * q0 + n9 * x1 + n10 * r;
    const long v3 = (long)(i2);
    return v3;
}
#define PLACE(o, r) place_hook(o, r FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "lib/cpu_transpose.cl"
#include "map/cpu_tile_store.cl"
#include "map/cpu_pad.cl"
