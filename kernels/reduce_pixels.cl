// reduce_pixels.cl: sum windows of products on a CPU driver, channels side by side in memory.
//
//     y[(o * PIXELS + p) * INNER + i] = EPILOGUE(o, p, i, Σ over f, g of LEFTS(o, p, i, f, g) · RIGHTS(o, i, f, g))
//
// The window is unrolled. Where all of it lies inside, its factors stay in registers along a row of
// pixels; at the edge, the taps inside are found once for all channels.
//
// hooks   LEFTS(o, p, i, f, g), RIGHTS(o, i, f, g)  16 neighbours along i
//         GUARDED 1: these hold where INSIDE(o, p, f, g); elsewhere LEFTS_OUTSIDE(o, p, i, f, g) and
//         RIGHTS_OUTSIDE(o, i, f, g) do
//         EPILOGUE(o, p, i, v)  STORE(r, v)
// macros  VECS   vectors an item takes at a time: 1, 2. The last move to the left where INNER is no
//                multiple of so many lanes, and some results are stored twice
//         FOLDS, GOLDS  the window, at most 32 taps    VAL16  16 of VAL
// sizes   OUTER, PIXELS, INNER  extents of o, p, i; INNER at least 16 * VECS
//         RSPAN, ISPAN  how many o and i an item takes, ISPAN a multiple of 16 * VECS
// launch  reduce_pixels  global {OUTER / RSPAN, INNER / ISPAN}  local {1, 1}
// for     depthwise convolution of images with the channels last

#define EMIT_PIXEL(first) do { \
    VAL lane[16 * VECS] __attribute__((aligned(64))); \
    _Pragma("unroll") \
    for (int n = 0; n < VECS; n++) ((VAL16 *)lane)[n] = s[n]; \
    WIDE \
    for (int k = 0; k < 16 * VECS; k++) \
        STORE((o * PIXELS + p) * INNER + (first) + k, EPILOGUE(o, p, (first) + k, (OUT_ACC)lane[k])); \
} while (0)

kernel void reduce_pixels(PARAMS) {
    WIDE_VECTORS
    const IDX o0 = (IDX)get_global_id(0) * RSPAN, o1 = min(o0 + RSPAN, OUTER);
    const IDX i0 = (IDX)get_global_id(1) * ISPAN, i1 = min(i0 + ISPAN, INNER);
    for (IDX o = o0; o < o1; o++) {
        IDX from = 0, to = PIXELS; // the whole windows of the row
#if GUARDED
        to = 0;
        for (IDX p = 0; p < PIXELS; p++) {
            uint inside = 0;
            #pragma unroll
            for (int f = 0; f < FOLDS; f++)
                #pragma unroll
                for (int g = 0; g < GOLDS; g++)
                    inside |= (uint)(INSIDE(o, p, f, g) != 0) << (f * GOLDS + g);
            if (inside == ~0u >> (32 - FOLDS * GOLDS) && (to == 0 || to == p)) {
                from = to == 0 ? p : from;
                to = p + 1;
                continue;
            }
            for (IDX block = i0; block < i1; block += 16 * VECS) {
                const IDX i = min(block, INNER - 16 * VECS);
                VAL16 s[VECS];
                #pragma unroll
                for (int n = 0; n < VECS; n++) s[n] = (VAL16)(0);
                #pragma unroll
                for (int f = 0; f < FOLDS; f++)
                    #pragma unroll
                    for (int g = 0; g < GOLDS; g++) {
                        if (inside >> (f * GOLDS + g) & 1) {
                            #pragma unroll
                            for (int n = 0; n < VECS; n++)
                                s[n] = FMA(LEFTS(o, p, i + n * 16, f, g), RIGHTS(o, i + n * 16, f, g), s[n]);
                        } else {
                            #pragma unroll
                            for (int n = 0; n < VECS; n++)
                                s[n] = FMA(LEFTS_OUTSIDE(o, p, i + n * 16, f, g), RIGHTS_OUTSIDE(o, i + n * 16, f, g), s[n]);
                        }
                    }
                EMIT_PIXEL(i);
            }
        }
#endif
        for (IDX block = i0; block < i1; block += 16 * VECS) {
            const IDX i = min(block, INNER - 16 * VECS);
            VAL16 kept[FOLDS * GOLDS * VECS];
            #pragma unroll
            for (int f = 0; f < FOLDS; f++)
                #pragma unroll
                for (int g = 0; g < GOLDS; g++)
                    #pragma unroll
                    for (int n = 0; n < VECS; n++)
                        kept[(f * GOLDS + g) * VECS + n] = RIGHTS(o, i + n * 16, f, g);
            for (IDX p = from; p < to; p++) {
                VAL16 s[VECS];
                #pragma unroll
                for (int n = 0; n < VECS; n++) s[n] = (VAL16)(0);
                #pragma unroll
                for (int f = 0; f < FOLDS; f++)
                    #pragma unroll
                    for (int g = 0; g < GOLDS; g++)
                        #pragma unroll
                        for (int n = 0; n < VECS; n++)
                            s[n] = FMA(LEFTS(o, p, i + n * 16, f, g), kept[(f * GOLDS + g) * VECS + n], s[n]);
                EMIT_PIXEL(i);
            }
        }
    }
}
