// scatter/any_put.cl: put updates, no two of which meet, where their keys say
//
//     y[v, d] = UPDATE(n, d) where AT(n) = v for some n, else INIT(v, d)
//
// hooks   AT(n) or AT(n, d)   INIT(v, d)   UPDATE(n, d)   STORE(i, v)
// macros  KEY    int where it holds every key, or long
//         EACH   1: every element of an update has a key of its own, AT(n, d)
// sizes   ROWS, COLS, COUNT  extents of v, d, n
// launch  scatter_fill  global {any}   local {WG}    INIT
//         scatter_put   global {any}  local {WG}    the updates
// note    each update is looked at once, by one item: linear on every device
// for     permutations, compaction: keys that the graph knows to be different

kernel void scatter_fill(PARAMS) {
    const IDX step = (IDX)get_global_size(0);
    for (IDX i = (IDX)get_global_id(0); i < ROWS * COLS; i += step) {
        const IDX v = i / COLS, d = i - v * COLS;
        STORE(i, INIT(v, d));
    }
}

kernel void scatter_put(PARAMS) {
    const IDX step = (IDX)get_global_size(0);
    for (IDX i = (IDX)get_global_id(0); i < COUNT * COLS; i += step) {
        const IDX n = i / COLS, d = i - n * COLS;
#if EACH
        const KEY k = (KEY)AT(n, d);
#else
        const KEY k = (KEY)AT(n);
#endif
        if (k >= 0 && k < (KEY)ROWS) STORE((IDX)k * COLS + d, UPDATE(n, d));
    }
}
