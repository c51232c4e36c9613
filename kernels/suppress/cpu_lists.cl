// suppress/cpu_lists.cl: select boxes by falling score unless they overlap one selected before, on a CPU driver: an item has
// whole lists. A list is a class in a batch.
//
// hooks   SCORE_BITS(i)  score i as uint    BOX(i)  float4    ROW(r, batch, class, box)  result r    TOTAL(n)  how many there are
// macros  CENTRE  1: boxes are centre x, y, width and height
// sizes   LISTS, CLASSES, BOXES     MOST  selected of a list     CAPACITY  of all     LEAST, LIMIT  see suppress/any_overlap.cl: bits
//         ITEMS     STRIDE, ROOM  the room of an item for boxes, and for what it has selected, a multiple of SIDE
//         PARTS of SPAN lists and of RSPAN results
// launch  suppress_lists  global {ITEMS}  local {1}
//         suppress_write  global {PARTS}  local {1}
// scratch A, B  STRIDE boxes an item, keys above     CORNERS  five planes of ROOM an item
//         FOUND  [LISTS, MOST]     KEPT  [LISTS] how many
// note    SIDE boxes are compared at a time; those that are not there have no area
// source  Neubeck and Van Gool, Efficient Non-Maximum Suppression (2006): greedy

#define SIDE 32
#define FEW 24

// Sorts a by the key, digit by digit; t has room for as many. Returns where they are.
INLINE __global ulong *sort_boxes(__global ulong *a, __global ulong *t, const uint n, __local uint *counts) {
    if (n <= FEW) {
        for (uint i = 1; i < n; i++) {
            const ulong e = a[i];
            uint j = i;
            for (; j > 0 && a[j - 1] > e; j--) a[j] = a[j - 1];
            a[j] = e;
        }
        return a;
    }
    for (int d = 0; d < 1024; d++) counts[d] = 0;
    for (uint i = 0; i < n; i++) {
        const uint k = (uint)(a[i] >> 32);
        counts[k & 255]++;
        counts[256 + (k >> 8 & 255)]++;
        counts[512 + (k >> 16 & 255)]++;
        counts[768 + (k >> 24)]++;
    }
    for (int s = 0; s < 4; s++) {
        __local uint *const c = counts + 256 * s;
        uint before = 0;
        int moves = 1;
        for (int d = 0; d < 256; d++) {
            const uint v = c[d];
            if (v == n) moves = 0;
            c[d] = before;
            before += v;
        }
        if (!moves) continue;
        for (uint i = 0; i < n; i++) {
            const ulong e = a[i];
            t[c[(uint)(e >> (32 + 8 * s)) & 255]++] = e;
        }
        __global ulong *const turned = a;
        a = t;
        t = turned;
    }
    return a;
}

kernel void suppress_lists(PARAMS) {
    WIDE_VECTORS
    __local uint counts[1024];
    const IDX item = (IDX)get_global_id(0);
    const uint least = (uint)LEAST;
    const float limit = as_float((uint)LIMIT);
    __global float *const top = CORNERS + item * 5 * ROOM, *const left = top + ROOM, *const bottom = left + ROOM;
    __global float *const right = bottom + ROOM, *const areas = right + ROOM;
    for (IDX list = item; list < LISTS; list += ITEMS) {
        __global ulong *a = A + item * STRIDE;
        const IDX base = list * BOXES, box = list / CLASSES * BOXES;
        uint n = 0;
        for (IDX i = 0; i < BOXES; i++) {
            const uint k = suppress_key(SCORE_BITS(base + i), least);
            if (k != UINT_MAX) a[n++] = (ulong)k << 32 | (uint)i;
        }
        a = sort_boxes(a, B + item * STRIDE, n, counts);
        IDX kept = 0;
        for (uint i = 0; i < n && kept < MOST; i++) {
            const uint b = (uint)a[i];
            const float4 own = suppress_corners(BOX(box + (IDX)b), CENTRE);
            const float area = suppress_area(own);
            int hit = 0;
            for (IDX k = 0; k < kept && !hit; k += SIDE) {
#define FROM_HERE(p, j) vload16(0, (p) + (j))
#define SIXTEEN(j) suppress_overlaps( \
        own, area, FROM_HERE(top, j), FROM_HERE(left, j), FROM_HERE(bottom, j), FROM_HERE(right, j), FROM_HERE(areas, j), limit)
                const int16 v = SIXTEEN(k) | SIXTEEN(k + 16);
                const int8 w = v.lo | v.hi;
                const int4 x = w.lo | w.hi;
                hit = (x.s0 | x.s1 | x.s2 | x.s3) & (area > 0);
            }
            if (hit) continue;
            if (kept % SIDE == 0)
                for (int k = 0; k < SIDE; k++) top[kept + k] = left[kept + k] = bottom[kept + k] = right[kept + k] = areas[kept + k] = 0;
            top[kept] = own.s0;
            left[kept] = own.s1;
            bottom[kept] = own.s2;
            right[kept] = own.s3;
            areas[kept] = area;
            FOUND[list * MOST + kept++] = b;
        }
        KEPT[list] = (uint)kept;
    }
}

kernel void suppress_write(PARAMS) {
    const IDX part = (IDX)get_global_id(0), first = min(part * SPAN, LISTS), last = min(first + SPAN, LISTS);
    IDX at = 0, all = 0;
    for (IDX l = 0; l < LISTS; l++) {
        if (l < first) at += (IDX)KEPT[l];
        all += (IDX)KEPT[l];
    }
    for (IDX l = first; l < last; l++) {
        const IDX batch = l / CLASSES, kind = l - batch * CLASSES, n = min((IDX)KEPT[l], max(CAPACITY - at, (IDX)0));
        for (IDX j = 0; j < n; j++) ROW(at + j, batch, kind, FOUND[l * MOST + j]);
        at += (IDX)KEPT[l];
    }
    const IDX to = min(part * RSPAN + RSPAN, CAPACITY);
    for (IDX r = max(part * RSPAN, all); r < to; r++) ROW(r, -1, -1, -1);
    if (part == 0) TOTAL(min(all, CAPACITY));
}
