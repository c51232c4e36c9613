// map/cpu_block.cl: one value for every point of a ROWS x COLS view on a CPU driver, stored in row-major order
//
//     y[r * COLS + c] = VALUE(r, c)
//
// hooks   VALUE(r, c)  the fused expression    STORE(i, v)
//         where BUFFERED: BUFFERS(n) declares an array of n for every output, KEEP(k, v)  element k
//         of each, as it is stored    EACH_BUFFER(DO)  DO(y, b) for output and array of each
//         FIRST  where the first output starts
// macros  BUFFERED  1: a block of values is computed before any is stored, for an output that an
//                   input aliases: the loops stay free of dependences that a compiler must assume
//         STREAMED  1: so is it, and whole lines are stored past the caches: for outputs that no
//                   cache holds, of which a line would else be read before it is written
//         SEGMENTS  1: columns are cut where what addresses divide begins again. EACH_SEGMENT is SEGMENT(VALUE_k, from, to) for
//                   each, and VALUE_k(r, c) the value of column from + c
//         INTERIOR  1: rows r where HAS_INTERIOR(r) have the values INTERIOR_VALUE(r, c) in columns FROM to TO, without the
//                   conditions of borders, for which loads would have masks
//         SIDED, EDGED  1: not all columns are inside, not all rows. Where both are 1, SIDE_VALUE(r, c) is the value in rows that
//                   are inside, EDGE_VALUE(r, c) in columns that are
//         NEAR      1: few columns are not inside
//         LANED     1: INTERIOR_LANES(r, c) is a vector of 16 of INTERIOR_VALUE, and STORE_LANES(i, v), KEEP_LANES(k, v) store it
//         NARROW    1: a row is a few vectors, the last a part of one
//         LANES     elements in a vector; 0: as many as the compiler likes
// sizes   ROWS, COLS   RSPAN, CSPAN  rows and columns a work-item
// launch  map_block  global {COLS / CSPAN, ROWS / RSPAN}  local {1, 1}
// note    the inner loop is what the compiler turns into vectors, so no guard stands in it. The host
//         chooses the view: all axes as one row, or the last axis as columns, which takes the
//         division out of addresses that broadcast or skip

#define BLOCK 256

#if NARROW
#define VECTORS PARTLY
#elif LANES
#define VECTORS WIDE_BY(LANES)
#else
#define VECTORS
#endif

#if !(SIDED && EDGED)
#define SIDE_VALUE VALUE
#define EDGE_VALUE VALUE
#endif
#if !EDGED
#define HAS_INTERIOR(r) 1
#endif
#if NEAR
#define BESIDE PLAIN_LOOP
#else
#define BESIDE VECTORS
#endif

// POINTS is PUT of the values of columns c + begin to c + end of row r, INNER of those between the borders along the columns: LANES_AT
// where a loop has vectors that begin at lines as far as they can; at the ends of a row they overlap.
#define RUN(loop, value, from, to) loop for (IDX k = from; k < to; k++) PUT(k, value(r, c + k))
#if LANED
#define LANES_AT(k) { \
    const IDX at_ = k; \
    if (inside) \
        PUT_LANES(at_, INTERIOR_LANES(r, c + at_)); \
    else \
        PUT_LANES(at_, EDGE_LANES(r, c + at_)); \
}
#define INNER(from, to) \
    if (to - from >= 16) { \
        IDX k = from; \
        if (PLACE(k) % 16 != 0) { \
            LANES_AT(k) \
            k += 16 - PLACE(k) % 16; \
        } \
        if (inside) \
            for (; k <= to - 16; k += 16) PUT_LANES(k, INTERIOR_LANES(r, c + k)); \
        else \
            for (; k <= to - 16; k += 16) PUT_LANES(k, EDGE_LANES(r, c + k)); \
        if (k < to) LANES_AT(to - 16) \
    } else \
        RUN(PLAIN_LOOP, VALUE, from, to);
#else
#define INNER(from, to) \
    if (inside) \
        RUN(VECTORS, INTERIOR_VALUE, from, to); \
    else \
        RUN(VECTORS, EDGE_VALUE, from, to);
#endif
#if INTERIOR
#define POINTS(begin, end) { \
    const int inside = HAS_INTERIOR(r); \
    const IDX from = SIDED ? clamp((IDX)(FROM) - c, begin, end) : begin, to = SIDED ? max(min((IDX)(TO) - c, end), from) : end; \
    for (int side = 0; SIDED && side < 2; side++) { \
        const IDX first = side ? to : begin, last = side ? end : from; \
        if (inside) \
            RUN(BESIDE, SIDE_VALUE, first, last); \
        else \
            RUN(BESIDE, VALUE, first, last); \
    } \
    INNER(from, to) \
}
#else
#define POINTS(begin, end) RUN(VECTORS, VALUE, begin, end);
#endif

#define EMPTY(y, b) \
    if (STREAMED && n == BLOCK && TO_LINE((y) + i) == 0) \
        STREAM_ALL(b, (y) + i) \
    else \
        VECTORS for (int k = 0; k < n; k++) (y)[i + k] = (b)[k];

BODY void map_points(const IDX column, const IDX row, PARAMS) {
    const IDX c0 = column * CSPAN, c1 = min(c0 + CSPAN, COLS);
    const IDX r0 = row * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    WIDE_VECTORS
#if BUFFERED || STREAMED
#define PLACE(k) (k)
#define PUT KEEP
#define PUT_LANES KEEP_LANES
    // Blocks go on from row to row where these adjoin.
    IDX r = r0, at = c0;
    while (r < r1) {
        const IDX i = r * COLS + at, left = CSPAN < COLS ? c1 - at : r1 * COLS - i;
        const int ahead = STREAMED ? TO_LINE(FIRST + i) : 0;
        const int n = (int)min((IDX)(ahead > 0 ? ahead : BLOCK), left);
        BUFFERS(BLOCK)
        for (IDX begin = 0; begin < n;) {
            const IDX c = at - begin, end = min((IDX)n, c1 - c);
            POINTS(begin, end)
            at = c + end;
            begin = end;
            if (at == c1) {
                at = c0;
                r++;
            }
        }
        EACH_BUFFER(EMPTY)
    }
#else
    for (IDX r = r0; r < r1; r++) {
#if SEGMENTS
#define SEGMENT(value, from, to) { \
            const IDX begin = max(c0, (IDX)(from)), end = min(c1, (IDX)(to)); \
            VECTORS for (IDX c = begin; c < end; c++) STORE(r * COLS + c, value(r, c - (from))); \
        }
        EACH_SEGMENT
#else
#define PLACE(k) (r * COLS + k)
#define PUT(k, v) STORE(r * COLS + k, v)
#define PUT_LANES(k, v) STORE_LANES(r * COLS + k, v)
        const IDX c = 0;
        POINTS(c0, c1)
#endif
    }
#endif
}

kernel void map_block(PARAMS) {
    map_points(get_global_id(0), get_global_id(1), ARGS);
}
