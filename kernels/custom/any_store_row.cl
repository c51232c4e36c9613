// custom/any_store_row.cl: store a row each of several arrays at an index that memory holds
//
//     y[at, i] = row[i]      the rest of y stays, and so does all of it where at is outside [0, ROWS)
//
// macros  ARRAYS  how many, 1 to 4    ELEM0, ELEM1, ELEM2, ELEM3  of each, an unsigned type as wide as an element
// sizes   rows  of each y    cols0, cols1, ...  elements of a row of each
// launch  store_row  global {the most of cols}
// note    a task of the kind Custom: its buffers have no offsets

#if ARRAYS > 1
#define SECOND(...) __VA_ARGS__
#else
#define SECOND(...)
#endif
#if ARRAYS > 2
#define THIRD(...) __VA_ARGS__
#else
#define THIRD(...)
#endif
#if ARRAYS > 3
#define FOURTH(...) __VA_ARGS__
#else
#define FOURTH(...)
#endif

kernel void store_row(__global const ELEM0 *row0,
    SECOND(__global const ELEM1 *row1,)
    THIRD(__global const ELEM2 *row2,)
    FOURTH(__global const ELEM3 *row3,)
    __global const long *at,
    __global ELEM0 *all0,
    SECOND(__global ELEM1 *all1,)
    THIRD(__global ELEM2 *all2,)
    FOURTH(__global ELEM3 *all3,)
    const long rows,
    const long cols0
    SECOND(, const long cols1)
    THIRD(, const long cols2)
    FOURTH(, const long cols3))
{
    const long i = get_global_id(0), r = *at;
    if (r < 0 || r >= rows) return;
    if (i < cols0) all0[r * cols0 + i] = row0[i];
    SECOND(if (i < cols1) all1[r * cols1 + i] = row1[i];)
    THIRD(if (i < cols2) all2[r * cols2 + i] = row2[i];)
    FOURTH(if (i < cols3) all3[r * cols3 + i] = row3[i];)
}
