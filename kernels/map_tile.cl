// map_tile.cl: one value for every point of an OUTER x ROWS x COLS view on a CPU driver, where
// neighbouring rows, and not neighbouring columns, read neighbouring memory: a transpose.
//
//     y[PLACE(o, r, c)] = VALUE(o, r, c)      neighbouring columns are neighbours in y
//
// hooks   VALUE(o, r, c)  the fused expression    PLACE(o, r, c)  where it belongs    STORE(i, v)
//         ELEMENT(i)      element i of y, where DIRECT
// macros  OUT, OUT16  register type of VALUE, and 16 of them
//         DIRECT  1: y holds values of type OUT
//         PLAIN   1: the values have VALUES(o, r, c), those of r .. r + 15
//         STREAMED  1: of a DIRECT, whose tiles are whole lines and which no cache holds: they are
//                   stored past the caches
// sizes   OUTER, ROWS, COLS   RSPAN  rows an item, a multiple of 16
// launch  map_tile  global {COLS / 16, ROWS / RSPAN, OUTER}  local {1, 1, 1}
// note    a tile of 16 x 16 is computed along the rows, turned in registers, and stored along the
//         columns, so that both sides are whole vectors. The turn is four rounds of exchanges
//         between pairs of vectors: of single elements, of pairs, and twice of fours
//         (4096 x 4096 under PoCL 3.1: float32 6.8 -> 3.3 ms, float16 33 -> 7.7, int8 6.4 -> 3.2)

#define SIDE 16
#define LENGTH 128 // of the rows that are computed before they are turned

#if STREAMED
#define STORE16(i, v) STREAM(v, (__global OUT16 *)&ELEMENT(i))
#elif DIRECT
#define STORE16(i, v) vstore16(v, 0, &ELEMENT(i))
#else
#define STORE16(i, v) do { \
    const IDX at_ = i; \
    OUT lanes_[SIDE]; \
    vstore16(v, 0, lanes_); \
    for (int k_ = 0; k_ < SIDE; k_++) STORE(at_ + k_, lanes_[k_]); \
} while (0)
#endif

// Halves of the fours of a and b: singles, then pairs, side by side; then every second four.
#define LOW_1(a, b) (OUT16)(a.s0, b.s0, a.s1, b.s1, a.s4, b.s4, a.s5, b.s5, a.s8, b.s8, a.s9, b.s9, a.sc, b.sc, a.sd, b.sd)
#define HIGH_1(a, b) (OUT16)(a.s2, b.s2, a.s3, b.s3, a.s6, b.s6, a.s7, b.s7, a.sa, b.sa, a.sb, b.sb, a.se, b.se, a.sf, b.sf)
#define LOW_2(a, b) (OUT16)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5, a.s8, a.s9, b.s8, b.s9, a.sc, a.sd, b.sc, b.sd)
#define HIGH_2(a, b) (OUT16)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7, a.sa, a.sb, b.sa, b.sb, a.se, a.sf, b.se, b.sf)
#define EVEN_4(a, b) (OUT16)(a.s0, a.s1, a.s2, a.s3, a.s8, a.s9, a.sa, a.sb, b.s0, b.s1, b.s2, b.s3, b.s8, b.s9, b.sa, b.sb)
#define ODD_4(a, b) (OUT16)(a.s4, a.s5, a.s6, a.s7, a.sc, a.sd, a.se, a.sf, b.s4, b.s5, b.s6, b.s7, b.sc, b.sd, b.se, b.sf)
#define PAIR_1(i) b[2 * (i)] = LOW_1(a[2 * (i)], a[2 * (i) + 1]); b[2 * (i) + 1] = HIGH_1(a[2 * (i)], a[2 * (i) + 1]);
#define PAIR_2(i, j) a[i] = LOW_2(b[j], b[(j) + 2]); a[(i) + 1] = HIGH_2(b[j], b[(j) + 2]);
#define PAIR_3(m) \
    b[m] = EVEN_4(a[m], a[4 + (m)]); b[4 + (m)] = ODD_4(a[m], a[4 + (m)]); \
    b[8 + (m)] = EVEN_4(a[8 + (m)], a[12 + (m)]); b[12 + (m)] = ODD_4(a[8 + (m)], a[12 + (m)]);
#define PAIR_4(m) \
    a[m] = EVEN_4(b[m], b[8 + (m)]); a[8 + (m)] = ODD_4(b[m], b[8 + (m)]); \
    a[4 + (m)] = EVEN_4(b[4 + (m)], b[12 + (m)]); a[12 + (m)] = ODD_4(b[4 + (m)], b[12 + (m)]);
#define TURN \
    PAIR_1(0) PAIR_1(1) PAIR_1(2) PAIR_1(3) PAIR_1(4) PAIR_1(5) PAIR_1(6) PAIR_1(7) \
    PAIR_2(0, 0) PAIR_2(2, 1) PAIR_2(4, 4) PAIR_2(6, 5) PAIR_2(8, 8) PAIR_2(10, 9) PAIR_2(12, 12) PAIR_2(14, 13) \
    PAIR_3(0) PAIR_3(1) PAIR_3(2) PAIR_3(3) \
    PAIR_4(0) PAIR_4(1) PAIR_4(2) PAIR_4(3)

kernel void map_tile(PARAMS) {
    const IDX c0 = (IDX)get_global_id(0) * SIDE, c1 = min(c0 + SIDE, COLS);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const IDX o = (IDX)get_global_id(2);
    const IDX tiled = c1 - c0 < SIDE ? r0 : r0 + (r1 - r0) / SIDE * SIDE;
#if PLAIN
    for (IDX r = r0; r < tiled; r += SIDE) {
        OUT16 a[SIDE], b[SIDE];
        #pragma unroll
        for (int j = 0; j < SIDE; j++) a[j] = VALUES(o, r, c0 + j);
        TURN
        #pragma unroll
        for (int j = 0; j < SIDE; j++) STORE16(PLACE(o, r + j, c0), a[j]);
    }
#else
    OUT t[SIDE * LENGTH];
    for (IDX r = r0; r < tiled; r += LENGTH) {
        const int n = (int)min((IDX)LENGTH, tiled - r);
        for (int j = 0; j < SIDE; j++)
            for (int k = 0; k < n; k++) t[j * LENGTH + k] = VALUE(o, r + k, c0 + j);
        for (int i = 0; i < n; i += SIDE) {
            OUT16 a[SIDE], b[SIDE];
            for (int j = 0; j < SIDE; j++) a[j] = vload16(0, t + j * LENGTH + i);
            TURN
            for (int j = 0; j < SIDE; j++) STORE16(PLACE(o, r + i + j, c0), a[j]);
        }
    }
#endif
    for (IDX r = tiled; r < r1; r++)
        for (IDX c = c0; c < c1; c++) STORE(PLACE(o, r, c), VALUE(o, r, c));
}
