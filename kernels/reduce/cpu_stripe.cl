// reduce/cpu_stripe.cl: fold down stripes of neighbouring rows on a CPU driver, states in registers or the nearest cache
//
//     y[INDEX_OF(o, i)] = EPILOGUE(o, i, fold over c of LOAD(o, i, c))
//
// hooks   LOAD(o, i, c)     EPILOGUE(o, i, v)   STORE(r, v)   and the monoid's, see reduce/cpu_monoid_vector.cl
//         LOADS(o, i, c)    i .. i + 15 of it, where PLAIN
//         INDEX_OF(o, i)  where results do not lie in the order o, i
// macros  VECTORS  of 16 lanes, at most 32     PLAIN  1: the values have LOADS
//         STEPS  1; or columns at a time where states, of up to 1024 vectors, are in local memory: PLAIN
//         SPLIT  1: the fold is cut into parts of SPAN, folded again by reduce/any_finish.cl
//         TURNS  more than 1: rows are few and dense in memory, and a stripe holds so many turns of
//                them: lane l is row l % (INNER / TURNS) of column c * TURNS + l / (INNER / TURNS).
//                Every turn of a SPLIT leaves a part; else the item folds them
// sizes   OUTER, INNER, COLS   LANES  of a stripe: at least 16, at most INNER and 16 * VECTORS;
//         where they are no multiple of 16 the last vector lies over the one before
//         RSPAN  outer points an item   SPAN   REST  lanes of column COLS that are there: turns of
//         a column that is not full
// launch  reduce_stripe  global {INNER / LANES, OUTER / RSPAN, parts}  local {1, 1, 1}
// for     rows that are neighbours in memory: sums over any axes but the last. A stripe reads up to
//         1 KiB of every column, which is enough for the processor to fetch ahead. Where columns come from
//         memory, and each from other pages than the one before, a stripe is wider: finding a page
//         takes as long as 1 KiB (nested tables of a virtual machine)

#define AT(k) ((k) + 1 < VECTORS ? 16 * (k) : LANES - 16)

#define ROWS_OF_TURN (INNER / TURNS)
#ifndef INDEX_OF
#define INDEX_OF(o, i) ((o) * ROWS_OF_TURN + (i))
#endif

#if TURNS > 1
#if SPLIT
#define LEAVE(o, i, t, j, l) do { \
    const IDX turn_ = (IDX)(l) / ROWS_OF_TURN, part_ = (IDX)get_global_id(2) * TURNS + turn_; \
    PLACE_OF(t, l, turn_); \
    SAVE(t, j, part_ * ROWS + INDEX_OF(o, (l) - turn_ * ROWS_OF_TURN)); \
} while (0)
#endif
#if IS_ARG
#define PLACE_OF(t, l, turn) t##_at[l] = t##_at[l] == IDX_MAX ? IDX_MAX : t##_at[l] * TURNS + (turn)
#else
#define PLACE_OF(t, l, turn)
#endif
#elif SPLIT
#define LEAVE(o, i, t, j, l) SAVE(t, j, (IDX)get_global_id(2) * ROWS + INDEX_OF(o, (i) + (l)))
#else
#define LEAVE(o, i, t, j, l) STORE(INDEX_OF(o, (i) + (l)), EPILOGUE(o, (i) + (l), RESULT(t, j)))
#endif

kernel void reduce_stripe(PARAMS) {
    WIDE_VECTORS
#if STEPS > 1
    LOCAL_VECTORS_OF(s, VECTORS);
    LOCAL_STATES_OF(t, s);
    LOCAL_VECTOR_TOTALS(u, VECTORS);
#endif
    // The last stripe lies over the one before, and leaves to it what it owns.
    const IDX own = (IDX)get_global_id(0) * LANES, i = min(own, INNER - LANES);
    const IDX o0 = (IDX)get_global_id(1) * RSPAN, o1 = min(o0 + RSPAN, OUTER);
    const IDX from = (IDX)get_global_id(2) * SPAN, to = min(from + SPAN, COLS);
    for (IDX o = o0; o < o1; o++) {
#if STEPS > 1
        for (int k = 0; k < VECTORS; k++) {
            CLEAR_VECTOR(s, k);
            START_VECTOR(u, k);
        }
        for (IDX c = from; c < to;) {
            const IDX end = RUN_END(c, to, 1);
            for (; c + STEPS <= end; c += STEPS)
                for (int k = 0; k < VECTORS; k++) {
                    VECTORS_OF(a, 1);
                    COPY_VECTOR(a, 0, s, k);
                    #pragma unroll
                    for (int e = 0; e < STEPS; e++) ADD_VECTOR(a, 0, LOADS(o, i + AT(k), c + e), c + e);
                    COPY_VECTOR(s, k, a, 0);
                }
            for (; c < end; c++)
                for (int k = 0; k < VECTORS; k++) ADD_VECTOR(s, k, LOADS(o, i + AT(k), c), c);
            if (c < to)
                for (int k = 0; k < VECTORS; k++) CARRY_VECTOR(u, k, s, k);
        }
        for (int k = 0; k < VECTORS; k++) SETTLE_VECTOR(s, k, u, k);
        for (int l = (int)(own - i); l < LANES; l++) {
            const int j = l < 16 * (VECTORS - 1) ? l : l - (int)LANES + 16 * VECTORS;
            LEAVE(o, i, t, j, l);
        }
#else
        VECTORS_OF(s, VECTORS);
        VECTOR_TOTALS(u, VECTORS);
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            CLEAR_VECTOR(s, k);
            START_VECTOR(u, k);
        }
        for (IDX c = from; c < to;) {
            const IDX end = RUN_END(c, to, 1);
            for (; c < end; c++) {
#if PLAIN
                #pragma unroll
                for (int k = 0; k < VECTORS; k++) ADD_VECTOR(s, k, LOADS(o, i + AT(k), c), c);
#else
                VAL v[16 * VECTORS] LINES;
                WIDE for (int l = 0; l < LANES; l++) v[l] = (VAL)LOAD(o, i + l, c);
                #pragma unroll
                for (int k = 0; k < VECTORS; k++) ADD_VECTOR(s, k, vload16(0, v + AT(k)), c);
#endif
            }
            if (c < to) {
                #pragma unroll
                for (int k = 0; k < VECTORS; k++) CARRY_VECTOR(u, k, s, k);
            }
        }
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) SETTLE_VECTOR(s, k, u, k);
        STATES(t, 16 * VECTORS);
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) SPILL(t, AT(k), s, k);
#if TURNS > 1
        if (to == COLS)
            for (int l = 0; l < REST; l++) {
                const VAL v = (VAL)LOAD(o, i + l, COLS);
                ADD(t, l, v, COLS);
            }
#endif
#if TURNS > 1 && !SPLIT
        const int rows = (int)ROWS_OF_TURN;
        for (int l = 0; l < TURNS * rows; l++) PLACE_OF(t, l, l / rows);
        for (int w = 1; w < TURNS; w *= 2)
            for (int turn = 0; turn + w < TURNS; turn += 2 * w)
                for (int row = 0; row < rows; row++) MERGE(t, turn * rows + row, (turn + w) * rows + row);
        for (int row = 0; row < rows; row++) STORE(INDEX_OF(o, row), EPILOGUE(o, row, RESULT(t, row)));
#else
        for (int l = (int)(own - i); l < LANES; l++) LEAVE(o, i, t, l, l);
#endif
#endif
    }
}
