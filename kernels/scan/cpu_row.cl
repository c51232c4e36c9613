// scan/cpu_row.cl: running sums of rows that are dense in memory, on a CPU driver
//
//     y[r, i] = sum over j <= i of x[r, j]
//
// hooks   TAKE(i)  element i of x    TAKES(i)  16 from i on    PUT(i, v)   PUTS(i, v)
// macros  ACC, VT, EXACT  see scan/any_sums.cl      EXCLUSIVE  1: j < i      REVERSE  1: from the end of the row on
//         SPLIT  1: scan_sums has summed the parts of a row, and each goes on from those before
//         STREAMED  1: no cache holds the result: lines are stored past them where they begin at one
// sizes   ROWS, LENGTH    PARTS of SPAN elements of a row    RSPAN  rows an item
// launch  scan_sums  global {PARTS, ROWS / RSPAN}  local {1, 1}    where SPLIT
//         scan_row   the same
// note    a block of 512 is summed by itself before it is added to what came before: short sums have
//         small errors, here at most 32 + 4 roundings. Parts are fixed, so results repeat

#define BLOCK 512
#if REVERSE
#define AT(r, j) (((r) + 1) * LENGTH - 1 - (j)) // of step j
#define VECTOR(r, j) TAKES(AT(r, j) - 15).sfedcba9876543210
#define TURNED(v) (v).sfedcba9876543210
#define FIRST(r, j) (AT(r, j) - 15)
#else
#define AT(r, j) ((r) * LENGTH + (j))
#define VECTOR(r, j) TAKES(AT(r, j))
#define TURNED(v) (v)
#define FIRST(r, j) AT(r, j)
#endif

BODY void row_sums(const IDX part, const IDX row, PARAMS) {
    WIDE_VECTORS
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    const IDX r0 = row * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    for (IDX r = r0; r < r1; r++) {
        ACC sum = 0, rest = 0;
        for (IDX b = from; b < to; b += BLOCK) {
            const IDX end = min(b + BLOCK, to);
            VT v = 0, w = 0;
            ACC own = 0;
            IDX j = b;
            for (; j + 31 < end; j += 32) {
                v += VECTOR(r, j);
                w += VECTOR(r, j + 16);
            }
            for (; j < end; j++) own += TAKE(AT(r, j));
            v = scan_lanes(v + w);
            scan_add(&sum, &rest, v.sf + own);
        }
        SUMS[2 * (r * PARTS + part)] = sum;
        SUMS[2 * (r * PARTS + part) + 1] = rest;
    }
}

kernel void scan_sums(PARAMS) {
    row_sums(get_global_id(0), get_global_id(1), ARGS);
}

BODY void row_values(const IDX part, const IDX row, PARAMS) {
    WIDE_VECTORS
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    const IDX r0 = row * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    for (IDX r = r0; r < r1; r++) {
        ACC sum = 0, rest = 0;
#if SPLIT
        for (IDX k = r * PARTS; k < r * PARTS + part; k++) {
            scan_add(&sum, &rest, SUMS[2 * k]);
            rest += SUMS[2 * k + 1];
        }
#endif
        for (IDX b = from; b < to; b += BLOCK) {
            const IDX end = min(b + BLOCK, to);
            const ACC before = sum + rest;
            ACC own = 0; // of this block
            IDX j = b;
            for (; j + 15 < end; j += 16) {
                const VT v = scan_lanes(VECTOR(r, j));
#if EXCLUSIVE
                const VT y = before + (own + scan_shift(v));
#else
                const VT y = before + (own + v);
#endif
                PUTS(FIRST(r, j), TURNED(y));
                own += v.sf;
            }
            for (; j < end; j++) {
                const ACC v = TAKE(AT(r, j));
#if EXCLUSIVE
                PUT(AT(r, j), before + own);
                own += v;
#else
                own += v;
                PUT(AT(r, j), before + own);
#endif
            }
            scan_add(&sum, &rest, own);
        }
    }
}

kernel void scan_row(PARAMS) {
    row_values(get_global_id(0), get_global_id(1), ARGS);
}
