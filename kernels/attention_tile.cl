// attention_tile.cl: attention for GPUs, a query an item and keys in local memory
//
//     O[b,r,e] = sum over n of softmax over n of (SCALE·sum over d of Q[b,r,d]·K[b,n,d] + mask) · V[b,n,e]
//     L[b,r]   = the logarithm of what the softmax divides by, +INFINITY without keys
//
// A work-group takes WG rows, the queries of all groups of a batch, and walks the keys that they
// see BN at a time: all items read the same element of local memory, which is one access. An item
// keeps its query, the running maximum and sum, and its row of the result in registers.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    MASK(b, r, n)  what is added, times log2(e)
//         STORE_O(i, v)    STORE_L(i, v) where WITH_L
// macros  ACC  type of the sums    D E  features    WG  items a group    BN  keys a step    HAS_MASK 0, 1 or 2
//         BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH    SCALE2  SCALE·log2(e)    LN2
// sizes   M  queries of a group    ROWS  of all groups    N  keys
// launch  attention_tile  global {ROWS padded, batches}  local {WG, 1}  local memory BN·(D + E) sums
// source  Dao et al., FlashAttention (2022); Milakov and Gimelshein, Online Normalizer Calculation
//         for Softmax (2018)

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_tile(PARAMS) {
    __local ACC keys[BN * D], values[BN * ROOM_E];
    const int id = (int)get_local_id(0);
    const IDX b = get_group_id(1), first = (IDX)get_group_id(0) * WG;
    const IDX r = min(first + id, (IDX)ROWS - 1);
    SEEN(first, r)

    ACC q[D], o[ROOM_E], top = -INFINITY, sum = 0;
    for (int d = 0; d < D; d++)
        q[d] = (ACC)LOAD_Q(b, r, d) * SCALE2;
    for (int e = 0; e < E; e++)
        o[e] = 0;
    for (IDX key = from; key < to; key += BN) {
        const int count = (int)min((IDX)BN, to - key);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int x = id; x < count * D; x += WG)
            keys[x] = (ACC)LOAD_K(b, key + x / D, x % D);
        for (int x = id; x < count * E; x += WG)
            values[x] = (ACC)LOAD_V(b, key + x / ROOM_E, x % ROOM_E);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < count; j++) {
            ACC s = 0;
            for (int d = 0; d < D; d++)
                s = FMA(q[d], keys[j * D + d], s);
            HIDE(s, b, r, key + j)
            if (s > top) {
                const ACC fade = exp2(top - s);
                for (int e = 0; e < E; e++)
                    o[e] *= fade;
                sum *= fade;
                top = s;
            }
            const ACC p = s == (ACC)-INFINITY ? (ACC)0 : exp2(s - top);
            for (int e = 0; e < E; e++)
                o[e] = FMA(p, values[j * E + e], o[e]);
            sum += p;
        }
    }
    if (first + id < ROWS) {
        const ACC part = sum == 0 ? (ACC)0 : 1 / sum;
        for (int e = 0; e < E; e++)
            STORE_O((b * ROWS + r) * E + e, o[e] * part);
#if WITH_L
        STORE_L(b * ROWS + r, sum == 0 ? (ACC)INFINITY : (top + log2(sum)) * LN2);
#endif
    }
}
