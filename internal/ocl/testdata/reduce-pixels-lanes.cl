// lanes view=28224x9 14x14x144 of 3x3 pixels vecs=2: a CPU driver: lanes along the last axis share a window
// launch reduce_pixels global [14 2] local [1 1]
// options -cl-single-precision-constant
// arguments OUTER=14 PIXELS=14 INNER=144 RSPAN=1 ISPAN=96 n0=2016 n1=144 n2=-2160 n3=432 n4=14
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
#define VECS 2
#define VAL16 float16
#define FOLDS 3
#define GOLDS 3
#define GUARDED 1
#define RIGHT_OUTSIDE(o, i, f, g, n) kept[((f) * GOLDS + (g)) * VECS + (n)]
#define RESULTS_PTR (y0_ + o_y0)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX OUTER, \
    const IDX PIXELS, \
    const IDX INNER, \
    const IDX RSPAN, \
    const IDX ISPAN, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4

static inline float16 lefts_hook(const IDX o, const IDX p, const IDX i, const IDX f, const IDX g FN_PARAMS) {
    const long i0 = n0 * o + n1 * p + i + n0 * f + n1 * g + n2;
    const float16 v1 = LOADS_float32(p0, i0);
    return v1;
}
#define LEFTS(o, p, i, f, g) lefts_hook(o, p, i, f, g FN_ARGS)

static inline float16 rights_hook(const IDX o, const IDX i, const IDX f, const IDX g FN_PARAMS) {
    const long i0 = i + n3 * f + n1 * g;
    const float16 v1 = LOADS_float32(p1, i0);
    return v1;
}
#define RIGHTS(o, i, f, g) rights_hook(o, i, f, g FN_ARGS)

static inline float16 lefts_outside_hook(const IDX o, const IDX p, const IDX i, const IDX f, const IDX g FN_PARAMS) {
    const float v0 = 0.0f;
    const float16 v1 = (float16)(v0);
    return v1;
}
#define LEFTS_OUTSIDE(o, p, i, f, g) lefts_outside_hook(o, p, i, f, g FN_ARGS)

static inline uchar inside_hook(const IDX o, const IDX p, const IDX f, const IDX g FN_PARAMS) {
    const long i0 = o + f - 1;
    const long i1 = p + g - 1;
    const int g2 = i0 >= 0 && i0 < n4 && i1 >= 0 && i1 < n4;
    const uchar v3 = g2;
    return v3;
}
#define INSIDE(o, p, f, g) inside_hook(o, p, f, g FN_ARGS)

static inline float16 results_hook(const IDX o, const IDX p, const IDX i, const float16 acc FN_PARAMS) {
    return acc;
}
#define RESULTS(o, p, i, acc) results_hook(o, p, i, acc FN_ARGS)

static inline float epilogue_hook(const IDX o, const IDX p, const IDX i, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(o, p, i, acc) epilogue_hook(o, p, i, acc FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

// ---- monoid.cl ----
// monoid.cl: the folds of the reduction kernels, over sets of states.
//
// A state is a value s[k] and, for ArgMin and ArgMax, the position s_at[k] where it was first
// seen: two arrays, so that loops over k become vectors.
//
//     STATES(s, n)        declares n states          CLEAR(s, k)        the identity
//     ADD(s, k, v, at)    folds v at position at     MERGE(s, k, j)     folds state j into k
//     SAVE(s, k, i)       state k to PARTS[i]        MERGE_PART(s, k, i)  folds PARTS[i] into k
//     RESULT(s, k)        the value of OpAcc
//
// macros  FOLD      FOLD_SUM, FOLD_PROD, FOLD_MIN, FOLD_MAX (also for the arg folds)
//         IS_ARG    1 for ArgMin and ArgMax
//         VAL, OUT_ACC   type of what is folded, type of RESULT
//         RING      type of sums and products: unsigned for integers, which wrap
//         IDENTITY  of the fold
// note    comparisons are joined by | and &: a branch would keep loops from becoming vectors.
//         a NaN beats every number; among equals the first position wins, whatever the order of
//         merging. A state that saw nothing better than the identity has position IDX_MAX: when
//         it stays so to the end, all values equal the identity and the first one is at 0

#define ISNAN(v) ((v) != (v))
#define FOLD_SUM(a, b) ((VAL)((RING)(a) + (RING)(b)))
#define FOLD_PROD(a, b) ((VAL)((RING)(a) * (RING)(b)))
#define FOLD_MIN(a, b) ((((b) < (a)) | ISNAN(b)) ? (b) : (a))
#define FOLD_MAX(a, b) ((((b) > (a)) | ISNAN(b)) ? (b) : (a))
// Not >= rather than < or a NaN: two comparisons less.
#define BEATS_MIN(b, a) (!((b) >= (a)) & !ISNAN(a))
#define BEATS_MAX(b, a) (!((b) <= (a)) & !ISNAN(a))

#if IS_ARG

#define STATES(s, n) VAL s[n]; IDX s##_at[n]
#define LOCAL_STATES(s, n) __local VAL s[n]; __local IDX s##_at[n]
#define CLEAR(s, k) (s[k] = IDENTITY, s##_at[k] = IDX_MAX)
#define COPY(t, j, s, k) (t[j] = s[k], t##_at[j] = s##_at[k])
#define ADD(s, k, v, at) do { \
    const int beats_ = BEATS(v, s[k]); \
    s[k] = beats_ ? (v) : s[k]; \
    s##_at[k] = beats_ ? (at) : s##_at[k]; \
} while (0)
#define MERGE_STATE(s, k, v, at) do { \
    const int same_ = (s[k] == (v)) | (ISNAN(s[k]) & ISNAN(v)); \
    const int beats_ = BEATS(v, s[k]) | (same_ & ((at) < s##_at[k])); \
    s[k] = beats_ ? (v) : s[k]; \
    s##_at[k] = beats_ ? (at) : s##_at[k]; \
} while (0)
#define MERGE(s, k, j) MERGE_STATE(s, k, s[j], s##_at[j])
#define SAVE(s, k, i) (PARTS[i] = s[k], PARTS_AT[i] = s##_at[k])
#define MERGE_PART(s, k, i) MERGE_STATE(s, k, PARTS[i], PARTS_AT[i])
#define RESULT(s, k) (OUT_ACC)(s##_at[k] == IDX_MAX ? 0 : s##_at[k])

#else

#define STATES(s, n) VAL s[n]
#define LOCAL_STATES(s, n) __local VAL s[n]
#define CLEAR(s, k) (s[k] = IDENTITY)
#define COPY(t, j, s, k) (t[j] = s[k])
#define ADD(s, k, v, at) (s[k] = FOLD(s[k], v))
#define MERGE(s, k, j) (s[k] = FOLD(s[k], s[j]))
#define SAVE(s, k, i) (PARTS[i] = s[k])
#define MERGE_PART(s, k, i) do { const VAL part_ = PARTS[i]; s[k] = FOLD(s[k], part_); } while (0)
#define RESULT(s, k) s[k]

#endif

// What a kernel does with a finished state: the result, or a part of it for reduce_finish.
#if SPLIT
#define EMIT(r, part, s, k) SAVE(s, k, (part) * ROWS + (r))
#else
#define EMIT(r, part, s, k) STORE(r, EPILOGUE(r, RESULT(s, k)))
#endif
// ---- reduce_pixels.cl ----
// reduce_pixels.cl: sum windows of products on a CPU driver, channels side by side in memory.
//
//     y[(o * PIXELS + p) * INNER + i] = EPILOGUE(o, p, i, Σ over f, g of LEFTS(o, p, i, f, g) · RIGHTS(o, i, f, g))
//
// The window is unrolled and its factors stay in registers along a row of pixels. Which taps lie
// inside is found once for all channels.
//
// hooks   LEFTS(o, p, i, f, g), RIGHTS(o, i, f, g)  16 neighbours along i
//         GUARDED 1: these hold where INSIDE(o, p, f, g); elsewhere LEFTS_OUTSIDE(o, p, i, f, g) and
//         RIGHT_OUTSIDE(o, i, f, g, n) do, which may be kept[(f * GOLDS + g) * VECS + n], where i is the n-th vector
//         EPILOGUE(o, p, i, v)  STORE(r, v)    RESULTS(o, p, i, v), where defined, is what 16 neighbours
//         become, of type VAL16, which RESULTS_PTR points to
// macros  VECS   vectors an item takes at a time: 1, 2. The last move to the left where INNER is no
//                multiple of so many lanes, and some results are stored twice
//         FOLDS, GOLDS  the window, at most 32 taps    VAL16  16 of VAL
// sizes   OUTER, PIXELS, INNER  extents of o, p, i; INNER at least 16 * VECS
//         RSPAN, ISPAN  how many o and i an item takes, ISPAN a multiple of 16 * VECS
// launch  reduce_pixels  global {OUTER / RSPAN, INNER / ISPAN}  local {1, 1}
// for     depthwise convolution of images with the channels last

#define AHEAD 64 // pixels of which it is known what lies inside
#define TAPS (FOLDS * GOLDS)
typedef VAL16 __attribute__((aligned(sizeof(VAL)))) VAL16_ANYWHERE;

kernel void reduce_pixels(PARAMS) {
    WIDE_VECTORS
    const IDX o0 = (IDX)get_global_id(0) * RSPAN, o1 = min(o0 + RSPAN, OUTER);
    const IDX i0 = (IDX)get_global_id(1) * ISPAN, i1 = min(i0 + ISPAN, INNER);
    for (IDX o = o0; o < o1; o++)
        for (IDX start = 0; start < PIXELS; start += AHEAD) {
            const int pixels = min(PIXELS - start, (IDX)AHEAD);
#if GUARDED
            uint inside[AHEAD] LINES;
            PARTLY
            for (int k = 0; k < pixels; k++) {
                uint taps = 0;
                #pragma unroll
                for (int f = 0; f < FOLDS; f++)
                    #pragma unroll
                    for (int g = 0; g < GOLDS; g++)
                        taps |= (uint)(INSIDE(o, start + k, f, g) != 0) << (f * GOLDS + g);
                inside[k] = taps;
            }
#endif
            for (IDX block = i0; block < i1; block += 16 * VECS) {
                const IDX i = min(block, INNER - 16 * VECS);
                VAL16 kept[TAPS * VECS];
                #pragma unroll
                for (int f = 0; f < FOLDS; f++)
                    #pragma unroll
                    for (int g = 0; g < GOLDS; g++)
                        #pragma unroll
                        for (int n = 0; n < VECS; n++)
                            kept[(f * GOLDS + g) * VECS + n] = RIGHTS(o, i + n * 16, f, g);
                for (int k = 0; k < pixels; k++) {
                    const IDX p = start + k;
                    VAL16 s[VECS];
                    #pragma unroll
                    for (int n = 0; n < VECS; n++) s[n] = (VAL16)(0);
#if GUARDED
                    const uint taps = inside[k];
                    if (taps != ~0u >> (32 - TAPS)) {
                        #pragma unroll
                        for (int f = 0; f < FOLDS; f++)
                            #pragma unroll
                            for (int g = 0; g < GOLDS; g++) {
                                if (taps >> (f * GOLDS + g) & 1) {
                                    #pragma unroll
                                    for (int n = 0; n < VECS; n++)
                                        s[n] = FMA(LEFTS(o, p, i + n * 16, f, g), kept[(f * GOLDS + g) * VECS + n], s[n]);
                                } else {
                                    #pragma unroll
                                    for (int n = 0; n < VECS; n++)
                                        s[n] = FMA(LEFTS_OUTSIDE(o, p, i + n * 16, f, g), RIGHT_OUTSIDE(o, i + n * 16, f, g, n), s[n]);
                                }
                            }
                    } else
#endif
                    {
                        #pragma unroll
                        for (int f = 0; f < FOLDS; f++)
                            #pragma unroll
                            for (int g = 0; g < GOLDS; g++)
                                #pragma unroll
                                for (int n = 0; n < VECS; n++)
                                    s[n] = FMA(LEFTS(o, p, i + n * 16, f, g), kept[(f * GOLDS + g) * VECS + n], s[n]);
                    }
                    const IDX first = (o * PIXELS + p) * INNER + i;
#ifdef RESULTS
                    #pragma unroll
                    for (int n = 0; n < VECS; n++)
                        *(__global VAL16_ANYWHERE *)(RESULTS_PTR + first + n * 16) = RESULTS(o, p, i + n * 16, s[n]);
#else
                    VAL lane[16 * VECS] LINES;
                    #pragma unroll
                    for (int n = 0; n < VECS; n++) ((VAL16 *)lane)[n] = s[n];
                    WIDE
                    for (int c = 0; c < 16 * VECS; c++)
                        STORE(first + c, EPILOGUE(o, p, i + c, (OUT_ACC)lane[c]));
#endif
                }
            }
        }
}
