// custom/any_store_row.cl: store a row of an array at an index that memory holds
//
//     y[at, i] = row[i]      the rest of y stays, and so does all of it where at is outside [0, ROWS)
//
// macros  ELEM  an unsigned type as wide as an element
// sizes   rows  of y    cols  elements of a row
// launch  store_row  global {cols}
// note    a task of the kind Custom: its buffers have no offsets

kernel void store_row(__global const ELEM *row, __global const long *at, __global ELEM *y,
                      const long rows, const long cols) {
    const size_t i = get_global_id(0);
    const long r = *at;
    if (r >= 0 && r < rows) y[r * cols + i] = row[i];
}
