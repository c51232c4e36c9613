// reduce/any_finish.cl: fold the parts of each row that another reduction kernel left
//
//     y[r] = EPILOGUE(r, fold over p of PARTS[p * ROWS + r])
//
// hooks   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see reduce/any_monoid.cl
// macros  EACH  rows an item, on CPU drivers
//         WG    elsewhere: work-items a row, a power of two, 1..256
// sizes   ROWS, COUNT  the number of parts
// launch  reduce_finish  global {ROWS / EACH}  local {1}  on CPU drivers
//                        global {WG * ROWS}  local {WG}  elsewhere; local memory WG states

#ifdef EACH

// n is EACH itself but for the last item: loops of known length become vectors.
#define FINISH(n) \
    for (IDX p = 0; p < COUNT;) { \
        const IDX end = RUN_END(p, COUNT, 1); \
        for (; p < end; p++) \
            for (int k = 0; k < (n); k++) MERGE_PART(s, k, p * ROWS + r + k); \
        if (p < COUNT) \
            for (int k = 0; k < (n); k++) CARRY(t, k, s, k); \
    } \
    for (int k = 0; k < (n); k++) SETTLE(s, k, t, k); \
    for (int k = 0; k < (n); k++) STORE(r + k, EPILOGUE(r + k, RESULT(s, k)));

BODY void finish_rows(const IDX item, PARAMS) {
    const IDX r = item * EACH;
    const int n = (int)min((IDX)EACH, ROWS - r);
    STATES(s, EACH);
    TOTALS(t, EACH);
    for (int k = 0; k < EACH; k++) {
        CLEAR(s, k);
        START(t, k);
    }
    if (n == EACH) {
        FINISH(EACH)
    } else {
        FINISH(n)
    }
}

kernel void reduce_finish(PARAMS) {
    finish_rows(get_global_id(0), ARGS);
}

#else

kernel void reduce_finish(PARAMS) {
    const IDX r = (IDX)get_group_id(0);
    const int lid = (int)get_local_id(0);
    STATES(s, 1);
    CLEAR(s, 0);
    TOTALS(t, 1);
    START(t, 0);
    for (IDX p = lid; p < COUNT;) {
        const IDX end = RUN_END(p, COUNT, WG);
        for (; p < end; p += WG) MERGE_PART(s, 0, p * ROWS + r);
        if (p < COUNT) CARRY(t, 0, s, 0);
    }
    SETTLE(s, 0, t, 0);
    LOCAL_STATES(tree, WG);
    COPY(tree, lid, s, 0);
    for (int w = WG / 2; w > 0; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < w) MERGE(tree, lid, lid + w);
    }
    if (lid == 0) STORE(r, EPILOGUE(r, RESULT(tree, 0)));
}

#endif
