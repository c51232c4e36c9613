// reduce/cpu_window_store.cl: stores of vectors of results along rows, for windows
//
// EMIT_ROWS(v, o, r, i) stores the lanes of BLOCK vectors v of VL: windows i and on of rows r and on of
// plane o, of which those before r1 are the item's. Where rows end before the vectors do, the last
// vector moves to the left (FIRST_LANE) or lies over what follows and is stored later, before `end`.
//
// hooks   EPILOGUE(o, r, i, v)  STORE(r, v)
//         RESULTS(o, r, i, v), where defined, is what VL neighbours become, to which RESULTS_PTR points,
//         and PUT_VECTOR(v, p) stores it
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
#define EMIT_VECTOR(v, o, r, i, at) PUT_VECTOR(RESULTS(o, r, i, v), RESULTS_PTR + (at))
#else
#define EMIT_VECTOR(v, o, r, i, at) do { \
    const LANES_OF all_ = v; \
    WIDE_SHORT \
    for (int k_ = 0; k_ < VL; k_++) \
        STORE((at) + k_, EPILOGUE(o, r, (i) + k_, (OUT_ACC)((const LANE *)&all_)[k_])); \
} while (0)
#endif
