// attention/gpu_block_dkv.cl: the gradients of attention by keys and values for GPUs, by blocks
//
//     P = SHARE·2^(SCALE2·Q·K^T + mask - TOP)    T = P · (DO·V^T - DELTA)    dK = SCALE·T^T·Q    dV = P^T·DO
//
// Four products of a block of keys and one of the rows that see them, the queries of all groups of a batch, out of
// local memory, as in attention/gpu_block.cl. Each sum has one owner and one order.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    LOAD_DO(b, r, e)    LOAD_TOP(b, r)
//         LOAD_SHARE(b, r)    LOAD_DELTA(b, r)    MASK(b, r, n)    STORE_DK(i, v)    STORE_DV(i, v)
//         Q_AT(b, r, d)    K_AT(b, n, d)    V_AT(b, n, e)    DO_AT(b, r, e)  positions, where L_Q, ... are 1
// macros  ACC  float    D E  features    BM BN RM RN  see attention/gpu_block_shared.cl
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
//         HAS_MASK BANDED  as there    SCALE2  SCALE·log2(e)    LN2
// sizes   M  queries of a group    ROWS  of all groups    N  keys    BLOCKS  of keys    BATCHES
//         AT_ONCE 1: all groups run at the same time    UNITS    ALL_GROUPS
// launch  attention_block_dkv  global {BLOCKS·BATCHES·BM/RM·BN/RN}  local {BM/RM·BN/RN}
//         local memory (BM + BN)·(D + E) + 2·BM·BN + 3·BN floats, rows as D_ROW and E_ROW say

#define RESULT_DK(i, v) STORE_DK(i, v)
#define RESULT_DV(i, v) STORE_DV(i, v)
#define HEAVY_FIRST(block) (block)

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_block_dkv(PARAMS) {
    __local float4 keys[BM * D_ROW], values[BM * E_ROW], queries[BN * D_ROW], slopes[BN * E_ROW];
    __local float weights[BM * BN], changes[BM * BN], tops[BN], parts[BN], delta[BN];
    const int id = (int)get_local_id(0), tx = id % TX, ty = id / TX;
    WHICH

    const int own = (int)min((IDX)BM, (IDX)N - first);
    BRING_OWN(keys, K, own, D4, D, D_ROW, 1.0f)
    BRING_OWN(values, V, own, E4, E, E_ROW, 1.0f)
    float dk[RM * 4 * D_ITS], dv[RM * 4 * E_ITS];
    NOTHING(dk, RM * 4 * D_ITS)
    NOTHING(dv, RM * 4 * E_ITS)
    TOTALS(ACC, dk, RM * 4 * D_ITS)
    TOTALS(ACC, dv, RM * 4 * E_ITS)
#if LONG
    int steps = 0;
#endif
    for (IDX group = 0; group < ROWS; group += M) {
#if BANDED
        const IDX from = group + max((IDX)0, first - HIGH), to = group + min((IDX)M, first + BM - LOW);
#else
        const IDX from = group, to = group + M;
#endif
        for (IDX row = from; row < to; row += BN) {
            const int count = (int)min((IDX)BN, to - row);
            float4 next[LOT(BN, D4)], more[LOT(BN, E4)];
            FETCH(next, Q, row, count, BN, D4)
            FETCH(more, DO, row, count, BN, E4)
            barrier(CLK_LOCAL_MEM_FENCE);
            BRING(queries, next, Q, row, count, BN, D4, D, D_ROW, SCALE2) // as for the forward pass: scores are the same
            BRING(slopes, more, DO, row, count, BN, E4, E, E_ROW, 1.0f)
            for (int x = id; x < count; x += WG) {
                tops[x] = (float)LOAD_TOP(b, row + x);
                parts[x] = (float)LOAD_SHARE(b, row + x);
                delta[x] = (float)LOAD_DELTA(b, row + x);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            float s[RM][RN], t[RM][RN];
            SCORES(s, keys, queries, D4, D_ROW)
            SCORES(t, values, slopes, E4, E_ROW)
            UNROLL
            for (int j = 0; j < RN; j++) {
                const int other = tx + TX * j;
                UNROLL
                for (int i = 0; i < RM; i++) {
                    float p = 0, v = 0;
                    if (other < count && first + ty + TY * i < N) {
                        HIDE(s[i][j], b, row + other, row + other - group, first + ty + TY * i)
                        p = weight(s[i][j], tops[other]) * parts[other];
                        v = p * (t[i][j] - delta[other]);
                    }
                    weights[(ty + TY * i) * BN + other] = p;
                    changes[(ty + TY * i) * BN + other] = v;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            TIMES(dv, weights, slopes, E4, E_ROW, E_ITS)
            TIMES(dk, changes, queries, D4, D_ROW, D_ITS)
#if LONG
            if (STEPPED) {
                TO_TOTALS(ACC, dk, RM * 4 * D_ITS, dk, 1.0f)
                TO_TOTALS(ACC, dv, RM * 4 * E_ITS, dv, 1.0f)
            }
#endif
        }
    }
    FROM_TOTALS(ACC, dk, RM * 4 * D_ITS, dk, 1.0f)
    FROM_TOTALS(ACC, dv, RM * 4 * E_ITS, dv, 1.0f)
    UNROLL
    for (int i = 0; i < RM; i++) {
        const IDX n = first + ty + TY * i;
        if (n < N) {
            GIVE(RESULT_DK, b * N + n, dk, i, LN2, D, D_ITS) // queries are scaled by SCALE / LN2
            GIVE(RESULT_DV, b * N + n, dv, i, 1.0f, E, E_ITS)
        }
    }
}
