// join/any_inputs.cl: lay matrices of as many rows side by side
//
//     y[r, FROM + c] = x[r, c]      c < WIDTH, of each input of a launch; others fill the rest of y
//
// hooks   PICK(k, x, width, from)  sets where input k begins, its WIDTH and its FROM
// macros  ELEM  an unsigned type as wide as an element    SPAN  neighbours that an item copies
//         RESULT  where y begins
// sizes   ROWS    ALL  elements of a row of y
// launch  join_inputs  global {the most of ROWS * ceil(WIDTH / SPAN), inputs}  local {WG, 1}
// note    a launch with fewer inputs than PICK knows passes one of them again, with a WIDTH of 0

kernel void join_inputs(PARAMS) {
    __global const ELEM *x;
    IDX width, from;
    PICK((int)get_global_id(1), x, width, from)
    const IDX item = (IDX)get_global_id(0), parts = (width + (SPAN - 1)) / SPAN;
    if (item >= ROWS * parts) return;
    const IDX row = item / parts, begin = (item - row * parts) * SPAN, n = min((IDX)SPAN, width - begin);
    x += row * width + begin;
    __global ELEM *y = RESULT + (row * ALL + from + begin);
    for (IDX c = 0; c < n; c++) y[c] = x[c];
}
