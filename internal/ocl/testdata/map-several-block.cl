// block view=1x6400 block=1x800: a CPU driver: long inner loops become vectors
// launch map_block global [8 1] local [1 1]
// options -cl-single-precision-constant
// arguments ROWS=1 COLS=6400 RSPAN=1 CSPAN=800
#define MAP_BLOCK 1
#define LANES 16
#define BUFFERED 0
#define STREAMED 0
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global half *restrict y1_, \
    const ulong o_y1, \
    __global float *restrict y2_, \
    const ulong o_y2, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX RSPAN, \
    const IDX CSPAN
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1

typedef struct { float v0; float v1; float v2; } value_t;
static inline value_t value_hook(const IDX r, const IDX c FN_PARAMS) {
    const float v0 = LOAD_float32(p0, c);
    const float v1 = LOAD_float32(p1, c);
    const float v2 = (float)(v0 + v1);
    const float v3 = (float)(v0 * v0);
    const float v4 = (float)(round_float16(v3));
    value_t out;
    out.v0 = v2;
    out.v1 = v4;
    out.v2 = v1;
    return out;
}
#define VALUE(r, c) value_hook(r, c FN_ARGS)

#define STORE(i, v) do { const value_t v_ = (v); STORE_float32(y0_ + o_y0, i, v_.v0); STORE_float16(y1_ + o_y1, i, v_.v1); STORE_float32(y2_ + o_y2, i, v_.v2); } while (0)

// ---- map.cl ----
// map.cl: one value for every point of a ROWS x COLS view, stored in row-major order.
//
//     y[r * COLS + c] = VALUE(r, c)
//
// hooks   VALUE(r, c)  the fused expression    STORE(i, v)
//         of map_block where BUFFERED: BUFFERS(n) declares an array of n for every output,
//         KEEP(k, v)  element k of each, as it is stored    EACH_BUFFER(DO)  DO(y, b) for output
//         and array of each    FIRST  the first output
// macros  MAP_BLOCK 1: the kernel is map_block
//         BUFFERED  1: a block of values is computed before any is stored, for an output that an
//                   input aliases: the loops stay free of dependences that a compiler must assume
//         STREAMED  1: so is it, and whole lines are stored past the caches: for outputs that no
//                   cache holds, of which a line would else be read before it is written
//         LANES     elements in a vector; 0: as many as the compiler likes
// sizes   ROWS, COLS   RSPAN, CSPAN  what one item of map_block does of each
// launch  map_item   global {COLS padded, at most 2^15 rows}  local {WG, 1}   one point an item
//         map_block  global {COLS / CSPAN, ROWS / RSPAN}  local {1, 1}   for CPU drivers: the inner
//                    loop is what their compiler turns into vectors, and no guard stands in it
// note    the host chooses the view: all axes as one row, or the last axis as columns, which
//         takes the division out of addresses that broadcast or skip

#if MAP_BLOCK

#define BLOCK 256

#if LANES
#define VECTORS WIDE_BY(LANES)
#else
#define VECTORS
#endif

#define EMPTY(y, b) \
    if (STREAMED && n == BLOCK && TO_LINE((y) + i) == 0) \
        STREAM_ALL(b, (y) + i) \
    else \
        VECTORS for (int k = 0; k < n; k++) (y)[i + k] = (b)[k];

kernel void map_block(PARAMS) {
    const IDX c0 = (IDX)get_global_id(0) * CSPAN, c1 = min(c0 + CSPAN, COLS);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    WIDE_VECTORS
    for (IDX r = r0; r < r1; r++) {
#if BUFFERED || STREAMED
        for (IDX c = c0; c < c1;) {
            const IDX i = r * COLS + c;
            const int ahead = STREAMED ? TO_LINE(FIRST + i) : 0;
            const int n = (int)min((IDX)(ahead > 0 ? ahead : BLOCK), c1 - c);
            BUFFERS(BLOCK)
            VECTORS for (int k = 0; k < n; k++) KEEP(k, VALUE(r, c + k));
            EACH_BUFFER(EMPTY)
            c += n;
        }
#else
        VECTORS for (IDX c = c0; c < c1; c++) STORE(r * COLS + c, VALUE(r, c));
#endif
    }
}

#else

kernel void map_item(PARAMS) {
    const IDX c = (IDX)get_global_id(0);
    if (c >= COLS) return;
    for (IDX r = (IDX)get_global_id(1); r < ROWS; r += (IDX)get_global_size(1))
        STORE(r * COLS + c, VALUE(r, c));
}

#endif
