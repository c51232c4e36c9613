// unique/any_order.cl: rows of WIDTH elements as the items that are sorted and numbered
//
//     row_order is less than 0 where row a comes before row b at the first element in which they differ, 0 where they are
//     equal; FIND_ITEMS, KEY_AT and PLACE_AT are as rank/any_items.cl has them
//
// sizes   WIDTH elements of a row     TURN  0: the rows' places are in A, 1: in B

#define FIND_ITEMS(r) \
    __global const uint *const places = TURN ? B : A; \
    (void)places;
#define KEY_AT(i) 0
#define PLACE_AT(i) (places[i])
#define ROW(p) (&BITS_AT((IDX)(p) * WIDTH))

INLINE int row_order(__global const BITS *a, __global const BITS *b, const IDX width) {
    for (IDX k = 0; k < width; k++) {
        const KEY x = rank_key(a[k]), y = rank_key(b[k]);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}
