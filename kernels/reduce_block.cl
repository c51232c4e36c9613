// reduce_block.cl: fold the columns of a view on a CPU driver, columns in vectors.
//
//     y[r] = EPILOGUE(r, fold over f, g of LOAD(r, f, g))
//
// hooks   LOAD(r, f, g)   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see monoid.cl
// macros  VEC    independent states, a power of two, 8..128
//         SPLIT  1: a row is cut into parts of SPAN columns, folded again by reduce_finish.cl
// sizes   ROWS, COLS, SPAN   GOLDS  how many of the columns are a run: column c is f = c / GOLDS,
//         g = c % GOLDS      RSPAN  rows an item
// launch  global {parts, ROWS / RSPAN}  local {1, 1}
// note    values go to a small array before they are folded: a loop with nothing but loads and
//         one with nothing but folds are both turned into vectors, the two in one are not
// for     long rows whose columns are neighbours in memory, in runs: a sum over all axes of a
//         batch of images but the channels has one an image, and divides once a run

kernel void reduce_block(PARAMS) {
    const IDX part = (IDX)get_global_id(0);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const IDX from = part * SPAN, to = min(from + SPAN, COLS);
    for (IDX r = r0; r < r1; r++) {
        STATES(s, VEC);
        VAL v[VEC];
        for (int k = 0; k < VEC; k++) CLEAR(s, k);
        IDX f = from / GOLDS, g = from % GOLDS, c = from;
        while (c < to) {
            const IDX end = c + min(GOLDS - g, to - c);
            for (; c + VEC <= end; c += VEC, g += VEC) {
                for (int k = 0; k < VEC; k++) v[k] = (VAL)LOAD(r, f, g + k);
                for (int k = 0; k < VEC; k++) ADD(s, k, v[k], c + k);
            }
            const int rest = (int)(end - c);
            for (int k = 0; k < rest; k++) v[k] = (VAL)LOAD(r, f, g + k);
            for (int k = 0; k < rest; k++) ADD(s, k, v[k], c + k);
            c = end;
            f++;
            g = 0;
        }
        for (int w = VEC / 2; w > 0; w /= 2)
            for (int k = 0; k < w; k++) MERGE(s, k, k + w);
        EMIT(r, part, s, 0);
    }
}
