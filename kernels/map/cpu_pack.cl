// map/cpu_pack.cl: one value for every point of an OUTER x ROWS x COLS view on a CPU driver, some of whose inputs have
// neighbours in memory along rows, the others along columns: x + transpose(z)
//
//     y[PLACE(o, r) + c] = VALUE(o, r, c, TURNED0(o, r, c), ...)
//
// hooks   TURNED(o, r, c)  an input that is read along rows, each with its number: TURNED0, TURNED1, ...
//         TURNEDS(o, r, c)  where PLAIN: its values of r .. r + 15, as a vector, each with its number
//         VALUE(o, r, c, ...)  the fused expression, of those    EACH_TURNED(DO)  DO(i) for every TURNEDi
//         VALUE_OF(o, r, c, at)  VALUE of the elements at of tile0, ...
//         PLACE(o, r)  where column 0 belongs    STORE(i, v)
// macros  IN  type of all TURNEDi    VT  16 of them    VL 16    PLAIN  1: inputs have TURNEDS
//         BUFFERED  1: an input, read at the point that is stored, aliases the output: a row of a block, of type OUT, is
//                   computed before it is stored, so that the loop is free of dependences that a compiler must assume
//         BLOCK_COLS  columns of a block, a multiple of 16
// sizes   OUTER, ROWS, COLS, both at least 16    OSPAN  of OUTER an item    RSPAN, CSPAN  rows and columns an item,
//         multiples of 16
// launch  map_pack  global {COLS / CSPAN, ROWS / RSPAN, OUTER / OSPAN}  local {1, 1, 1}
// note    blocks of 16 rows of the inputs that lie along rows are packed as the others lie: read along rows, transposed in
//         registers, kept in the nearest cache. Then the block is computed along columns in vectors. What the last block of
//         a side packs moves back, so that it is whole; each point is computed once
// source  packing, as products have it: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication (2008)

// PoCL's vstore16 stores elements or quarters.
typedef VT __attribute__((aligned(sizeof(IN)))) unaligned;

#define BLOCK(i) IN tile##i[VL][BLOCK_COLS] __attribute__((aligned(sizeof(VT))));

#if PLAIN
#define LOAD(i) \
    _Pragma("unroll") \
    for (int k = 0; k < VL; k++) a[k] = TURNEDS##i(o, r, c + l + k);
#else
#define LOAD(i) \
    for (int k = 0; k < VL; k++) \
        for (int m = 0; m < VL; m++) t[k * VL + m] = TURNED##i(o, r + m, c + l + k); \
    _Pragma("unroll") \
    for (int k = 0; k < VL; k++) a[k] = vload16(k, t);
#endif

#define PACK(i) \
    for (int h = 0; h < n; h += VL) { \
        const int l = min(h, n - VL); \
        VT a[VL]; \
        LOAD(i) \
        transpose(a); \
        _Pragma("unroll") \
        for (int k = 0; k < VL; k++) *(unaligned *)(tile##i[k] + l) = a[k]; \
    }

kernel void map_pack(PARAMS) {
    const IDX c0 = (IDX)get_global_id(0) * CSPAN, c1 = min(c0 + CSPAN, COLS);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const IDX o0 = (IDX)get_global_id(2) * OSPAN, o1 = min(o0 + OSPAN, OUTER);
    EACH_TURNED(BLOCK)
#if !PLAIN
    IN t[VL * VL];
#endif
    WIDE_VECTORS
    for (IDX o = o0; o < o1; o++)
        for (IDX j = c0; j < c1; j += BLOCK_COLS) {
            const int n = (int)max(min((IDX)BLOCK_COLS, c1 - j), (IDX)VL);
            const IDX c = min(j, COLS - n);
            for (IDX i = r0; i < r1; i += VL) {
                const IDX r = min(i, ROWS - VL);
                EACH_TURNED(PACK)
                for (int k = (int)(i - r); k < VL; k++) {
                    const IDX at = PLACE(o, r + k) + c;
#if BUFFERED
                    OUT row[BLOCK_COLS];
                    for (int l = (int)(j - c); l < n; l++) row[l] = VALUE_OF(o, r + k, c + l, [k][l]);
                    for (int l = (int)(j - c); l < n; l++) STORE(at + l, row[l]);
#else
                    for (int l = (int)(j - c); l < n; l++) STORE(at + l, VALUE_OF(o, r + k, c + l, [k][l]));
#endif
                }
            }
        }
}
