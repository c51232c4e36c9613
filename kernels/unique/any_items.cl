// unique/any_items.cl: number what is different among sorted items, a work-item has one of them
//
//     a head has another key than the item before it; NUMBERS[i] is how many heads there are up to item i
//
// hooks   BITS_AT, VALUES, POSITIONS  see rank/any_keys.cl: of what has number i
//         INVERSE(p, g)  element p has number g     SIZES(g, n)  n elements have it     NUMBER(n)  n are different
// macros  those of rank/any_keys.cl and rank/any_items.cl     SORTED  1: numbers go by keys, 0: by where each stands first
// sizes   COUNT items, one at least
// launch  unique_starts  global {COUNT padded}  local {WG}
//         unique_give    the same
//         before the first scan/gpu_group.cl sums heads in NUMBERS; between them, where not SORTED, it sums MARKS
// scratch NUMBERS  [COUNT]     STARTS  [COUNT] where the run of each head begins
//         MARKS  [COUNT] where not SORTED: 1 where an element is the first of its kind, which becomes one more than its number
// note    equal keys stand in the order of their positions, so that a head is what stands first
// source  Blelloch, Prefix Sums and Their Applications (1990): sums of flags say where each segment goes

kernel void unique_starts(PARAMS) {
    const IDX i = (IDX)get_global_id(0);
    if (i >= COUNT) return;
    const uint g = NUMBERS[i];
    const int head = i == 0 || NUMBERS[i - 1] != g;
    if (head) STARTS[g - 1] = (uint)i;
#if !SORTED
    FIND_ITEMS(0)
    MARKS[PLACE_AT(i)] = (uint)head;
#endif
}

kernel void unique_give(PARAMS) {
    const IDX i = (IDX)get_global_id(0);
    if (i >= COUNT) return;
    FIND_ITEMS(0)
    const IDX all = (IDX)NUMBERS[COUNT - 1], run = (IDX)NUMBERS[i] - 1, start = (IDX)STARTS[run];
    const uint p = PLACE_AT(i);
#if SORTED
    const IDX g = run;
#else
    const IDX g = (IDX)MARKS[PLACE_AT(start)] - 1;
#endif
    INVERSE(p, g);
    if (i == start) {
#if SORTED
        RANK_EMIT(g, KEY_AT(i), p, 0);
#else
        VALUES(g, BITS_AT((IDX)p));
        POSITIONS(g, p);
#endif
        SIZES(g, (run + 1 < all ? (IDX)STARTS[run + 1] : COUNT) - i);
    }
    if (i >= all) {
        VALUES(i, 0);
        POSITIONS(i, -1);
        SIZES(i, 0);
    }
    if (i == 0) NUMBER(all);
}
