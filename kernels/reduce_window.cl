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
