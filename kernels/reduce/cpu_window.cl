// reduce/cpu_window.cl: fold small windows that slide along rows in memory, on a CPU driver
//
//     y[(o * RS + r) * INNER + i] = EPILOGUE(o, r, i, fold over f, g of S(r·SR + f·DR, i·SI + g·DI))
//
// where S is the plane o that reduce/cpu_window_stage.cl lays out times KEPT(o, f, g), and the fold a sum, or S
// that plane and the result a position. Lanes are neighbours along a row; BLOCK rows of windows are
// folded at once, so that a vector is loaded once for all windows that it is in. Windows are
// unrolled, and their factors stay in registers. Windows of other folds are boxes: reduce/cpu_box.cl.
//
// hooks   those of reduce/cpu_window_stage.cl and reduce/cpu_window_store.cl: EPILOGUE(o, r, i, v)  STORE(r, v)  RESULTS(o, r, i, v)
//         SCALED 1: KEPT(o, f, g) is the factor of a tap; the fold is a sum
//         IS_ARG 1: the result is the position in the window of what BEATS all before; AT is a
//         vector of positions
// macros  FOLDS, GOLDS  the window    SR, SI  how far it moves    DR, DI  how far apart its taps
//         are, negative where they run backwards    BLOCK    TWICE, OVERRUN as of reduce/cpu_window_store.cl
// sizes   OUTER planes, OSPAN of them an item    RS rows, RSPAN of them an item    INNER    PITCH
// launch  reduce_window  global {OUTER / OSPAN, RS / RSPAN}  local {1, 1}
// for     depthwise convolution and its gradient with respect to the image, positions of the largest
//         values for pooling

#define REACH ((BLOCK - 1) * SR + TAP(FOLDS - 1, 1, DR < 0 ? -DR : DR) + 1) // rows of a block

kernel void reduce_window(PARAMS) {
    __local VAL stage[STAGE] LINES;
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
        const IDX end = ROWS_END(o, o1, r0, r1);
        for (IDX r = r0; r < r1; r += BLOCK)
            for (IDX block = 0; block < INNER; block += VL) {
                const IDX i = FIRST_LANE(block);
                __local const VAL *rows = stage + (r - r0) * SR * PITCH + i * SI;
                VT s[BLOCK];
#if IS_ARG
                AT at[BLOCK];
#endif
                #pragma unroll
                for (int k = 0; k < BLOCK; k++) {
                    s[k] = (VT)(IDENTITY);
#if IS_ARG
                    at[k] = (AT)(0);
#endif
                }
                #pragma unroll
                for (int n = 0; n < REACH; n++) {
                    const int row = DR < 0 ? REACH - 1 - n : n; // so that taps come in their order
                    #pragma unroll
                    for (int g = 0; g < GOLDS; g++) {
                        const VT v = window_lanes(rows + row * PITCH, TAP(g, GOLDS, DI));
                        #pragma unroll
                        for (int k = 0; k < BLOCK; k++) {
                            const int down = row - k * SR - TAP(0, FOLDS, DR), f = down / (DR);
                            if (f * (DR) == down && f >= 0 && f < FOLDS) {
#if IS_ARG
                                const AT beats = BEATS(v, s[k]);
                                s[k] = beats ? v : s[k];
                                at[k] = beats ? (AT)(f * GOLDS + g) : at[k];
#else
                                s[k] = FMA(v, kept[f * GOLDS + g], s[k]);
#endif
                            }
                        }
                    }
                }
#if IS_ARG
                EMIT_ROWS(at, o, r, i);
#else
                EMIT_ROWS(s, o, r, i);
#endif
            }
    }
}
