// custom/any_store_row.cl: store a row each of several arrays at an index that memory holds
//
//     y[at, i] = row[i]      the rest of y stays, and so does all of it where at is outside [0, ROWS)
//
// macros  ARRAYS  how many, 1 to 4    ELEM0, ELEM1, ELEM2, ELEM3  of each, an unsigned type as wide as an element
// sizes   rows  of each y    cols0, cols1, ...  elements of a row of each
// launch  store_row  global {the most of cols}
// note    a task of the kind Custom: its buffers have no offsets

#define ROW(k) __global const ELEM##k *row##k,
#define ALL(k) __global ELEM##k *y##k,
#define COLS(k) , const long cols##k
#define PUT(k) if (i < cols##k) y##k[r * cols##k + i] = row##k[i];

#if ARRAYS == 1
#define EACH(DO) DO(0)
#elif ARRAYS == 2
#define EACH(DO) DO(0) DO(1)
#elif ARRAYS == 3
#define EACH(DO) DO(0) DO(1) DO(2)
#else
#define EACH(DO) DO(0) DO(1) DO(2) DO(3)
#endif

#define PARAMS EACH(ROW) __global const long *at, EACH(ALL) const long rows EACH(COLS)

kernel void store_row(PARAMS) {
    const long i = get_global_id(0), r = *at;
    if (r < 0 || r >= rows) return;
    EACH(PUT)
}
