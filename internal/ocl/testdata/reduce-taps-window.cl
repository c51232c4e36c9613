// window 8x15x28 of 3x3 rows=4: a CPU driver: windows slide over rows that a core has in its cache
// launch reduce_taps global [8] local [1]
// options -cl-single-precision-constant
// arguments OUTER=8 OSPAN=1 RS=15 RSPAN=16 INNER=28 PITCH=32 BLO=1 BHI=29 SOURCE_LEN=3360 NS=1 PART_LEN=3360 n0=15 n1=420 n2=28 n3=-29
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 1
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define STAGE 6144
#define FOLDS 3
#define GOLDS 3
#define SR 1
#define SI 1
#define DR (1)
#define DI (1)
#define SPREAD 1
#define PHASE 0
#define VL 16
#define VT float16
#define VH float8
#define BEYOND 0.0f
#define GUARDED 1
#define PLAIN 1
#define SOURCE_TYPE float
#define SOURCE_PTR (p0_ + o_p0)
#define LOAD_WIDE(p) (*(__global const VU *)(p))
#define LOAD_HALF(p) vload8(0, p)
#define PLAIN_PART 1
#define PART_TYPE float
#define PART_PTR (p1_ + o_p1)
#define PART_WIDE(p) (*(__global const VU *)(p))
#define MASK int16
#define LANES (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define BLOCK 4
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX OUTER, \
    const IDX OSPAN, \
    const IDX RS, \
    const IDX RSPAN, \
    const IDX INNER, \
    const IDX PITCH, \
    const IDX BLO, \
    const IDX BHI, \
    const IDX SOURCE_LEN, \
    const IDX NS, \
    const IDX PART_LEN, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, OUTER, OSPAN, RS, RSPAN, INNER, PITCH, BLO, BHI, SOURCE_LEN, NS, PART_LEN, n0, n1, n2, n3
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3

static inline uchar row_inside_hook(const IDX o, const IDX n, const IDX a FN_PARAMS) {
    const int i0 = a - 1;
    const int g1 = i0 >= 0 && i0 < n0;
    const uchar v2 = g1;
    return v2;
}
#define ROW_INSIDE(o, n, a) row_inside_hook(o, n, a FN_ARGS)

static inline float source_hook(const IDX o, const IDX n, const IDX a, const IDX b FN_PARAMS) {
    const int i0 = n1 * o + n2 * a + b + n3;
    const float v1 = LOAD_float32(p0, i0);
    return v1;
}
#define SOURCE(o, n, a, b) source_hook(o, n, a, b FN_ARGS)

static inline int source_at_hook(const IDX o, const IDX n, const IDX a FN_PARAMS) {
    const int i0 = n1 * o + n2 * a + n3;
    const int v1 = (int)(i0);
    return v1;
}
#define SOURCE_AT(o, n, a) source_at_hook(o, n, a FN_ARGS)

static inline float part_hook(const IDX o, const IDX n, const IDX r, const IDX i FN_PARAMS) {
    const int i0 = n1 * o + n2 * r + i;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define PART(o, n, r, i) part_hook(o, n, r, i FN_ARGS)

static inline int part_at_hook(const IDX o, const IDX n, const IDX r FN_PARAMS) {
    const int i0 = n1 * o + n2 * r;
    const int v1 = (int)(i0);
    return v1;
}
#define PART_AT(o, n, r) part_at_hook(o, n, r FN_ARGS)

static inline float epilogue_hook(const IDX o, const IDX f, const IDX g, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(o, f, g, acc) epilogue_hook(o, f, g, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "reduce/any_monoid.cl"
#include "reduce/cpu_window_stage.cl"
#include "reduce/cpu_taps.cl"
