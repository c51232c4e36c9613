// unique/cpu_parts.cl: number what is different among sorted items, on a CPU driver: an item takes a part of them
//
//     a head has another key than the item before it; what follows a head is equal to it
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl: of what has number i
//         INVERSE(p, g)  element p has number g     SIZES(g, n)  n elements have it     NUMBER(n)  so many are different
// macros  those of rank/any_keys.cl and rank/any_items.cl     SORTED  1: numbers go by keys, 0: by where each stands first
// sizes   COUNT items     PARTS of SPAN
// launch  unique_heads, unique_emit     global {PARTS}  local {1}
//         unique_firsts, unique_number  the same, between them, where not SORTED
// scratch HEADS  [PARTS] how many a part has     LAST  [PARTS] one more than the last head of a part, or 0
//         MARKS  [COUNT] where not SORTED: 1 where an element is the first of its kind, which becomes its number
// note    equal keys stand in the order of their positions, so that a head is what stands first. Who has a head knows
//         how long the run before it was
// source  Blelloch, Prefix Sums and Their Applications (1990): sums of flags say where each segment goes

#define PART ((IDX)get_global_id(0))
#define FROM min(PART * SPAN, COUNT)
#define TO min(PART * SPAN + SPAN, COUNT)

kernel void unique_heads(PARAMS) {
    FIND_ITEMS(0)
    const IDX from = FROM, to = TO;
    IDX heads = 0, last = 0;
    KEY before = from > 0 && from < to ? KEY_AT(from - 1) : 0;
    for (IDX i = from; i < to; i++) {
        const KEY k = KEY_AT(i);
        const int head = i == 0 || k != before;
        before = k;
        heads += head;
        last = head ? i + 1 : last;
#if !SORTED
        MARKS[PLACE_AT(i)] = (uint)head;
#endif
    }
    HEADS[PART] = (uint)heads;
    LAST[PART] = (uint)last;
}

#if !SORTED
kernel void unique_firsts(PARAMS) {
    uint sum = 0;
    const IDX to = TO;
    for (IDX p = FROM; p < to; p++) sum += MARKS[p];
    HEADS[PART] = sum;
}

kernel void unique_number(PARAMS) {
    uint g = 0;
    for (IDX k = 0; k < PART; k++) g += HEADS[k];
    const IDX to = TO;
    for (IDX p = FROM; p < to; p++) {
        if (MARKS[p] == 0) continue;
        VALUES((IDX)g, BITS_AT(p));
        POSITIONS((IDX)g, p);
        MARKS[p] = g++;
    }
}
#endif

kernel void unique_emit(PARAMS) {
    FIND_ITEMS(0)
    const IDX from = FROM, to = TO;
    IDX heads = 0, all = 0, start = 0; // start of the run that this part begins in
    for (IDX k = 0; k < PARTS; k++) {
        all += (IDX)HEADS[k];
        if (k >= PART) continue;
        heads += (IDX)HEADS[k];
        start = LAST[k] > 0 ? (IDX)LAST[k] - 1 : start;
    }
    if (from < to) {
#if SORTED
        IDX g = heads - 1;
#else
        IDX g = (IDX)MARKS[PLACE_AT(start)];
        (void)heads;
#endif
        KEY before = from > 0 ? KEY_AT(from - 1) : 0;
        for (IDX i = from; i < to; i++) {
            const KEY k = KEY_AT(i);
            const uint p = PLACE_AT(i);
            if (i == 0 || k != before) {
                if (i > 0) SIZES(g, i - start);
                start = i;
#if SORTED
                g++;
                RANK_EMIT(g, k, p, 0);
#else
                g = (IDX)MARKS[p];
#endif
            }
            before = k;
            INVERSE(p, g);
        }
        if (to == COUNT) SIZES(g, to - start);
    }
    for (IDX i = max(from, all); i < to; i++) {
        VALUES(i, 0);
        POSITIONS(i, -1);
        SIZES(i, 0);
    }
    if (PART == 0) NUMBER(all);
}
