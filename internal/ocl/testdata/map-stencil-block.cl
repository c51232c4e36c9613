// block view=160x224 block=20x224: a CPU driver: long inner loops become vectors
// launch map_block global [1 8] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=160 COLS=224 FROM=1 TO=223 RSPAN=20 CSPAN=224 n0=224 n1=-224 n2=160 n3=159
#define WHOLE 1
#define LANES 16
#define NARROW 0
#define SEGMENTS 0
#define INTERIOR 1
#define BUFFERED 0
#define STREAMED 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX FROM, \
    const IDX TO, \
    const IDX RSPAN, \
    const IDX CSPAN, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3
#define ARGS p0_, o_p0, y0_, o_y0, ROWS, COLS, FROM, TO, RSPAN, CSPAN, n0, n1, n2, n3
#define FN_PARAMS , __global const float *p0, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3
#define FN_ARGS , p0_ + o_p0, n0, n1, n2, n3

INLINE float value_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = r - 1;
    const int g1 = i0 >= 0;
    const int i2 = n0 * r + c + n1;
    const float v3 = g1 ? LOAD_float32(p0, i2) : (float)0;
    const int i4 = c - 1;
    const int g5 = i4 >= 0;
    const int i6 = n0 * r + c - 1;
    const float v7 = g5 ? LOAD_float32(p0, i6) : (float)0;
    const float v8 = (float)(v3 + v7);
    const int i9 = c + 1;
    const int g10 = i9 < n0;
    const int i11 = n0 * r + c + 1;
    const float v12 = g10 ? LOAD_float32(p0, i11) : (float)0;
    const float v13 = (float)(v8 + v12);
    const int i14 = r + 1;
    const int g15 = i14 < n2;
    const int i16 = n0 * r + c + n0;
    const float v17 = g15 ? LOAD_float32(p0, i16) : (float)0;
    const float v18 = (float)(v13 + v17);
    return v18;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

INLINE uchar has_interior_hook(const IDX r FN_PARAMS) {
    const int g0 = r >= 1 && r < n3;
    const uchar v1 = g0;
    return v1;
}
#define HAS_INTERIOR(r) has_interior_hook(r FN_ARGS)

INLINE float interior_value_hook(const IDX r, const IDX c FN_PARAMS) {
    const int i0 = n0 * r + n1;
    const long i1 = (long)i0 + c;
    const float v2 = LOAD_float32(p0, i1);
    const int i3 = n0 * r - 1;
    const long i4 = (long)i3 + c;
    const float v5 = LOAD_float32(p0, i4);
    const float v6 = (float)(v2 + v5);
    const int i7 = n0 * r + 1;
    const long i8 = (long)i7 + c;
    const float v9 = LOAD_float32(p0, i8);
    const float v10 = (float)(v6 + v9);
    const int i11 = n0 * r + n0;
    const long i12 = (long)i11 + c;
    const float v13 = LOAD_float32(p0, i12);
    const float v14 = (float)(v10 + v13);
    return v14;
}
#define INTERIOR_VALUE(r, c) interior_value_hook(r, c FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "map/cpu_block.cl"
