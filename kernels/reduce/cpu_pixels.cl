// reduce/cpu_pixels.cl: sum windows of products on a CPU driver, channels side by side in memory
//
//     y[(o * PIXELS + p) * INNER + i] = EPILOGUE(o, p, i, Σ over f, g of LEFTS(o, p, i, f, g) · RIGHTS(o, i, f, g))
//
// The window is unrolled and its factors stay in registers along a row of pixels. Which taps lie inside is found once
// for all channels, and TOGETHER pixels are summed at a time where the same do.
//
// hooks   LEFTS(o, p, i, f, g), RIGHTS(o, i, f, g)  LANES neighbours along i
//         GUARDED 1: these hold where INSIDE(o, p, f, g); elsewhere LEFTS_OUTSIDE(o, p, i, f, g) and
//         RIGHTS_OUTSIDE(o, i, f, g) do
//         EPILOGUE(o, p, i, v)  STORE(r, v)    RESULTS(o, p, i, v), where defined, is what LANES neighbours
//         become, of type VALS, which RESULTS_PTR points to and PUT_VECTOR(v, p) stores
// macros  VECS   vectors an item takes at a time: 1, 2. The last move to the left where INNER is no
//                multiple of LANES * VECS, and some results are stored twice
//         TOGETHER  pixels at a time
//         FOLDS, GOLDS  the window, at most 32 taps    LANES  of a vector: 8, 16    VALS  LANES of VAL
// sizes   OUTER, PIXELS, INNER  extents of o, p, i; INNER at least LANES * VECS
//         RSPAN, ISPAN  how many o and i an item takes, ISPAN a multiple of LANES * VECS
// launch  reduce_pixels  global {OUTER / RSPAN, INNER / ISPAN}  local {1, 1}
// for     depthwise convolution of images with the channels last

#define AHEAD 64 // pixels of which it is known what lies inside
#define TAPS (FOLDS * GOLDS)
typedef VALS __attribute__((aligned(sizeof(VAL)))) VALS_ANYWHERE;

#define ALL (~0u >> (32 - TAPS))
#define UNROLL _Pragma("unroll")

#define ZEROS(COUNT) \
    UNROLL for (int q = 0; q < (COUNT); q++) \
        UNROLL for (int n = 0; n < VECS; n++) s[q][n] = (VALS)(0);

// Stores what the sums s of COUNT pixels from p on become.
#ifdef RESULTS
#define PUT(COUNT) \
    UNROLL for (int q = 0; q < (COUNT); q++) \
        UNROLL for (int n = 0; n < VECS; n++) \
            PUT_VECTOR(RESULTS(o, p + q, i + n * LANES, s[q][n]), RESULTS_PTR + (o * PIXELS + p + q) * INNER + i + n * LANES);
#else
#define PUT(COUNT) \
    UNROLL for (int q = 0; q < (COUNT); q++) { \
        VAL lane[LANES * VECS] LINES; \
        UNROLL for (int n = 0; n < VECS; n++) ((VALS *)lane)[n] = s[q][n]; \
        WIDE for (int c = 0; c < LANES * VECS; c++) \
            STORE((o * PIXELS + p + q) * INNER + i + c, EPILOGUE(o, p + q, i + c, (OUT_ACC)lane[c])); \
    }
#endif

// Sums COUNT pixels from p on, of each of which the same taps lie inside.
#if GUARDED
#define ELSE_OUTSIDE(COUNT) \
    else \
        UNROLL for (int n = 0; n < VECS; n++) \
            UNROLL for (int q = 0; q < (COUNT); q++) \
                s[q][n] = FMA(LEFTS_OUTSIDE(o, p + q, i + n * LANES, f, g), RIGHTS_OUTSIDE(o, i + n * LANES, f, g), s[q][n]);
#else
#define ELSE_OUTSIDE(COUNT)
#endif
#define PIXELS_WITH(COUNT, TAPS_INSIDE) { \
    VALS s[COUNT][VECS]; \
    ZEROS(COUNT) \
    for (int f = 0; f < FOLDS; f++) \
        UNROLL for (int g = 0; g < GOLDS; g++) \
            if ((TAPS_INSIDE) >> (f * GOLDS + g) & 1) \
                UNROLL for (int n = 0; n < VECS; n++) \
                    UNROLL for (int q = 0; q < (COUNT); q++) \
                        s[q][n] = FMA(LEFTS(o, p + q, i + n * LANES, f, g), RIGHTS(o, i + n * LANES, f, g), s[q][n]); \
            ELSE_OUTSIDE(COUNT) \
    PUT(COUNT) \
}

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
            for (IDX block = i0; block < i1; block += LANES * VECS) {
                const IDX i = min(block, INNER - LANES * VECS);
                VALS kept[TAPS * VECS];
                #pragma unroll
                for (int f = 0; f < FOLDS; f++)
                    #pragma unroll
                    for (int g = 0; g < GOLDS; g++)
                        #pragma unroll
                        for (int n = 0; n < VECS; n++)
                            kept[(f * GOLDS + g) * VECS + n] = RIGHTS(o, i + n * LANES, f, g);
                for (int k = 0; k < pixels;) {
                    const IDX p = start + k;
                    bool many = k + TOGETHER <= pixels;
                    uint taps = ALL;
#if GUARDED
                    taps = inside[k];
                    if (many)
                        #pragma unroll
                        for (int q = 1; q < TOGETHER; q++)
                            many = many && inside[k + q] == taps;
#endif
                    if (many && taps == ALL) {
                        // A sum waits for its last term, and a factor that found no register is loaded once.
                        VALS s[TOGETHER][VECS];
                        ZEROS(TOGETHER)
                        #pragma unroll
                        for (int f = 0; f < FOLDS; f++)
                            #pragma unroll
                            for (int g = 0; g < GOLDS; g++)
                                #pragma unroll
                                for (int n = 0; n < VECS; n++)
                                    #pragma unroll
                                    for (int q = 0; q < TOGETHER; q++)
                                        s[q][n] = FMA(LEFTS(o, p + q, i + n * LANES, f, g), kept[(f * GOLDS + g) * VECS + n], s[q][n]);
                        PUT(TOGETHER)
                        k += TOGETHER;
                    } else if (many) {
                        PIXELS_WITH(TOGETHER, taps)
                        k += TOGETHER;
                    } else {
                        PIXELS_WITH(1, taps)
                        k++;
                    }
                }
            }
        }
}
