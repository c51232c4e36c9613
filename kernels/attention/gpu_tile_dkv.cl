// attention/gpu_tile_dkv.cl: the gradients of attention by keys and values for GPUs
//
//     P = SHARE·2^(SCALE2·Q·K^T + mask - TOP)    T = P · (DO·V^T - DELTA)    dK = SCALE·T^T·Q    dV = P^T·DO
//
// PARTS items a key, as in attention/gpu_tile.cl; the rows that see it, the queries of all groups of a batch, pass through local
// memory BN at a time. Each sum has one owner and one order.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    LOAD_DO(b, r, e)    LOAD_TOP(b, r)
//         LOAD_SHARE(b, r)    LOAD_DELTA(b, r)    MASK(b, r, n)    STORE_DK(i, v)    STORE_DV(i, v)
// macros  ACC  type of the sums    D E  features    LANES  keys a group    PARTS  items a key    LEAVES  see attention/gpu_shared.cl
//         BN  rows a step
//            HAS_MASK 0, 1 or 2
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
//         BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH    SCALE2  SCALE·log2(e)    LN2
// sizes   M  queries of a group    ROWS  of all groups    N  keys
// launch  attention_tile_dkv  global {N padded · PARTS, batches}  local {LANES·PARTS, 1}
//         local memory BN·(D + E + 3), and where PARTS > 1 2·BN·LANES·PARTS, sums

#define THIS_KEY(x) LOAD_K(b, n, x)
#define THIS_VALUE(x) LOAD_V(b, n, x)
#define QUERY(p, x) LOAD_Q(b, row + (p), x) * SCALE2 // as for the forward pass: scores are the same
#define SLOPE(p, x) LOAD_DO(b, row + (p), x)
#define RESULT_DK(i, v) STORE_DK(i, v)
#define RESULT_DV(i, v) STORE_DV(i, v)

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_tile_dkv(PARAMS) {
    __local ACC queries[BN * D_ROW], slopes[BN * E_ROW], tops[BN], parts[BN], delta[BN];
    SHARES(2)
    const int id = (int)get_local_id(0), lane = id % LANES, part = id / LANES;
    const IDX b = get_group_id(1), first = (IDX)get_group_id(0) * LANES;
    const IDX n = min(first + lane, (IDX)N - 1);

    ACC k[D_PART], w[E_PART], dk[D_PART], dv[E_PART];
    KEEP(k, THIS_KEY, D, D_PART)
    KEEP(w, THIS_VALUE, E, E_PART)
    FEATURES
    for (int i = 0; i < D_PART; i++)
        dk[i] = 0;
    FEATURES
    for (int i = 0; i < E_PART; i++)
        dv[i] = 0;
    TOTALS(ACC, dk, D_PART)
    TOTALS(ACC, dv, E_PART)
#if LONG
    int steps = 0;
#endif
    for (IDX group = 0; group < ROWS; group += M) {
#if BANDED
        const IDX from = group + max((IDX)0, first - HIGH), to = group + min((IDX)M, first + LANES - LOW);
#else
        const IDX from = group, to = group + M;
#endif
        for (IDX row = from; row < to; row += BN) {
            const int count = (int)min((IDX)BN, to - row);
            barrier(CLK_LOCAL_MEM_FENCE);
            BRING(queries, QUERY, D, D_ROW)
            BRING(slopes, SLOPE, E, E_ROW)
            for (int x = id; x < count; x += WG) {
                tops[x] = (ACC)LOAD_TOP(b, row + x);
                parts[x] = (ACC)LOAD_SHARE(b, row + x);
                delta[x] = (ACC)LOAD_DELTA(b, row + x);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            PREPARE_SCORES(k, queries)
            PREPARE(1, w, slopes, E_PART, E_ROW)
            PREPARED
            for (int j = 0; j < count; j++) {
                ACC s = 0, t = 0;
                TAKE_SCORE(s, k, queries, j)
#if BANDED
                const IDX low = row + j - group + LOW, high = row + j - group + HIGH;
#endif
                HIDE(s, b, row + j, n)
                const ACC p = weight(s, tops[j]) * parts[j];
                TAKE(t, 1, w, slopes, j, E_PART, E_ROW)
                t = p * (t - delta[j]);
                ADD(dv, p, slopes, j, E_PART, E_ROW)
                ADD(dk, t, queries, j, D_PART, D_ROW)
            }
#if LONG
            if (STEPPED) {
                TO_TOTALS(ACC, dk, D_PART, dk, (ACC)1)
                TO_TOTALS(ACC, dv, E_PART, dv, (ACC)1)
            }
#endif
        }
    }
    FROM_TOTALS(ACC, dk, D_PART, dk, (ACC)1)
    FROM_TOTALS(ACC, dv, E_PART, dv, (ACC)1)
    if (first + lane < N) {
        GIVE(RESULT_DK, b * N + n, dk, LN2, D, D_PART) // queries are scaled by SCALE / LN2
        GIVE(RESULT_DV, b * N + n, dv, 1, E, E_PART)
    }
}
