// rank/any_items.cl: access to sorted items, for kernels that continue after a sort
//
// rank/cpu_radix.cl and rank/gpu_blocks.cl leave them in A or B, RANK_EMIT in A.
//
// macros  PAIRS, KEY  see rank/any_keys.cl     TURNED  1: TURN says in which buffer a row is
// sizes   STRIDE  from row to row     PASSES  of the sort, where TURNED
// scratch A, B, TURN; POS_A, POS_B where PAIRS

#if TURNED
#define ROW_IN_B(r) TURN[(r) * (PASSES + 1) + PASSES]
#define ITEMS_OF(r) ((ROW_IN_B(r) ? B : A) + (r) * STRIDE)
#define PLACES_OF(r) ((ROW_IN_B(r) ? POS_B : POS_A) + (r) * STRIDE)
#else
#define ITEMS_OF(r) (A + (r) * STRIDE)
#define PLACES_OF(r) (POS_A + (r) * STRIDE)
#endif

// The key of item i, and where it stood, after FIND_ITEMS.
#if PAIRS
#define FIND_ITEMS(r) \
    __global const ulong *const items = ITEMS_OF(r); \
    __global const uint *const places = PLACES_OF(r); \
    (void)items; \
    (void)places;
#define KEY_AT(i) (items[i])
#define PLACE_AT(i) (places[i])
#define KEY_IN(r, i) (ITEMS_OF(r)[i]) // without it
#else
#define FIND_ITEMS(r) \
    __global const ulong *const items = ITEMS_OF(r); \
    (void)items;
#define KEY_AT(i) ((uint)(items[i] >> 32))
#define PLACE_AT(i) ((uint)items[i])
#define KEY_IN(r, i) ((uint)(ITEMS_OF(r)[i] >> 32))
#endif
