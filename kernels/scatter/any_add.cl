// scatter/any_add.cl: add updates to the rows that their keys name, or fold them in another way
//
//     y[v, d] = INIT(v, d) + sum over n with AT(n) = v of UPDATE(n, d)
//
// hooks   AT(n) or AT(n, d)   INIT(v, d)   UPDATE(n, d)   STORE(i, v)
// macros  VAL    type of the sums    RING  type of one addition: unsigned for integers, which wrap
//         KEY    int where it holds every key, or long
//         PUT(a, b)  what an update b makes of a: their sum, product, minimum, maximum, or b
//         EACH   1: every element of an update has a key of its own, AT(n, d)
//         COLUMNS  how loops over them become vectors, see lib/prelude.cl
//         EXACT  1: floats, and enough updates for long sums: they are carried to TOTALS, compensated sums, see
//                COMPENSATE in lib/prelude.cl. SEEN counts the updates of each row
//         COLLECT  1: an item takes SUM_RUN keys at a time and lists those that it owns, on CPU drivers, where
//                no cache holds the rows: counts are then over before rows are waited for
//         DIRECT 1: y itself holds the sums; 0: SUMS does, because the output is of a half type
// sizes   ROWS, COLS, COUNT  extents of v, d, n    VSPAN, DSPAN  rows and columns an item owns
// launch  scatter_keys  global {COUNT padded}  local {WG}    AT as row numbers, -1 outside [0, ROWS); not with EACH
//         scatter_add   global {COLS / DSPAN padded, ROWS / VSPAN}  local {WG, 1}
// note    a row's sum is off by (64 + 4) u times the sum of their magnitudes at most.
//         An item owns its part of the output and looks at every key: no atomics, and each sum is
//         taken in the order of n, so results repeat

#if !EACH
kernel void scatter_keys(PARAMS) {
    const IDX n = (IDX)get_global_id(0);
    if (n >= COUNT) return;
    const KEY k = (KEY)AT(n);
    KEYS[n] = k >= 0 && k < (KEY)ROWS ? (IDX)k : -1;
}
#endif

// An update of row k is counted before it is added, and one more than COUNTED carries what came before it, of which
// up to SUM_RUN - 1 may be counted but not added yet. From then on a count begins with SEEN_CARRIED.
#define SEEN_CARRIED 128
#if COLLECT
#define COUNTED SUM_RUN
#else
#define COUNTED (2 * SUM_RUN)
#endif
#if EXACT
#define COUNT_UPDATE(k) COUNT_OF(seen[k], k, d0, d1)
#define COUNT_OF(seen_, k, from, to) { \
    const uchar before_ = seen_; \
    const int full_ = (before_ & (SEEN_CARRIED - 1)) == COUNTED; \
    seen_ = full_ ? SEEN_CARRIED + 1 : before_ + 1; \
    if (full_) { \
        const int first_ = before_ < SEEN_CARRIED; \
        for (IDX e_ = from; e_ < to; e_++) { \
            const IDX at = (k) * COLS + e_; \
            VAL total = first_ ? 0 : TOTALS[at], rest = first_ ? 0 : TOTALS[ROWS * COLS + at]; \
            COMPENSATE(VAL, total, rest, SUM(at)) \
            TOTALS[at] = total; \
            TOTALS[ROWS * COLS + at] = rest; \
            SUM(at) = 0; \
        } \
    } \
}
#else
#define COUNT_UPDATE(k)
#define COUNT_OF(seen_, k, from, to)
#endif
#define ADD_UPDATE(n, k) \
    COLUMNS \
    for (IDX d = d0; d < d1; d++) { \
        const VAL update_ = (VAL)UPDATE(n, d); \
        SUM((k) * COLS + d) = PUT(SUM((k) * COLS + d), update_); \
    }

kernel void scatter_add(PARAMS) {
    WIDE_VECTORS
    const IDX d0 = (IDX)get_global_id(0) * DSPAN, d1 = min(d0 + DSPAN, COLS);
    const IDX v0 = (IDX)get_global_id(1) * VSPAN, v1 = min(v0 + VSPAN, ROWS);
    if (d0 >= COLS) return;
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++) SUM(v * COLS + d) = (VAL)INIT(v, d);
#if EXACT && EACH
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++) SEEN[v * COLS + d] = 0;
#elif EXACT
    __global uchar *const seen = SEEN + (IDX)get_global_id(0) * ROWS;
    for (IDX v = v0; v < v1; v++) seen[v] = 0;
#endif
#if EACH
    for (IDX n = 0; n < COUNT; n++)
        for (IDX d = d0; d < d1; d++) {
            const KEY key = (KEY)AT(n, d);
            if (key < (KEY)v0 || key >= (KEY)v1) continue;
            const IDX k = (IDX)key, to = k * COLS + d;
            COUNT_OF(SEEN[to], k, d, d + 1)
            const VAL update = (VAL)UPDATE(n, d);
            SUM(to) = PUT(SUM(to), update);
        }
#elif COLLECT
    for (IDX first = 0; first < COUNT; first += SUM_RUN) {
        IDX mine[SUM_RUN], rows[SUM_RUN];
        const int keys = (int)min((IDX)SUM_RUN, COUNT - first);
        int n = 0;
        for (int j = 0; j < keys; j++) {
            const IDX k = KEYS[first + j];
            mine[n] = first + j;
            rows[n] = k;
            n += (k >= v0) & (k < v1);
        }
        for (int j = 0; j < n; j++) {
            FETCH_FAR(&SUM(rows[j] * COLS + d0));
        }
        for (int j = 0; j < n; j++) COUNT_UPDATE(rows[j])
        for (int j = 0; j < n; j++) ADD_UPDATE(mine[j], rows[j])
    }
#else
    for (IDX n = 0; n < COUNT; n++) {
        const IDX k = KEYS[n];
        if (k < v0 || k >= v1) continue;
        COUNT_UPDATE(k)
        ADD_UPDATE(n, k)
    }
#endif
#if EACH
#define CARRIED(v, d) SEEN[(v) * COLS + (d)]
#else
#define CARRIED(v, d) seen[v]
#endif
#if EXACT
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++)
            if (CARRIED(v, d) >= SEEN_CARRIED) {
                const IDX at = v * COLS + d;
                SUM(at) = (SUM(at) + TOTALS[ROWS * COLS + at]) + TOTALS[at];
            }
#endif
#if !DIRECT
    for (IDX v = v0; v < v1; v++)
        for (IDX d = d0; d < d1; d++) STORE(v * COLS + d, SUM(v * COLS + d));
#endif
}
