// attention/gpu_block_dq.cl: the gradient of attention by the queries for GPUs, by blocks
//
//     P = SHARE·2^(SCALE2·Q·K^T + mask - TOP)    T = P · (DO·V^T - DELTA)    dQ = SCALE·T·K
//
// Three products of a block of queries and one of keys out of local memory, as in attention/gpu_block.cl.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    LOAD_DO(b, r, e)    LOAD_TOP(b, r)
//         LOAD_SHARE(b, r)    LOAD_DELTA(b, r)    MASK(b, r, n)    STORE_DQ(i, v)
//         Q_AT(b, r, d)    K_AT(b, n, d)    V_AT(b, n, e)    DO_AT(b, r, e)  positions, where L_Q, ... are 1
// macros  ACC  float    D E  features    BM BN RM RN  see attention/gpu_block_shared.cl
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
//         HAS_MASK BANDED  as there    SCALE    SCALE2  SCALE·log2(e)
// sizes   M  queries of a group    ROWS  of all groups    N  keys    BLOCKS  of rows    BATCHES
//         AT_ONCE 1: all groups run at the same time    UNITS    ALL_GROUPS
// launch  attention_block_dq  global {BLOCKS·BATCHES·BM/RM·BN/RN}  local {BM/RM·BN/RN}
//         local memory (BM + BN)·(D + E) + BM·BN floats, rows as D_ROW and E_ROW say

#define RESULT_DQ(i, v) STORE_DQ(i, v)
#define HEAVY_FIRST(block) (BLOCKS - 1 - (block))

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_block_dq(PARAMS) {
    __local float4 queries[BM * D_ROW], slopes[BM * E_ROW], keys[BN * D_ROW], values[BN * E_ROW];
    __local float weights[BM * BN];
    const int id = (int)get_local_id(0), tx = id % TX, ty = id / TX;
    WHICH
    SEEN(first)
    OWN_ROWS

    const int own = (int)min((IDX)BM, (IDX)ROWS - first);
    BRING_OWN(queries, Q, own, D4, D, D_ROW, SCALE2)
    BRING_OWN(slopes, DO, own, E4, E, E_ROW, 1.0f)
    float dq[RM * 4 * D_ITS], top[RM], delta[RM];
    NOTHING(dq, RM * 4 * D_ITS)
    UNROLL
    for (int i = 0; i < RM; i++) {
        top[i] = (float)LOAD_TOP(b, rows[i]);
        delta[i] = (float)LOAD_DELTA(b, rows[i]);
    }
    TOTALS(ACC, dq, RM * 4 * D_ITS)
#if LONG
    int steps = 0;
#endif
    for (IDX key = from; key < to; key += BN) {
        const int count = (int)min((IDX)BN, to - key);
        float4 next[LOT(BN, D4)], other[LOT(BN, E4)];
        FETCH(next, K, key, count, BN, D4)
        FETCH(other, V, key, count, BN, E4)
        barrier(CLK_LOCAL_MEM_FENCE);
        BRING(keys, next, K, key, count, BN, D4, D, D_ROW, 1.0f)
        BRING(values, other, V, key, count, BN, E4, E, E_ROW, 1.0f)
        barrier(CLK_LOCAL_MEM_FENCE);
        float s[RM][RN], t[RM][RN];
        SCORES(s, queries, keys, D4, D_ROW)
        SCORES(t, slopes, values, E4, E_ROW)
        UNROLL
        for (int i = 0; i < RM; i++)
            UNROLL
            for (int j = 0; j < RN; j++) {
                float v = 0;
                if (tx + TX * j < count) {
                    HIDE(s[i][j], b, rows[i], nears[i], key + tx + TX * j)
                    v = weight(s[i][j], top[i]) * (t[i][j] - delta[i]);
                }
                weights[(ty + TY * i) * BN + tx + TX * j] = v;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        TIMES(dq, weights, keys, D4, D_ROW, D_ITS)
#if LONG
        if (STEPPED) {
            TO_TOTALS(ACC, dq, RM * 4 * D_ITS, dq, 1.0f)
        }
#endif
    }
    FROM_TOTALS(ACC, dq, RM * 4 * D_ITS, dq, 1.0f)
    UNROLL
    for (int i = 0; i < RM; i++)
        if (first + ty + TY * i < ROWS)
            GIVE(RESULT_DQ, b * ROWS + rows[i], dq, i, (float)LOAD_SHARE(b, rows[i]) * SCALE, D, D_ITS)
}
