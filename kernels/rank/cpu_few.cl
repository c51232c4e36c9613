// rank/cpu_few.cl: the first of rows, SEATS at most, on a CPU driver
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl    BEFORE  see rank/cpu_vector.cl
// macros  those of rank/any_keys.cl, less PAIRS, and of rank/cpu_vector.cl    SEATS  8 or 16, KEEP or more
//         BY_POSITION  1: what is kept is sorted by position again
// sizes   ROWS, LENGTH, KEEP    RSPAN  rows an item
// launch  rank_few  global {ROWS / RSPAN}  local {1}
// note    those found so far sit in one vector, in order. A new one takes its seat by comparing it with all at once:
//         from there on each moves up by one. The last KEEP seats are used; before them sit zeros, which nothing
//         comes before

#if SEATS == 8
typedef ulong8 seats;
#define LAST(s) (s).s7
#define MOVED_UP(s) (seats)(0, (s).s012, (s).s3456)
#define SEATS_FROM vload8
#define SEATS_TO vstore8
#else
typedef ulong16 seats;
#define LAST(s) (s).sf
#define MOVED_UP(s) (seats)(0, (s).s012, (s).s3456, (s).s789abcde)
#define SEATS_FROM vload16
#define SEATS_TO vstore16
#endif

INLINE seats seated(const seats s, const ulong e) { return min(s, max(MOVED_UP(s), (seats)(e))); }

kernel void rank_few(PARAMS) {
    WIDE_VECTORS
    __local ulong list[SEATS] LINES;
    const IDX r0 = (IDX)get_global_id(0) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const int first = SEATS - (int)KEEP;
    for (int i = 0; i < SEATS; i++) list[i] = i < first ? 0 : ULONG_MAX;
    const seats empty = SEATS_FROM(0, list);
    for (IDX r = r0; r < r1; r++) {
        const IDX base = r * LENGTH, out = r * KEEP;
        seats s = empty;
        IDX i = 0;
        for (; i < KEEP; i++) s = seated(s, KEYED(i));
        KEY limit = (KEY)(LAST(s) >> 32);
        while (i < LENGTH) {
            const BITS16 most = (BITS16)((BITS)limit);
            if (i + 64 <= LENGTH) {
                const TRUTH16 v = BEFORE(base + i, most) | BEFORE(base + i + 16, most);
                const TRUTH16 w = BEFORE(base + i + 32, most) | BEFORE(base + i + 48, most);
                if (!any_of(v | w)) {
                    i += 64;
                    continue;
                }
            }
            // Of a stretch of 64 that has any, each 16 are asked again.
            for (const IDX end = min(i + 64, LENGTH); i < end;) {
                if (i + 16 <= end && !any_of(BEFORE(base + i, (BITS16)((BITS)limit)))) {
                    i += 16;
                    continue;
                }
                for (const IDX last = min(i + 16, end); i < last; i++) {
                    const ulong e = KEYED(i);
                    if ((KEY)(e >> 32) >= limit) continue; // what is equal comes later
                    s = seated(s, e);
                    limit = (KEY)(LAST(s) >> 32);
                }
            }
        }
#if BY_POSITION
        SEATS_TO(s, 0, list);
        s = empty;
        for (int k = first; k < SEATS; k++) s = seated(s, list[k] & UINT_MAX);
#endif
        SEATS_TO(s, 0, list);
        for (int k = first; k < SEATS; k++) {
            const uint p = (uint)list[k];
#if BY_POSITION
            VALUES(out + k - first, BITS_AT(base + (IDX)p));
            POSITIONS(out + k - first, p);
#else
            RANK_EMIT(out + k - first, (KEY)(list[k] >> 32), p, base);
#endif
        }
    }
}
