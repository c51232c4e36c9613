// window 8x8x14 of 3x3: a CPU driver: windows slide over rows that a core has in its cache
// launch reduce_window global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments OUTER=8 OSPAN=1 RS=8 RSPAN=8 INNER=14 PITCH=64 BLO=1 BHI=29 SOURCE_LEN=3360 n0=15 n1=420 n2=28 n3=-29 n4=9 n5=3
#define SPLIT 0
#define FOLD FOLD_SUM
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (0.0f)
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
#define VFOLD(a, b) ((a) + (b))
#define AT int16
#define ATS int
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

static inline float epilogue_hook(const IDX o, const IDX r, const IDX i, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(o, r, i, acc) epilogue_hook(o, r, i, acc FN_ARGS)

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
// ---- window_stage.cl ----
// window_stage.cl: the part of an image over which windows slide, in memory of its own
//
// A plane's rows [a0, a1) come to lie PITCH apart with what stands beyond their edge around them,
// so that whoever slides windows over them asks for no edge. SOURCE is read once for every position
// instead of once for every window that covers it.
//
// hooks   SOURCE(o, n, a, b)   the value at row a, column b of plane o, n, in steps of SPREAD
//         GUARDED 1: only rows where ROW_INSIDE(o, n, a) holds have values; else all have
//         PLAIN   1: values lie side by side from SOURCE_PTR + SOURCE_AT(o, n, a) on, SOURCE_LEN
//                 elements in all; LOAD_WIDE(p) widens VL of them, LOAD_HALF(p) half as many
// macros  VAL  type of a value    VT  VL = 16 of them    VH  half as many    BEYOND  beyond the edge
//         STAGE   values of local memory    SPREAD  b is column b * SPREAD + PHASE, with BEYOND
//                 between: a window that meets every so manyth value only
//         SI      columns a window moves on for the next lane
// sizes   BLO, BHI  columns that have values    PITCH  a multiple of VL, VL more than what is read

// Vectors at any address: vload and vstore of 16 are four of 4 for some compilers.
typedef VT __attribute__((aligned(sizeof(VAL)))) VU;

static inline void window_stage(__local VAL *stage, const IDX o, const IDX n, const IDX a0, const IDX a1, PARAMS) {
    for (IDX a = a0; a < a1; a++) {
        // Vectors reach beyond what they are for, into columns that are filled after them.
        __local VAL *row = stage + (a - a0) * PITCH;
        IDX end = 0;
#if GUARDED
        if (ROW_INSIDE(o, n, a))
#endif
        {
            IDX b = BLO;
            end = SPREAD > 1 ? PITCH : BHI;
            for (IDX at = 0; at < (SPREAD > 1 ? PITCH : BLO); at += VL)
                *(__local VU *)(row + at) = (VT)(BEYOND);
#if PLAIN && SPREAD == 1
            const IDX first = SOURCE_AT(o, n, a);
            __global const SOURCE_TYPE *p = SOURCE_PTR + first;
            for (; b < BHI && first + b + VL <= SOURCE_LEN; b += VL)
                *(__local VU *)(row + b) = LOAD_WIDE(p + b);
#elif PLAIN && SPREAD == 2
            __global const SOURCE_TYPE *p = SOURCE_PTR + SOURCE_AT(o, n, a);
            for (; b + VL / 2 <= BHI; b += VL / 2) {
                VT v = (VT)(BEYOND);
                v.even = LOAD_HALF(p + b);
                *(__local VU *)(row + b * 2 + PHASE) = v;
            }
#endif
            for (; b < BHI; b++)
                row[b * SPREAD + PHASE] = SOURCE(o, n, a, b);
        }
        for (; end < PITCH; end += VL)
            *(__local VU *)(row + end) = (VT)(BEYOND);
    }
}

// The values of tap f, g for the windows of VL lanes, of which the first starts at p.
#define WINDOW_TAP(p, f, g) window_lanes((p) + TAP(f, FOLDS, DR) * PITCH, TAP(g, GOLDS, DI))
#define TAP(k, count, step) ((k) * (step) - ((step) < 0 ? ((count) - 1) * (step) : 0))

static inline VT window_lanes(__local const VAL *p, const int at) {
#if SI == 1
    return *(__local const VU *)(p + at);
#elif SI == 2 // two neighbouring taps are made of the same two vectors
    const VT a = *(__local const VU *)(p + at / 2 * 2), b = *(__local const VU *)(p + at / 2 * 2 + VL);
    return at % 2 ? (VT)(a.odd, b.odd) : (VT)(a.even, b.even);
#else
    VAL lane[VL];
    for (int k = 0; k < VL; k++)
        lane[k] = p[at + k * SI];
    return vload16(0, lane);
#endif
}
// ---- reduce_window.cl ----
// reduce_window.cl: fold small windows that slide along rows in memory, on a CPU driver
//
//     y[(o * RS + r) * INNER + i] = EPILOGUE(o, r, i, fold over f, g of S(r·SR + f·DR, i·SI + g·DI))
//
// where S is the plane o that window_stage.cl lays out, or S times KEPT(o, f, g). Lanes are
// neighbours along a row; a window is unrolled, and its factors stay in registers.
//
// hooks   those of window_stage.cl    EPILOGUE(o, r, i, v)  STORE(r, v)
//         SCALED 1: KEPT(o, f, g) is the factor of a tap; the fold is a sum
// macros  FOLDS, GOLDS  the window    SR, SI  how far it moves    DR, DI  how far apart its taps
//         are, negative where they run backwards    VFOLD(a, b)  the fold of vectors
//         OVERRUN  1: the last lanes of a row may be stored in the item's next rows, which follow;
//         0: not, because what is stored there before is read with them
//         IS_ARG  1: the result is the position in the window of what BEATS all before; AT is a
//         vector of positions
// sizes   OUTER planes, OSPAN of them an item    RS rows, RSPAN of them an item    INNER    PITCH
// launch  reduce_window  global {OUTER / OSPAN, RS / RSPAN}  local {1, 1}
// for     depthwise convolution and its gradient with respect to the image, pooling, filters and
//         differences over rows

#define EMIT_LANES(first, count) do { \
    for (int k = 0; k < (count); k++) \
        STORE((o * RS + r) * INNER + i + (first) + k, EPILOGUE(o, r, i + (first) + k, (OUT_ACC)lane[(first) + k])); \
} while (0)

kernel void reduce_window(PARAMS) {
    __local VAL stage[STAGE] __attribute__((aligned(64)));
    WIDE_VECTORS
    const IDX o0 = (IDX)get_global_id(0) * OSPAN, o1 = min(o0 + OSPAN, OUTER);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, RS);
    for (IDX o = o0; o < o1; o++) {
        window_stage(stage, o, 0, r0 * SR, (r1 - 1) * SR + (FOLDS - 1) * (DR < 0 ? -DR : DR) + 1, ARGS);
#if SCALED
        VT kept[FOLDS * GOLDS];
        #pragma unroll
        for (int f = 0; f < FOLDS; f++)
            #pragma unroll
            for (int g = 0; g < GOLDS; g++)
                kept[f * GOLDS + g] = (VT)(KEPT(o, f, g));
#endif
        const IDX end = (r1 - r0 < RS ? o * RS + r1 : o1 * RS) * INNER; // of what the item stores from here on
        for (IDX r = r0; r < r1; r++) {
            __local const VAL *rows = stage + (r - r0) * SR * PITCH;
            for (IDX i = 0; i < INNER; i += VL) {
                VT s = (VT)(IDENTITY);
#if IS_ARG
                AT at = (AT)(0);
#endif
                #pragma unroll
                for (int f = 0; f < FOLDS; f++)
                    #pragma unroll
                    for (int g = 0; g < GOLDS; g++) {
                        const VT v = WINDOW_TAP(rows + i * SI, f, g);
#if IS_ARG
                        const AT beats = BEATS(v, s);
                        s = beats ? v : s;
                        at = beats ? (AT)(f * GOLDS + g) : at;
#elif SCALED
                        s = FMA(v, kept[f * GOLDS + g], s);
#else
                        s = VFOLD(s, v);
#endif
                    }
#if IS_ARG
                ATS lane[VL] __attribute__((aligned(64)));
                *(AT *)lane = at;
#else
                VAL lane[VL] __attribute__((aligned(64)));
                *(VT *)lane = s;
#endif
#if OVERRUN
                if ((o * RS + r) * INNER + i + VL <= end)
#else
                if (i + VL <= INNER)
#endif
                    EMIT_LANES(0, VL);
                else { // in pieces that lie within the vector as it was stored
                    const int have = min((IDX)VL, INNER - i);
                    int first = 0;
                    #pragma unroll
                    for (int n = VL; n > 0; n /= 2)
                        if (have & n) {
                            EMIT_LANES(first, n);
                            first += n;
                        }
                }
            }
        }
    }
}
