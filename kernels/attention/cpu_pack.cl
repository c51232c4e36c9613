// attention/cpu_pack.cl: pack the rows of an operand for attention/cpu_lane.cl
//
//     PACK[b][row][x] = LOAD(B_FROM + b, row, x)
//
// hooks   LOAD(b, r, x)  the value in its register type: a producer fuses in here
// macros  ACC  type of the pack    WIDTH  features    SPAN  rows an item
// sizes   COUNT  rows of a batch    B_FROM  the first batch
// launch  attention_pack  global {ceil(COUNT / SPAN), batches}  local {1, 1}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void attention_pack(PARAMS) {
    const IDX r0 = (IDX)get_global_id(0) * SPAN, r1 = min(r0 + SPAN, (IDX)COUNT);
    const IDX lot = get_global_id(1), b = B_FROM + lot;
    __global ACC *out = PACK + ((size_t)lot * COUNT + r0) * WIDTH;
    for (IDX r = r0; r < r1; r++, out += WIDTH)
        for (int x = 0; x < WIDTH; x++)
            out[x] = (ACC)LOAD(b, r, x);
}
