// rank/cpu_first.cl: the first few of long rows, on a CPU driver
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl    BEFORE  see rank/cpu_vector.cl
// macros  those of rank/any_keys.cl, less PAIRS, and of rank/cpu_vector.cl    MOST  items that are held, more than KEEP
//         SPLIT  1: a row is cut into parts, PARTS_MOST at most, of which rank_first_merge takes the first
//         BY_POSITION  1: what is kept is sorted by position again
// sizes   ROWS, LENGTH, KEEP    PARTS of SPAN elements of a row     RSPAN  rows an item
// launch  rank_first        global {PARTS, ROWS / RSPAN}  local {1, 1}   local memory 2 * MOST items
//         rank_first_merge  global {ROWS}  local {1}    where SPLIT      the same
// scratch LISTS  KEEP items of every part, in order     FOUND  how many there are
// note    what comes before the last of those found so far is held too, and when there is no room for more all are
//         sorted and cut. In random order few come before it, so that most elements cost one comparison in a vector

// Sorts n items by merging; t has room for as many.
INLINE void sort_items(__local ulong *a, __local ulong *t, const int n) {
    for (int b = 0; b < n; b += 8)
        for (int i = b + 1; i < min(b + 8, n); i++) {
            const ulong e = a[i];
            int j = i;
            for (; j > b && a[j - 1] > e; j--) a[j] = a[j - 1];
            a[j] = e;
        }
    int turned = 0;
    for (int w = 8; w < n; w *= 2) {
        __local const ulong *const from = turned ? t : a;
        __local ulong *const to = turned ? a : t;
        for (int b = 0; b < n; b += 2 * w) {
            const int m = min(b + w, n), end = min(b + 2 * w, n);
            int i = b, j = m;
            for (int k = b; k < end; k++) {
                const int left = i < m && (j >= end || from[i] < from[j]);
                to[k] = left ? from[i] : from[j];
                i += left;
                j += !left;
            }
        }
        turned = !turned;
    }
    if (turned)
        for (int i = 0; i < n; i++) a[i] = t[i];
}

#if BY_POSITION
#define EMIT_ROW(r) { \
        const IDX base = (r) * LENGTH, out = (r) * KEEP; \
        for (int i = 0; i < (int)KEEP; i++) held[i] = held[i] & UINT_MAX; \
        sort_items(held, spare, (int)KEEP); \
        for (int i = 0; i < (int)KEEP; i++) { \
            VALUES(out + i, BITS_AT(base + (IDX)held[i])); \
            POSITIONS(out + i, held[i]); \
        } \
    }
#else
#define EMIT_ROW(r) { \
        const IDX base = (r) * LENGTH, out = (r) * KEEP; \
        for (int i = 0; i < (int)KEEP; i++) RANK_EMIT(out + i, (KEY)(held[i] >> 32), (uint)held[i], base); \
    }
#endif

kernel void rank_first(PARAMS) {
    WIDE_VECTORS
    __local ulong held[MOST] LINES, spare[MOST] LINES;
    const IDX part = (IDX)get_global_id(0), from = part * SPAN, to = min(from + SPAN, LENGTH);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const int keep = (int)KEEP;
    for (IDX r = r0; r < r1; r++) {
        const IDX base = r * LENGTH;
        IDX i = min(from + MOST, to);
        int have = (int)(i - from);
        for (int k = 0; k < have; k++) held[k] = KEYED(from + k);
        sort_items(held, spare, have);
        have = min(have, keep);
        while (i < to) { // keep are held, or nothing is left
            const KEY limit = (KEY)(held[keep - 1] >> 32);
            const BITS16 most = (BITS16)((BITS)limit);
            while (i < to && have < MOST) {
                if (i + 64 <= to) {
                    const TRUTH16 v = BEFORE(base + i, most) | BEFORE(base + i + 16, most);
                    const TRUTH16 w = BEFORE(base + i + 32, most) | BEFORE(base + i + 48, most);
                    if (!any_of(v | w)) {
                        i += 64;
                        continue;
                    }
                }
                // Of a stretch of 64 that has any, each 16 are asked again.
                const IDX end = min(i + 64, to);
                while (i < end && have < MOST) {
                    if (i + 16 <= end) {
                        if (!any_of(BEFORE(base + i, most))) {
                            i += 16;
                            continue;
                        }
                    }
                    const IDX last = min(i + 16, end);
                    for (; i < last && have < MOST; i++) {
                        const ulong e = KEYED(i);
                        held[have] = e;
                        have += (KEY)(e >> 32) < limit; // what is equal comes later
                    }
                }
            }
            sort_items(held, spare, have);
            have = min(have, keep);
        }
#if SPLIT
        for (int k = 0; k < have; k++) LISTS[(r * PARTS + part) * KEEP + k] = held[k];
        FOUND[r * PARTS + part] = (uint)have;
#else
        EMIT_ROW(r)
#endif
    }
}

#if SPLIT
kernel void rank_first_merge(PARAMS) {
    __local ulong held[MOST] LINES, spare[MOST] LINES;
    __local uint at[PARTS_MOST];
    const IDX r = (IDX)get_global_id(0);
    __global const ulong *const lists = LISTS + r * PARTS * KEEP;
    for (int k = 0; k < (int)PARTS; k++) at[k] = 0;
    for (int i = 0; i < (int)KEEP; i++) {
        ulong least = ULONG_MAX;
        int which = 0;
        for (int k = 0; k < (int)PARTS; k++) {
            if (at[k] >= FOUND[r * PARTS + k]) continue;
            const ulong e = lists[k * KEEP + at[k]];
            if (e >= least) continue;
            least = e;
            which = k;
        }
        held[i] = least;
        at[which]++;
    }
    (void)spare;
    EMIT_ROW(r)
}
#endif
