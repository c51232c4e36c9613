// window 8x8x14 of 3x3 rows=4: a CPU driver: windows slide over rows that a core has in its cache
// launch reduce_window global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments OUTER=8 OSPAN=1 RS=8 RSPAN=8 INNER=14 PITCH=32 BLO=1 BHI=29 SOURCE_LEN=3360 n0=15 n1=420 n2=28 n3=-29 n4=9 n5=3
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define EXACT 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define PAIRED 0
#define STAGE 6144
#define FOLDS 3
#define GOLDS 3
#define SR 2
#define SI 2
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
#define SCALED 1
#define AT int16
#define BLOCK 4
#define RESULTS_PTR (y0_ + o_y0)
#define PUT_VECTOR(v, p) (*(__global VU *)(p) = (v))
#define LANE float
#define LANES_OF float16
#define TWICE 1
#define OVERRUN 1
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
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, OUTER, OSPAN, RS, RSPAN, INNER, PITCH, BLO, BHI, SOURCE_LEN, n0, n1, n2, n3, n4, n5
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4, n5

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

static inline float kept_hook(const IDX o, const IDX f, const IDX g FN_PARAMS) {
    const int i0 = n4 * o + n5 * f + g;
    const float v1 = LOAD_float32(p1, i0);
    return v1;
}
#define KEPT(o, f, g) kept_hook(o, f, g FN_ARGS)

static inline float16 results_hook(const IDX o, const IDX r, const IDX i, const float16 acc FN_PARAMS) {
    return acc;
}
#define RESULTS(o, r, i, acc) results_hook(o, r, i, acc FN_ARGS)

static inline float epilogue_hook(const IDX o, const IDX r, const IDX i, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(o, r, i, acc) epilogue_hook(o, r, i, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "reduce/any_monoid.cl"
#include "reduce/cpu_window_stage.cl"
#include "reduce/cpu_window_store.cl"
#include "reduce/cpu_window.cl"
