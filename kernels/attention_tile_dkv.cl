// attention_tile_dkv.cl: the gradients of attention by keys and values for GPUs
//
//     P = exp(SCALE·Q·K^T + mask - L)    T = P · (DO·V^T - DELTA)    dK = SCALE·T^T·Q    dV = P^T·DO
//
// A key an item; the rows that see it, the queries of all groups of a batch, pass through local
// memory BN at a time. Each sum has one owner and one order.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    LOAD_DO(b, r, e)    LOAD_L(b, r)
//         LOAD_DELTA(b, r)    MASK(b, r, n)    STORE_DK(i, v)    STORE_DV(i, v)
// macros  ACC  type of the sums    D E  features    WG  items a group    BN  rows a step    HAS_MASK 0, 1 or 2
//         BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH    SCALE    SCALE2  SCALE·log2(e)    LOG2E
// sizes   M  queries of a group    ROWS  of all groups    N  keys
// launch  attention_tile_dkv  global {N padded, batches}  local {WG, 1}  local memory BN·(D + E + 2) sums

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_tile_dkv(PARAMS) {
    __local ACC queries[BN * D], slopes[BN * ROOM_E], kept[BN], delta[BN];
    const int id = (int)get_local_id(0);
    const IDX b = get_group_id(1), first = (IDX)get_group_id(0) * WG;
    const IDX n = min(first + id, (IDX)N - 1);

    ACC k[D], w[ROOM_E], dk[D], dv[ROOM_E];
    for (int d = 0; d < D; d++) {
        k[d] = (ACC)LOAD_K(b, n, d) * SCALE2;
        dk[d] = 0;
    }
    for (int e = 0; e < E; e++) {
        w[e] = (ACC)LOAD_V(b, n, e);
        dv[e] = 0;
    }
    for (IDX group = 0; group < ROWS; group += M) {
#if BANDED
        const IDX from = group + max((IDX)0, first - HIGH), to = group + min((IDX)M, first + WG - LOW);
#else
        const IDX from = group, to = group + M;
#endif
        for (IDX row = from; row < to; row += BN) {
            const int count = (int)min((IDX)BN, to - row);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int x = id; x < count * D; x += WG)
                queries[x] = (ACC)LOAD_Q(b, row + x / D, x % D);
            for (int x = id; x < count * E; x += WG)
                slopes[x] = (ACC)LOAD_DO(b, row + x / ROOM_E, x % ROOM_E);
            for (int x = id; x < count; x += WG) {
                kept[x] = (ACC)LOAD_L(b, row + x) * LOG2E;
                delta[x] = (ACC)LOAD_DELTA(b, row + x);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int j = 0; j < count; j++) {
                ACC s = 0, t = 0;
                for (int d = 0; d < D; d++)
                    s = FMA(k[d], queries[j * D + d], s);
#if BANDED
                const IDX low = row + j - group + LOW, high = row + j - group + HIGH;
#endif
                HIDE(s, b, row + j, n)
                const ACC p = exp2(s - kept[j]);
                for (int e = 0; e < E; e++) {
                    t = FMA(w[e], slopes[j * E + e], t);
                    dv[e] = FMA(p, slopes[j * E + e], dv[e]);
                }
                t = p * (t - delta[j]);
                for (int d = 0; d < D; d++)
                    dk[d] = FMA(t, queries[j * D + d], dk[d]);
            }
        }
    }
    if (first + id < N) {
        for (int d = 0; d < D; d++)
            STORE_DK((b * N + n) * D + d, dk[d] * SCALE);
        for (int e = 0; e < E; e++)
            STORE_DV((b * N + n) * E + e, dv[e]);
    }
}
