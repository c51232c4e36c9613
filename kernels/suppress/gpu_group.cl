// suppress/gpu_group.cl: select boxes by falling score unless they overlap one selected before, on a GPU: a work-group has a
// list. A list is a class in a batch, whose boxes have been sorted by suppress_key.
//
// hooks   BOX(i)  float4     ROW(r, batch, class, box)  result r     TOTAL(n)  how many there are
// macros  those of rank/any_items.cl     CENTRE  1: boxes are centre x, y, width and height     WG  work-items of a group
// sizes   LISTS, CLASSES, BOXES, one at least     MOST  selected of a list     CAPACITY  of all     LIMIT  bits, see any_overlap.cl
// launch  suppress_sweep  global {WG * LISTS}  local {WG}
//         suppress_give   the same     between them scan/gpu_group.cl sums KEPT in OFFSETS
// scratch FOUND  [LISTS, MOST]     KEPT  [LISTS] how many     OFFSETS  [LISTS] how many there are in lists before
// note    a block of WG boxes is compared with all that were selected, a tile of these at a time in local memory, and with
//         each other. Which of the block are selected is then a matter of bits, which one item settles in order
// source  Neubeck and Van Gool, Efficient Non-Maximum Suppression (2006): greedy

#define WORDS ((WG + 31) / 32)

kernel void suppress_sweep(PARAMS) {
    __local float4 seen[WG];
    __local float seen_area[WG];
    __local uint place[WG], lives[WG], hits[WG * WORDS], have;
    const int me = (int)get_local_id(0);
    const IDX list = (IDX)get_group_id(0), box = list / CLASSES * BOXES;
    const float limit = as_float((uint)LIMIT);
    FIND_ITEMS(list)
    IDX kept = 0;
    for (IDX b = 0; b < BOXES && kept < MOST; b += WG) {
        int alive = b + me < BOXES && KEY_AT(b + me) != UINT_MAX;
        const uint at = alive ? PLACE_AT(b + me) : 0;
        const float4 own = suppress_corners(BOX(box + (IDX)at), CENTRE);
        const float area = suppress_area(own);
        for (IDX t = 0; t < kept; t += WG) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (t + me < kept) {
                seen[me] = suppress_corners(BOX(box + (IDX)FOUND[list * MOST + t + me]), CENTRE);
                seen_area[me] = suppress_area(seen[me]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const int n = (int)min((IDX)WG, kept - t);
            for (int k = 0; k < n && alive; k++) alive = !suppress_overlap(own, area, seen[k], seen_area[k], limit);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        seen[me] = own;
        seen_area[me] = area;
        place[me] = at;
        lives[me] = (uint)alive;
        barrier(CLK_LOCAL_MEM_FENCE);
        // Which of those before it in the block it overlaps.
        for (int w = 0; w < WORDS; w++) {
            uint bits = 0;
            for (int k = 32 * w; k < min(32 * w + 32, me) && alive; k++)
                if (lives[k] && suppress_overlap(own, area, seen[k], seen_area[k], limit)) bits |= 1u << (k & 31);
            hits[w * WG + me] = bits;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me == 0) {
            uint chosen[WORDS];
            for (int w = 0; w < WORDS; w++) chosen[w] = 0;
            IDX n = kept;
            for (int k = 0; k < WG && n < MOST; k++) {
                if (!lives[k]) continue;
                uint any = 0;
                for (int w = 0; w < WORDS; w++) any |= hits[w * WG + k] & chosen[w];
                if (any) continue;
                chosen[k / 32] |= 1u << (k & 31);
                FOUND[list * MOST + n++] = place[k];
            }
            have = (uint)n;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        kept = (IDX)have;
        if (b + WG > BOXES || KEY_AT(b + WG - 1) == UINT_MAX) break; // the rest does not pass
    }
    if (me == 0) KEPT[list] = (uint)kept;
}

kernel void suppress_give(PARAMS) {
    const IDX me = (IDX)get_local_id(0), list = (IDX)get_group_id(0);
    const IDX batch = list / CLASSES, kind = list - batch * CLASSES, at = (IDX)OFFSETS[list];
    const IDX n = min((IDX)KEPT[list], max(CAPACITY - at, (IDX)0));
    for (IDX j = me; j < n; j += WG) ROW(at + j, batch, kind, FOUND[list * MOST + j]);
    const IDX all = (IDX)OFFSETS[LISTS - 1] + (IDX)KEPT[LISTS - 1];
    for (IDX r = all + list * WG + me; r < CAPACITY; r += LISTS * WG) ROW(r, -1, -1, -1);
    if (list == 0 && me == 0) TOTAL(min(all, CAPACITY));
}
