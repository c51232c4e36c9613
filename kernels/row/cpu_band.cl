// row/cpu_band.cl: folds of a row in order, and what they make of it, 16 short rows at a time, on a CPU
// driver.
//
//     acc0 = fold over c of LOAD0(c),  acc1 = fold over c of LOAD1(c, acc0),  ...
//     y[r, c] = OUT(c, acc0, acc1, ...)    or    z[r] = OUT(acc0, acc1, ...)
//
// hooks   BAND_STATE        declares the results of the folds, and what is staged of every row
//         BAND_FOLDS(b, n)  computes them for rows b .. b + n - 1, by functions of row/cpu_fold.cl
//         KNOWN(j)          declares those of row b + j
//         PREPARE(n, IN), EACH_OVER(DO), AHEAD, ROW_RESULTS(r)   as in row/cpu_block.cl
// macros  PITCH  of a row in whole vectors: loops over so few are written out
//         WHOLE  of a row in vectors that are whole    PADDED  PITCH
//         BITS##i, BITS##i##_OF(v), AT##i   of output i, as in row/cpu_block.cl where STREAMED
//         STREAMED  1: lines of the outputs are stored past the caches
//         APART(i)  0, in a way that no compiler sees through where several loops over the end of a
//                   row read the same: each at its own APART. Clang 15 takes two masked loads of one
//                   place for one, whatever their types (a number, and its bits for fabs), and aborts
//         LINED     1: every row ends with a line of each output
//         PLAIN     1: outputs over the row have OUTS##i(c), columns c .. c + 15, which are stored as
//                   they are, and no input lies where they do
// sizes   COLS  of a row, a macro where a program is for rows of just that length
//         ROWS   RSPAN  rows an item, a multiple of 16 where STREAMED   ZERO  0, where APART is not
// launch  row_band  global {ROWS / RSPAN}  local {1}
// note    a fold across the lanes of a vector has five steps that wait for each other; sixteen rows
//         have four times as many that do not. A band of outputs ends with a line whatever COLS is:
//         those that go past the caches are held until it is whole, and so are those that are not
//         PLAIN or shorter than a vector, computed beyond the end of a row too, where the next one begins

#define IN_ROW(k) ((k) < WHOLE || (k) < COLS)
#if LINED
#define HELD(j) 0
#define HELD_ROWS 1
#else
#define HELD(j) ((j) * COLS)
#define HELD_ROWS BAND
#endif
#define BY_VECTORS (PLAIN && WHOLE > 0)
#define DIRECT (BY_VECTORS && (LINED || !STREAMED))
#define HOLD(i) BITS##i held##i[HELD_ROWS * PITCH + 16] LINES;
// The last vector of a row ends with it, and may begin in the one before.
#define EACH_VECTOR(DO, i) { \
    for (int k = 0; k < WHOLE; k += 16) DO(i, k) \
    if (WHOLE < PITCH) DO(i, COLS - 16) \
}
#if BY_VECTORS
#define FILL_VECTOR(i, k) *(FLOAT16_ANYWHERE *)(held##i + HELD(j) + (k)) = as_float16(OUTS##i(k));
#define FILL(i) EACH_VECTOR(FILL_VECTOR, i)
#else
#define FILL(i) COLUMNS for (int k = 0; k < PITCH; k++) held##i[HELD(j) + k] = IN_ROW(k) ? BITS##i##_OF(OUT##i(k - APART(i + 1))) : 0;
#endif
#if STREAMED
#define SPILL(i) { \
    const int lines = count * (int)sizeof(BITS##i) / LINE; \
    __global BITS##i *const y = AT##i + from; \
    if (count * sizeof(BITS##i) % LINE == 0 && TO_LINE(y) == 0) \
        for (int k = 0; k < lines; k++) STREAM(((float16 *)held##i)[k], (__global float16 *)y + k); \
    else \
        COLUMNS for (int k = 0; k < count; k++) y[k] = held##i[k]; \
}
#else
#define SPILL(i) COLUMNS for (int k = 0; k < count; k++) (AT##i)[from + k] = held##i[k];
#endif

#define PUT_VECTOR(i, k) PUT16(OUTS##i(k), AT##i + r * COLS + (k));
#if STREAMED
#define STREAM_PART(i, k) STREAM(as_float16(OUTS##i(k)), (__global float16 *)(AT##i + r * COLS + (k)));
#define PUT(i) if (TO_LINE(AT##i + r * COLS) == 0) EACH_VECTOR(STREAM_PART, i) else EACH_VECTOR(PUT_VECTOR, i)
#else
#define PUT(i) EACH_VECTOR(PUT_VECTOR, i)
#endif

BODY void band_rows(const IDX item, PARAMS) {
    const IDX r0 = item * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    WIDE_VECTORS
    BAND_STATE
#if !DIRECT
    EACH_OVER(HOLD)
#endif
    for (IDX b = r0; b < r1; b += BAND) {
        const int n = (int)min((IDX)BAND, r1 - b);
        BAND_FOLDS(b, n)
#if HAS_OVER
        for (int j = 0; j < n; j++) {
            const IDX r = b + j, c = 0;
            KNOWN(j)
            AHEAD
            PREPARE(PITCH, IN_ROW)
#if DIRECT
            EACH_OVER(PUT)
#else
            EACH_OVER(FILL)
#endif
#if LINED && !DIRECT
            const IDX from = r * COLS;
            const int count = COLS;
            EACH_OVER(SPILL)
#endif
        }
#if !LINED && !DIRECT
        const IDX from = b * COLS;
        const int count = n * COLS;
        EACH_OVER(SPILL)
#endif
#endif
        PARTLY
        for (int j = 0; j < n; j++) {
            const IDX r = b + j;
            KNOWN(j)
            ROW_RESULTS(r)
        }
    }
}

kernel void row_band(PARAMS) {
    band_rows(get_global_id(0), ARGS);
}
