// attention/gpu_tile_dq.cl: the gradient of attention by the queries for GPUs
//
//     P = SHARE·2^(SCALE2·Q·K^T + mask - TOP)    T = P · (DO·V^T - DELTA)    dQ = SCALE·T·K
//
// PARTS items a query and keys in local memory, as in attention/gpu_tile.cl.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    LOAD_DO(b, r, e)    LOAD_TOP(b, r)
//         LOAD_SHARE(b, r)    LOAD_DELTA(b, r)    MASK(b, r, n)    STORE_DQ(i, v)
// macros  ACC  type of the sums    D E  features    LANES  rows a group    PARTS  items a row    LEAVES  see attention/gpu_shared.cl
//         BN  keys a step
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
//         HAS_MASK BANDED  as there    SCALE    SCALE2  SCALE·log2(e)
// sizes   M  queries of a group    ROWS  of all groups    N  keys
// launch  attention_tile_dq  global {ROWS padded · PARTS, batches}  local {LANES·PARTS, 1}
//         local memory BN·(D + E), and where PARTS > 1 2·BN·LANES·PARTS, sums

#define QUERY(x) LOAD_Q(b, r, x) * SCALE2
#define SLOPE(x) LOAD_DO(b, r, x)
#define KEY(p, x) LOAD_K(b, key + (p), x)
#define VALUE(p, x) LOAD_V(b, key + (p), x)
#define RESULT_DQ(i, v) STORE_DQ(i, v)

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_tile_dq(PARAMS) {
    __local ACC keys[BN * D_ROW], values[BN * E_ROW];
    SHARES(2)
    const int id = (int)get_local_id(0), lane = id % LANES, part = id / LANES;
    const IDX b = get_group_id(1), first = (IDX)get_group_id(0) * LANES;
    const IDX r = min(first + lane, (IDX)ROWS - 1);
    SEEN(first, r)

    ACC q[D_PART], g[E_PART], dq[D_PART];
    KEEP(q, QUERY, D, D_PART)
    KEEP(g, SLOPE, E, E_PART)
    FEATURES
    for (int i = 0; i < D_PART; i++)
        dq[i] = 0;
    TOTALS(ACC, dq, D_PART)
#if LONG
    int steps = 0;
#endif
    const ACC top = (ACC)LOAD_TOP(b, r), delta = (ACC)LOAD_DELTA(b, r);
    for (IDX key = from; key < to; key += BN) {
        const int count = (int)min((IDX)BN, to - key);
        barrier(CLK_LOCAL_MEM_FENCE);
        BRING(keys, KEY, D, D_ROW)
        BRING(values, VALUE, E, E_ROW)
        barrier(CLK_LOCAL_MEM_FENCE);
        PREPARE_SCORES(q, keys)
        PREPARE(1, g, values, E_PART, E_ROW)
        PREPARED
        for (int j = 0; j < count; j++) {
            ACC s = 0, t = 0;
            TAKE_SCORE(s, q, keys, j)
            HIDE(s, b, r, key + j)
            TAKE(t, 1, g, values, j, E_PART, E_ROW)
            t = weight(s, top) * (t - delta);
            ADD(dq, t, keys, j, D_PART, D_ROW)
        }
#if LONG
        if (STEPPED) {
            TO_TOTALS(ACC, dq, D_PART, dq, (ACC)1)
        }
#endif
    }
    FROM_TOTALS(ACC, dq, D_PART, dq, (ACC)1)
    if (first + lane < ROWS)
        GIVE(RESULT_DQ, b * ROWS + r, dq, (ACC)LOAD_SHARE(b, r) * SCALE, D, D_PART)
}
