// unique/any_rows.cl: sort rows by merging, and say which differ from the one before
//
//     rows are compared element by element; runs of RUN sorted rows become runs of twice as many
//
// hooks   BITS_AT(i)  see rank/any_keys.cl     ROW_AT(i, b)  element i of the values is b
// sizes   COUNT rows of WIDTH     RUN  rows of a run     TURN  0: what is read is in A, 1: in B
// launch  unique_merge, unique_rows_heads  global {COUNT padded}  local {WG}
//         unique_rows                      global {COUNT * WIDTH padded}  local {WG}
// scratch A, B  [COUNT] where rows stand     NUMBERS  [COUNT] 1 where a row is a head, as unique/any_items.cl has it
//         FIRST  [COUNT] where the values stand, or -1
// note    an item finds how many rows of the other run come before its own, and so its place among both. Of equal rows
//         those of the first run come first, so that the sort is stable. The first launch reads no A
// source  Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs (2009): merging by binary search

kernel void unique_merge(PARAMS) {
    const IDX i = (IDX)get_global_id(0);
    if (i >= COUNT) return;
    FIND_ITEMS(0)
    __global uint *const next = TURN ? A : B;
    const int second = (int)(i / RUN & 1);
    const IDX own = i / RUN * RUN, other = second ? own - RUN : min(own + RUN, COUNT);
    const uint p = RUN == 1 ? (uint)i : PLACE_AT(i);
    IDX low = other, high = min(other + RUN, COUNT);
    while (low < high) {
        const IDX mid = low + (high - low) / 2;
        const int order = row_order(ROW(RUN == 1 ? (uint)mid : PLACE_AT(mid)), ROW(p), WIDTH);
        if (order < 0 || second && order == 0) low = mid + 1;
        else high = mid;
    }
    next[i + low - max(own, other)] = p;
}

kernel void unique_rows_heads(PARAMS) {
    const IDX i = (IDX)get_global_id(0);
    if (i >= COUNT) return;
    FIND_ITEMS(0)
    NUMBERS[i] = i == 0 || row_order(ROW(PLACE_AT(i)), ROW(PLACE_AT(i - 1)), WIDTH) != 0;
}

kernel void unique_rows(PARAMS) {
    const IDX i = (IDX)get_global_id(0);
    if (i >= COUNT * WIDTH) return;
    const IDX g = i / WIDTH;
    const uint p = FIRST[g];
    ROW_AT(i, p == UINT_MAX ? (BITS)0 : BITS_AT((IDX)p * WIDTH + i - g * WIDTH));
}
