// map/cpu_tile_store.cl: addresses and stores of tiles of VL x VL elements
//
// TILE_AT(j) is where the tile with column j begins, COLUMN(c, k) its k-th one. STORE16(i, v) stores vector v
// from the i-th element on. EMIT_TILE(o, r, c, a) stores VL vectors a: rows r and on of outer point o, from
// column c on. Where NARROW, rows have less than VL columns and follow each other: what a row stores too much
// the next one stores again, and the last one is stored one by one.
//
// hooks   PLACE(o, r)  where column 0 belongs    STORE(i, v)    ELEMENT(i)  element i of y, where DIRECT
// macros  OUT  type of a value    VL 16    VT  16 of them    DIRECT  1: y holds values of type OUT    NARROW
// sizes   COLS

// PoCL's vstore16 stores elements or quarters.
typedef VT __attribute__((aligned(sizeof(OUT)))) unaligned;

#if DIRECT
#define STORE16(i, v) (*(__global unaligned *)&ELEMENT(i) = (v))
#else
#define STORE16(i, v) do { \
    const IDX at_ = i; \
    OUT lanes_[VL]; \
    vstore16(v, 0, lanes_); \
    for (int k_ = 0; k_ < VL; k_++) STORE(at_ + k_, lanes_[k_]); \
} while (0)
#endif

#if NARROW
#define TILE_AT(j) 0
#define COLUMN(c, k) min((IDX)(k), (IDX)COLS - 1)
#define EMIT_TILE(o, r, c, a) do { \
    _Pragma("unroll") \
    for (int k_ = 0; k_ < VL - 1; k_++) STORE16(PLACE(o, (r) + k_), a[k_]); \
    OUT last_[VL]; \
    vstore16(a[VL - 1], 0, last_); \
    for (int k_ = 0; k_ < COLS; k_++) STORE(PLACE(o, (r) + VL - 1) + k_, last_[k_]); \
} while (0)
#else
#define TILE_AT(j) min((IDX)(j), (IDX)COLS - VL)
#define COLUMN(c, k) ((c) + (k))
#define EMIT_TILE(o, r, c, a) do { \
    _Pragma("unroll") \
    for (int k_ = 0; k_ < VL; k_++) STORE16(PLACE(o, (r) + k_) + (c), a[k_]); \
} while (0)
#endif
