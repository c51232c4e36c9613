// reduce/cpu_lanes.cl: fold windows on a CPU driver, neighbours along the last axis in vectors
//
//     y[INDEX_OF(o, i)] = EPILOGUE(o, i, fold over f, g of LOAD(o, i, f, g))
//
// hooks   LOAD(o, i, f, g)  EPILOGUE(o, i, v)  STORE(r, v)   and the monoid's, see reduce/any_monoid.cl
//         INDEX_OF(o, i)  where results do not lie in the order o, i
//         GUARDED 1: LOAD holds where INSIDE(o, f, g), a condition that all lanes share;
//                    elsewhere the value is LOAD_OUTSIDE(o, i, f, g): the edge of an image costs
//                    one branch for all lanes
// macros  VEC    lanes an item takes at a time, at most INNER
//         OVERLAP  1: the last lanes move to the left instead of being fewer, and some results
//                  are stored twice; 0: INNER is a multiple of VEC
//         WINDOW 1: the fold is a small window, of which FOLDS and GOLDS are macros too: where all
//                  of it lies inside, a lane goes through it at once and stays in a register, and
//                  where LAST_MOVES is 1, as OVERLAP, sixteen lanes do at a time
//         SPLIT  1: the fold is cut into parts of SPAN of f, folded again by reduce/any_finish.cl
// sizes   OUTER, INNER, FOLDS, GOLDS  extents of o, i, f, g    ROWS  OUTER * INNER
//         RSPAN, ISPAN  how many o and i an item takes, ISPAN a multiple of VEC    SPAN
// launch  reduce_lanes  global {OUTER / RSPAN, parts, INNER / ISPAN}  local {1, 1, 1}
// for     pooling, sums over axes that are not the last: the coordinates
//         of a point are worked out once for all lanes

#define FOLD_LANES(value) do { \
    for (int k = 0; k < VEC; k++) v[k] = (VAL)value; \
    for (int k = 0; k < VEC; k++) ADD(s, k, v[k], at); \
} while (0)

#ifndef INDEX_OF
#define INDEX_OF(o, i) ((o) * INNER + (i))
#endif

#if WINDOW
#define FOLD_WINDOW(i) { \
    STATES(s, 1); \
    CLEAR(s, 0); \
    _Pragma("unroll") \
    for (int f = 0; f < FOLDS; f++) \
        _Pragma("unroll") \
        for (int g = 0; g < GOLDS; g++) { \
            const VAL v = (VAL)LOAD(o, i, f, g); \
            ADD(s, 0, v, f * GOLDS + g); \
        } \
    STORE(INDEX_OF(o, i), EPILOGUE(o, i, RESULT(s, 0))); \
}
#endif

kernel void reduce_lanes(PARAMS) {
    WIDE_VECTORS
    const IDX o0 = (IDX)get_global_id(0) * RSPAN, o1 = min(o0 + RSPAN, OUTER);
#if SPLIT
    const IDX f0 = (IDX)get_global_id(1) * SPAN, f1 = min(f0 + SPAN, FOLDS);
#else
    const IDX f0 = 0, f1 = FOLDS;
#endif
    const IDX i0 = (IDX)get_global_id(2) * ISPAN, i1 = min(i0 + ISPAN, INNER);
    for (IDX o = o0; o < o1; o++) {
#if WINDOW
        int whole = 1;
#if GUARDED
        #pragma unroll
        for (int f = 0; f < FOLDS; f++)
            #pragma unroll
            for (int g = 0; g < GOLDS; g++)
                whole &= INSIDE(o, f, g);
#endif
        if (whole) {
#if LAST_MOVES
            for (IDX block = i0; block < i1; block += 16) {
                const IDX i = min(block, INNER - 16);
                WIDE for (int k = 0; k < 16; k++) FOLD_WINDOW(i + k);
            }
#else
            WIDE for (IDX i = i0; i < i1; i++) FOLD_WINDOW(i);
#endif
            continue;
        }
#endif
        for (IDX block = i0; block < i1; block += VEC) {
#if OVERLAP
            const IDX i = min(block, INNER - VEC);
#else
            const IDX i = block;
#endif
            STATES(s, VEC);
            VAL v[VEC];
            TOTALS(t, VEC);
            for (int k = 0; k < VEC; k++) {
                CLEAR(s, k);
                START(t, k);
            }
#if EXACT
            int step = 0;
#endif
            for (IDX f = f0; f < f1; f++)
                for (IDX g = 0; g < GOLDS; g++) {
                    const IDX at = f * GOLDS + g;
#if EXACT
                    if (step++ == SUM_RUN) {
                        for (int k = 0; k < VEC; k++) CARRY(t, k, s, k);
                        step = 1;
                    }
#endif
#if GUARDED
                    if (!INSIDE(o, f, g))
                        FOLD_LANES(LOAD_OUTSIDE(o, i + k, f, g));
                    else
#endif
                        FOLD_LANES(LOAD(o, i + k, f, g));
                }
            for (int k = 0; k < VEC; k++) SETTLE(s, k, t, k);
            for (int k = 0; k < VEC; k++) {
                const IDX r = INDEX_OF(o, i + k);
#if SPLIT
                SAVE(s, k, (IDX)get_global_id(1) * ROWS + r);
#else
                STORE(r, EPILOGUE(o, i + k, RESULT(s, k)));
#endif
            }
        }
    }
}
