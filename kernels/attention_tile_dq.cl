// attention_tile_dq.cl: the gradient of attention by the queries for GPUs
//
//     P = exp(SCALE·Q·K^T + mask - L)    T = P · (DO·V^T - DELTA)    dQ = SCALE·T·K
//
// A query an item and keys in local memory, as in attention_tile.cl.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    LOAD_DO(b, r, e)    LOAD_L(b, r)
//         LOAD_DELTA(b, r)    MASK(b, r, n)    STORE_DQ(i, v)
// macros  ACC  type of the sums    D E  features    WG  items a group    BN  keys a step    HAS_MASK BANDED  as there
//         SCALE    SCALE2  SCALE·log2(e)    LOG2E
// sizes   M  queries of a group    ROWS  of all groups    N  keys
// launch  attention_tile_dq  global {ROWS padded, batches}  local {WG, 1}  local memory BN·(D + E) sums

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_tile_dq(PARAMS) {
    __local ACC keys[BN * D], values[BN * ROOM_E];
    const int id = (int)get_local_id(0);
    const IDX b = get_group_id(1), first = (IDX)get_group_id(0) * WG;
    const IDX r = min(first + id, (IDX)ROWS - 1);
    SEEN(first, r)

    ACC q[D], g[ROOM_E], dq[D];
    for (int d = 0; d < D; d++) {
        q[d] = (ACC)LOAD_Q(b, r, d) * SCALE2;
        dq[d] = 0;
    }
    for (int e = 0; e < E; e++)
        g[e] = (ACC)LOAD_DO(b, r, e);
    const ACC kept = (ACC)LOAD_L(b, r) * LOG2E, delta = (ACC)LOAD_DELTA(b, r);
    for (IDX key = from; key < to; key += BN) {
        const int count = (int)min((IDX)BN, to - key);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int x = id; x < count * D; x += WG)
            keys[x] = (ACC)LOAD_K(b, key + x / D, x % D);
        for (int x = id; x < count * E; x += WG)
            values[x] = (ACC)LOAD_V(b, key + x / ROOM_E, x % ROOM_E);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < count; j++) {
            ACC s = 0, t = 0;
            for (int d = 0; d < D; d++)
                s = FMA(q[d], keys[j * D + d], s);
            HIDE(s, b, r, key + j)
            for (int e = 0; e < E; e++)
                t = FMA(g[e], values[j * E + e], t);
            t = exp2(s - kept) * (t - delta);
            for (int d = 0; d < D; d++)
                dq[d] = FMA(t, keys[j * D + d], dq[d]);
        }
    }
    if (first + id < ROWS)
        for (int d = 0; d < D; d++)
            STORE_DQ((b * ROWS + r) * D + d, dq[d] * SCALE);
}
