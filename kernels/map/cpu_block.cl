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
//         WHOLE     1: INTERIOR_VALUE may be computed, if not used, in all columns of such rows: their loops begin at a line and leave
//                   no longer rest, and the few other columns are stored again
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

#define EMPTY(y, b) \
    if (STREAMED && n == BLOCK && TO_LINE((y) + i) == 0) \
        STREAM_ALL(b, (y) + i) \
    else if (STREAMED && TO_LINE((y) + i) == 0) { /* the end of a row */ \
        const int lines = n * (int)sizeof(*(b)) / LINE; \
        for (int k = 0; k < lines; k++) STREAM(((float16 *)(b))[k], (__global float16 *)((y) + i) + k); \
        for (int k = lines * LINE / (int)sizeof(*(b)); k < n; k++) (y)[i + k] = (b)[k]; \
    } else \
        VECTORS for (int k = 0; k < n; k++) (y)[i + k] = (b)[k];

// PUT_ROW stores what row r has in columns COLUMN(k), for k from BEGIN to END, by PUT(k, value). Where it is inside, those of
// k from `from` to `to` are in its interior.
#if INTERIOR && WHOLE
#define PUT_ROW(T, BEGIN, END, COLUMN, PUT) \
    if (inside) { \
        VECTORS for (T k = BEGIN; k < END; k++) PUT(k, INTERIOR_VALUE(r, COLUMN(k))); \
        for (T k = from > BEGIN ? BEGIN : to; k < END; k = k + 1 == from ? to : k + 1) PUT(k, VALUE(r, COLUMN(k))); \
    } else \
        VECTORS for (T k = BEGIN; k < END; k++) PUT(k, VALUE(r, COLUMN(k)));
#elif INTERIOR
#define PUT_ROW(T, BEGIN, END, COLUMN, PUT) \
    VECTORS for (T k = BEGIN; k < from; k++) PUT(k, VALUE(r, COLUMN(k))); \
    VECTORS for (T k = from; k < to; k++) PUT(k, INTERIOR_VALUE(r, COLUMN(k))); \
    for (T k = to; k < END; k++) PUT(k, VALUE(r, COLUMN(k)));
#else
#define PUT_ROW(T, BEGIN, END, COLUMN, PUT) \
    VECTORS for (T k = BEGIN; k < END; k++) PUT(k, VALUE(r, COLUMN(k)));
#endif
#define OF_BLOCK(k) c + (k)
#define TO_BLOCK(k, v) KEEP(k, v)
#define OF_ROW(k) k
#define TO_ROW(k, v) STORE(r * COLS + (k), v)

BODY void map_points(const IDX column, const IDX row, PARAMS) {
    const IDX c0 = column * CSPAN, c1 = min(c0 + CSPAN, COLS);
    const IDX r0 = row * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    WIDE_VECTORS
    for (IDX r = r0; r < r1; r++) {
#if INTERIOR
        const int inside = HAS_INTERIOR(r);
#endif
#if BUFFERED || STREAMED
        for (IDX c = c0; c < c1;) {
            const IDX i = r * COLS + c;
            const int ahead = STREAMED ? TO_LINE(FIRST + i) : 0;
            const int n = (int)min((IDX)(ahead > 0 ? ahead : BLOCK), c1 - c);
            BUFFERS(BLOCK)
#if INTERIOR
            const int from = inside ? (int)clamp((IDX)(FROM) - c, (IDX)0, (IDX)n) : n, to = max((int)min((IDX)(TO) - c, (IDX)n), from);
#endif
            PUT_ROW(int, 0, n, OF_BLOCK, TO_BLOCK)
            EACH_BUFFER(EMPTY)
            c += n;
        }
#elif SEGMENTS
#define SEGMENT(value, from, to) { \
            const IDX begin = max(c0, (IDX)(from)), end = min(c1, (IDX)(to)); \
            VECTORS for (IDX c = begin; c < end; c++) STORE(r * COLS + c, value(r, c - (from))); \
        }
        EACH_SEGMENT
#else
#if INTERIOR
        const IDX from = inside ? clamp((IDX)(FROM), c0, c1) : c1, to = max(min((IDX)(TO), c1), from);
#endif
        PUT_ROW(IDX, c0, c1, OF_ROW, TO_ROW)
#endif
    }
}

kernel void map_block(PARAMS) {
    map_points(get_global_id(0), get_global_id(1), ARGS);
}
