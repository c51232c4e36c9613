// custom/any_store_row.cl: store a row each of several arrays at an index that memory holds
//
//     y[at, i] = row[i]      the rest of y stays, and so does all of it where at is outside [0, ROWS)
//
// macros  ARRAYS  how many, 1 to 4    ELEM0, ELEM1, ELEM2, ELEM3  of each, an unsigned type as wide as an element
// sizes   rows  of each y    cols0, cols1, ...  elements of a row of each
// launch  store_row  global {the most of ceil(cols / 8)}
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

// STORE stores eight elements of a row, or those that are left.
#define STORE(all, row, cols)                                                           \
    if (from + 8 <= cols)                                                               \
        vstore8(vload8(0, row + from), 0, all + r * cols + from);                       \
    else                                                                                \
        for (long i = from; i < cols; i++) all[r * cols + i] = row[i];

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
    const long r = *at, from = get_global_id(0) * 8L;
    if (r < 0 || r >= rows) return;
    STORE(all0, row0, cols0)
    SECOND(STORE(all1, row1, cols1))
    THIRD(STORE(all2, row2, cols2))
    FOURTH(STORE(all3, row3, cols3))
}
