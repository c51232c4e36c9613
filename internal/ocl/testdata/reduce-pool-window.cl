// window 16x8x14 of 3x3: a CPU driver: windows slide over rows that a core has in its cache
// launch reduce_box global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments OUTER=16 OSPAN=2 RS=8 RSPAN=8 INNER=14 PITCH=32 BLO=1 BHI=29 SOURCE_LEN=6720 n0=15 n1=420 n2=28 n3=-29
#define SPLIT 0
#define FOLD FOLD_MAX
#define IS_ARG 0
#define VAL float
#define OUT_ACC float
#define RING float
#define IDENTITY (-INFINITY)
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
#define IN_PLACE 1
#define VFOLD(a, b) ((b) != (b) ? (b) : (b) > (a) ? (b) : (a))
#define BLOCK 1
#define RESULTS_PTR (y0_ + o_y0)
#define LANE float
#define LANES_OF float16
#define TWICE 1
#define OVERRUN 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
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
    const IDX n3
#define ARGS p0_, o_p0, y0_, o_y0, OUTER, OSPAN, RS, RSPAN, INNER, PITCH, BLO, BHI, SOURCE_LEN, n0, n1, n2, n3
#define FN_PARAMS , __global const float *p0, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3
#define FN_ARGS , p0_ + o_p0, n0, n1, n2, n3

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

static inline float16 results_hook(const IDX o, const IDX r, const IDX i, const float16 acc FN_PARAMS) {
    return acc;
}
#define RESULTS(o, r, i, acc) results_hook(o, r, i, acc FN_ARGS)

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
// ---- window_emit.cl ----
// window_emit.cl: vectors of results along rows, as windows have them
//
// EMIT_ROWS(v, o, r, i) stores the lanes of BLOCK vectors v of VL: windows i and on of rows r and on of
// plane o, of which those before r1 are the item's. Where rows end before the vectors do, the last
// vector moves to the left (FIRST_LANE) or lies over what follows and is stored later, before `end`.
//
// hooks   EPILOGUE(o, r, i, v)  STORE(r, v)
//         RESULTS(o, r, i, v), where defined, is what VL neighbours become, to which RESULTS_PTR points
// macros  TWICE    1: a result may be stored more than once; 0: it is stored over what is read for it
//         OVERRUN  1: and lanes beyond the end of a row may be worked out
//         LANE, LANES_OF  the type of a lane and of a vector v
//         BLOCK    rows
// sizes   RS, INNER

#if TWICE
#define FIRST_LANE(i) max(min((IDX)(i), (IDX)(INNER - VL)), (IDX)0)
#else
#define FIRST_LANE(i) (i)
#endif

// What the item stores from row r on ends before this element of y.
#define ROWS_END(o, o1, r0, r1) (((r1) - (r0) < RS ? (o) * RS + (r1) : (o1) * RS) * INNER)

// A row for which there is room is stored without a question: what was computed for it, in part of a
// branch, would be computed there.
#define EMIT_ROWS(v, o, r, i) do { \
    const IDX at_ = ((o) * RS + (r)) * INNER + (i); \
    if ((r) + BLOCK <= r1 && ((i) + VL <= INNER || (OVERRUN && at_ + (BLOCK - 1) * INNER + VL <= end))) { \
        _Pragma("unroll") \
        for (int row_ = 0; row_ < BLOCK; row_++) \
            EMIT_VECTOR(v[row_], o, (r) + row_, i, at_ + row_ * INNER); \
    } else { \
        LANES_OF rest_[BLOCK]; \
        _Pragma("unroll") \
        for (int row_ = 0; row_ < BLOCK; row_++) \
            rest_[row_] = v[row_]; \
        const int have_ = min((IDX)VL, (IDX)(INNER - (i))); \
        for (int row_ = 0; row_ < BLOCK && (r) + row_ < r1; row_++) { \
            PARTLY \
            for (int k_ = 0; k_ < have_; k_++) \
                STORE(at_ + row_ * INNER + k_, EPILOGUE(o, (r) + row_, (i) + k_, (OUT_ACC)((LANE *)&rest_[row_])[k_])); \
        } \
    } \
} while (0)

#ifdef RESULTS
#define EMIT_VECTOR(v, o, r, i, at) (*(__global VU *)(RESULTS_PTR + (at)) = RESULTS(o, r, i, v))
#else
#define EMIT_VECTOR(v, o, r, i, at) do { \
    const LANES_OF all_ = v; \
    WIDE_SHORT \
    for (int k_ = 0; k_ < VL; k_++) \
        STORE((at) + k_, EPILOGUE(o, r, (i) + k_, (OUT_ACC)((const LANE *)&all_)[k_])); \
} while (0)
#endif
// ---- reduce_box.cl ----
// reduce_box.cl: fold windows that slide along rows in memory down and then along, on a CPU driver
//
//     y[(o * RS + r) * INNER + i] = EPILOGUE(o, r, i, fold over f, g of S(r·SR + f·DR, i·SI + g·DI))
//
// where S is a plane as window_stage.cl describes it. The columns of a window's rows are folded into
// one row, which all windows of that row share, and neighbours of that are folded along: FOLDS +
// GOLDS steps for a vector of windows instead of FOLDS times GOLDS.
//
// hooks   those of window_stage.cl and window_emit.cl: EPILOGUE(o, r, i, v)  STORE(r, v)  RESULTS(o, r, i, v)
//         IN_PLACE 1: the rows are read where they are; PLAIN is 1, too. 0: from a copy, which their
//         folds are laid over
// macros  FOLDS, GOLDS  the window    SR, SI  how far it moves    DR, DI  how far apart its taps
//         are, negative where they run backwards    VFOLD(a, b)  the fold of values and of vectors
//         BLOCK 1    TWICE, OVERRUN as of window_emit.cl
// sizes   OUTER planes, OSPAN of them an item    RS rows, RSPAN of them an item    INNER    PITCH
// launch  reduce_box  global {OUTER / OSPAN, RS / RSPAN}  local {1, 1}
// for     pooling, sums and means over windows, and the gradient of these

#if IN_PLACE

// box_beyond fills columns [from, to) of a row that no window's row has values for, and some behind them.
static inline void box_beyond(__local VAL *row, const IDX from, const IDX to) {
    VAL edge = BEYOND;
    #pragma unroll
    for (int f = 1; f < FOLDS; f++)
        edge = VFOLD(edge, (VAL)(BEYOND));
    for (IDX b = from; b < to; b += VL)
        *(__local VU *)(row + b) = (VT)(edge);
}

// box_whole folds the rows of a window, which begin at first, into one of the stage, and returns how
// far it came: the rest is at the very end of the buffer.
static inline IDX box_whole(__local VAL *row, const IDX *first, PARAMS) {
    IDX last = first[0];
    #pragma unroll
    for (int f = 1; f < FOLDS; f++)
        last = max(last, first[f]);
    IDX b = BLO;
    for (; b < BHI && last + b + VL <= SOURCE_LEN; b += VL) {
        VT s = LOAD_WIDE(SOURCE_PTR + first[0] + b);
        #pragma unroll
        for (int f = 1; f < FOLDS; f++) {
            const VT v = LOAD_WIDE(SOURCE_PTR + first[f] + b);
            s = VFOLD(s, v);
        }
        *(__local VU *)(row + b) = s;
    }
    return b;
}

// box_rest folds columns b and on of the rows that have values.
static inline void box_rest(__local VAL *row, IDX b, const IDX o, const IDX a, PARAMS) {
    for (; b < BHI; b++) {
        VAL s = 0;
        for (int f = 0; f < FOLDS; f++) {
            VAL v = BEYOND;
#if GUARDED
            if (ROW_INSIDE(o, 0, a + TAP(f, FOLDS, DR)))
#endif
                v = SOURCE(o, 0, a + TAP(f, FOLDS, DR), b);
            s = f == 0 ? v : VFOLD(s, v);
        }
        row[b] = s;
    }
}

#if GUARDED
// box_part is box_whole for windows of which some rows have no values.
static inline IDX box_part(__local VAL *row, const IDX o, const IDX a, PARAMS) {
    const IDX width = BHI - BLO, whole = (width + VL - 1) / VL * VL;
    for (int f = 0; f < FOLDS; f++)
        if (ROW_INSIDE(o, 0, a + TAP(f, FOLDS, DR)) && SOURCE_AT(o, 0, a + TAP(f, FOLDS, DR)) + BLO + whole > SOURCE_LEN)
            return BLO;
    for (int f = 0; f < FOLDS; f++) {
        const int inside = ROW_INSIDE(o, 0, a + TAP(f, FOLDS, DR));
        __global const SOURCE_TYPE *p = SOURCE_PTR + (inside ? SOURCE_AT(o, 0, a + TAP(f, FOLDS, DR)) : 0);
        for (IDX b = BLO; b < BHI; b += VL) {
            VT v = (VT)(BEYOND);
            if (inside)
                v = LOAD_WIDE(p + b);
            const VT s = *(__local const VU *)(row + b);
            *(__local VU *)(row + b) = f == 0 ? v : VFOLD(s, v);
        }
    }
    return BHI;
}
#endif

#endif

kernel void reduce_box(PARAMS) {
    __local VAL stage[STAGE] LINES;
    WIDE_VECTORS
    const IDX o0 = (IDX)get_global_id(0) * OSPAN, o1 = min(o0 + OSPAN, OUTER);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, RS);
    for (IDX o = o0; o < o1; o++) {
#if IN_PLACE
        for (IDX r = r0; r < r1; r++) {
            __local VAL *row = stage + (r - r0) * PITCH;
            IDX first[FOLDS];
            int whole = 1;
            #pragma unroll
            for (int f = 0; f < FOLDS; f++) {
                first[f] = SOURCE_AT(o, 0, r * SR + TAP(f, FOLDS, DR));
#if GUARDED
                whole &= ROW_INSIDE(o, 0, r * SR + TAP(f, FOLDS, DR)) != 0;
#endif
            }
            box_beyond(row, 0, BLO);
            IDX b;
#if GUARDED
            if (!whole)
                b = box_part(row, o, r * SR, ARGS);
            else
#endif
                b = box_whole(row, first, ARGS);
            box_rest(row, b, o, r * SR, ARGS);
            box_beyond(row, BHI, PITCH);
        }
#else
        window_stage(stage, o, 0, r0 * SR, (r1 - 1) * SR + (FOLDS - 1) * (DR < 0 ? -DR : DR) + 1, ARGS);
        for (IDX r = 0; r < r1 - r0; r++)
            for (IDX b = 0; b < PITCH; b += VL) {
                VT s = *(__local const VT *)(stage + (r * SR + TAP(0, FOLDS, DR)) * PITCH + b);
                #pragma unroll
                for (int f = 1; f < FOLDS; f++) {
                    const VT v = *(__local const VT *)(stage + (r * SR + TAP(f, FOLDS, DR)) * PITCH + b);
                    s = VFOLD(s, v);
                }
                *(__local VT *)(stage + r * PITCH + b) = s;
            }
#endif
        const IDX end = ROWS_END(o, o1, r0, r1);
        for (IDX r = r0; r < r1; r++)
            for (IDX block = 0; block < INNER; block += VL) {
                const IDX i = FIRST_LANE(block);
                __local const VAL *row = stage + (r - r0) * PITCH + i * SI;
                VT s[BLOCK];
                s[0] = window_lanes(row, TAP(0, GOLDS, DI));
                #pragma unroll
                for (int g = 1; g < GOLDS; g++) {
                    const VT v = window_lanes(row, TAP(g, GOLDS, DI));
                    s[0] = VFOLD(s[0], v);
                }
                EMIT_ROWS(s, o, r, i);
            }
    }
}
