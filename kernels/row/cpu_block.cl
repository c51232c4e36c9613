// row/cpu_block.cl: folds of a row in order, and what they make of it, on a CPU driver
//
//     acc0 = fold over c of LOAD0(c),  acc1 = fold over c of LOAD1(c, acc0),  ...
//     y[r, c] = OUT(c, acc0, acc1, ...)    or    z[r] = OUT(acc0, acc1, ...)
//
// hooks   ROW_STAGES(item)  declares the item's stages: values kept for later passes over a row
//         ROW_FOLDS(r)      declares the results of the folds, each by a function of row/cpu_fold.cl
//         PREPARE(n, IN)    stages n values of columns c + k that only the outputs need, at c + k,
//                           zero where IN(k) is not true; PREPARE_ALL(n) whole vectors, all in the row
//         EACH_OVER(DO)     DO(i) for every output over the row: OUT##i(c), of type OUT##i##_T,
//                           goes to element of the row by STORE##i(at, v)
//         AHEAD             fetches what the next row has from column c on
//         ROW_RESULTS(r)    stores the outputs of which the row has one
// macros  VEC  columns at once, 64    BUFFERED  1: an output may lie where an input does, so all
//              values of a run of columns are computed before any is stored
//         PLAIN  1: outputs over the row have OUTS##i(c), columns c .. c + 15, which are stored as they are
//         IN_PLACE  1: the stage of a row is where its output will be, and nothing is written past its end
//         STREAMED  1: whole lines of the outputs are stored past the caches, see map/cpu_block.cl; then there
//              are BITS##i, the type of an element of output i, BITS##i##_OF(v), what is stored for
//              v, AT##i, where the output begins, and FIRST, that of the first one over the row
// sizes   ROWS, COLS   RSPAN  rows an item
// launch  row_block  global {ROWS / RSPAN}  local {1}
// note    a row is read again by every pass, from a cache when it fits one

#define ALL(k) 1
#define VALUES(i) OUT##i##_T v##i[VEC] LINES; PARTLY for (int k = 0; k < n; k++) v##i[k] = OUT##i(c + k);
#define STORES(i) PARTLY for (int k = 0; k < n; k++) STORE##i(r * COLS + c + k, v##i[k]);
#define SOME(i) PARTLY for (int k = 0; k < n; k++) STORE##i(r * COLS + c + k, OUT##i(c + k));
#define WHOLE_VALUES(i) OUT##i##_T v##i[VEC] LINES; WIDE for (int k = 0; k < VEC; k++) v##i[k] = OUT##i(c + k);
#define WHOLE_STORES(i) WIDE for (int k = 0; k < VEC; k++) STORE##i(r * COLS + c + k, v##i[k]);
#if PLAIN
#define DIRECT(i) _Pragma("unroll") for (int k = 0; k < VEC; k += 16) PUT16(OUTS##i(c + k), AT##i + r * COLS + c + k);
#define LAST_VECTORS(i) for (IDX k = c; k < COLS; k += 16) { const IDX at = min(k, COLS - 16); PUT16(OUTS##i(at), AT##i + r * COLS + at); }
#define STREAMS(i) \
    if (TO_LINE(AT##i + r * COLS + c) == 0) { \
        _Pragma("unroll") \
        for (int k = 0; k < VEC; k += 16) STREAM(as_float16(OUTS##i(c + k)), (__global float16 *)(AT##i + r * COLS + c + k)); \
    } else { \
        DIRECT(i) \
    }
#else
#define DIRECT(i) WIDE for (int k = 0; k < VEC; k++) STORE##i(r * COLS + c + k, OUT##i(c + k));
#define STREAMS(i) { \
    BITS##i b[VEC] LINES; \
    WIDE for (int k = 0; k < VEC; k++) b[k] = BITS##i##_OF(OUT##i(c + k)); \
    if (TO_LINE(AT##i + r * COLS + c) == 0) \
        STREAM_ALL(b, AT##i + r * COLS + c) \
    else \
        WIDE for (int k = 0; k < VEC; k++) (AT##i)[r * COLS + c + k] = b[k]; \
}
#endif

kernel void row_block(PARAMS) {
    const IDX item = (IDX)get_global_id(0);
    const IDX r0 = item * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    WIDE_VECTORS
    ROW_STAGES(item)
    for (IDX r = r0; r < r1; r++) {
        ROW_FOLDS(r)
#if HAS_OVER
        for (IDX c = 0; c < COLS;) {
            int n = (int)min((IDX)VEC, COLS - c);
#if STREAMED
            if (c == 0 && TO_LINE(FIRST + r * COLS) > 0) n = min(n, TO_LINE(FIRST + r * COLS));
#endif
            if (n == VEC) {
                AHEAD
                PREPARE_ALL(VEC)
#if BUFFERED
                EACH_OVER(WHOLE_VALUES)
                EACH_OVER(WHOLE_STORES)
#elif STREAMED
                EACH_OVER(STREAMS)
#else
                EACH_OVER(DIRECT)
#endif
#if PLAIN && !BUFFERED && !IN_PLACE
            } else if (c > 0 && c + n == COLS) { // the last vector ends with the row, and may begin in the one before
                PREPARE(n, ALL)
                EACH_OVER(LAST_VECTORS)
#endif
            } else {
                PREPARE(n, ALL)
#if BUFFERED
                EACH_OVER(VALUES)
                EACH_OVER(STORES)
#else
                EACH_OVER(SOME)
#endif
            }
            c += n;
        }
#endif
        ROW_RESULTS(r)
    }
}
