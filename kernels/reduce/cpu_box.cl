// reduce/cpu_box.cl: fold windows that slide along rows in memory down and then along, on a CPU driver
//
//     y[(o * RS + r) * INNER + i] = EPILOGUE(o, r, i, fold over f, g of S(r·SR + f·DR, i·SI + g·DI))
//
// where S is a plane as reduce/cpu_window_stage.cl describes it. The columns of a window's rows are folded into
// one row, which all windows of that row share, and neighbours of that are folded along: FOLDS +
// GOLDS steps for a vector of windows instead of FOLDS times GOLDS.
//
// hooks   those of reduce/cpu_window_stage.cl and reduce/cpu_window_store.cl: EPILOGUE(o, r, i, v)  STORE(r, v)  RESULTS(o, r, i, v)
//         IN_PLACE 1: the rows are read where they are; PLAIN is 1, too. 0: from a copy, which their
//         folds are laid over
// macros  FOLDS, GOLDS  the window    SR, SI  how far it moves    DR, DI  how far apart its taps
//         are, negative where they run backwards    VFOLD(a, b)  the fold of values and of vectors
//         BLOCK 1    TWICE, OVERRUN as of reduce/cpu_window_store.cl
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
