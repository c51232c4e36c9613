// attention/gpu_block.cl: attention for GPUs, by blocks of queries and keys whose sums stand in registers
//
//     O[b,r,e] = sum over n of softmax over n of (SCALE·sum over d of Q[b,r,d]·K[b,n,d] + mask) · V[b,n,e]
//     TOP[b,r]   = log2(e) times the largest score, see attention/any_top.cl; +INFINITY without keys
//     SHARE[b,r] = one over the sum of the weights 2^(log2(e)·score - TOP), 0 without keys
//
// A group takes BM rows, the queries of all groups of a batch, and walks the keys that they see BN at a time:
// the scores of a step are a product out of local memory, the weights go back there, where the keys were, and the
// result is a second product. The items of a row exchange their maxima in each step, and add up their sums in the end.
// What the next product needs is read from memory during the present one.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    MASK(b, r, n)  what is added, times log2(e)
//         STORE_O(i, v)    STORE_TOP(i, v) STORE_SHARE(i, v) where WITH_TOPS
//         Q_AT(b, r, d)    K_AT(b, n, d)    V_AT(b, n, e)  positions, where L_Q, ... are 1
// macros  ACC  float    D E  features    BM BN RM RN  see attention/gpu_block_shared.cl
//         HAS_MASK 0, 1 or 2
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
//         BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH    SCALE2  SCALE·log2(e)
// sizes   M  queries of a group    ROWS  of all groups    N  keys    BLOCKS  of rows    BATCHES
//         AT_ONCE 1: all groups run at the same time    UNITS    ALL_GROUPS
// launch  attention_block  global {BLOCKS·BATCHES·BM/RM·BN/RN}  local {BM/RM·BN/RN}
//         local memory BM·D + max(BN·D, BM·BN) + BN·E + BM·BN/RN floats, rows as D_ROW and E_ROW say
// source  Dao et al., FlashAttention (2022); Milakov and Gimelshein, Online Normalizer Calculation
//         for Softmax (2018)

#define RESULT_O(i, v) STORE_O(i, v)
#define HEAVY_FIRST(block) (BLOCKS - 1 - (block))
#define KEYS (BN * D_ROW > BM * BN / 4 ? BN * D_ROW : BM * BN / 4)
#define KEPT (LOT(BN, D4) > LOT(BN, E4) ? LOT(BN, D4) : LOT(BN, E4))

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_block(PARAMS) {
    __local float4 queries[BM * D_ROW], keys[KEYS], values[BN * E_ROW];
    __local float each[BM * TX];
    __local float *const weights = (__local float *)keys;
    const int id = (int)get_local_id(0), tx = id % TX, ty = id / TX;
    WHICH
    SEEN(first)
    OWN_ROWS

    BRING_OWN(queries, Q, (int)min((IDX)BM, (IDX)ROWS - first), D4, D, D_ROW, SCALE2)
    float o[RM * 4 * E_ITS], top[RM], sum[RM];
    NOTHING(o, RM * 4 * E_ITS)
    UNROLL
    for (int i = 0; i < RM; i++) {
        top[i] = -INFINITY;
        sum[i] = 0;
    }
    TOTALS(ACC, o, RM * 4 * E_ITS)
    TOTALS(ACC, sum, RM)
#if LONG
    int steps = 0;
    float base[RM]; // of the totals
    for (int i = 0; i < RM; i++)
        base[i] = -INFINITY;
#define FADED(i) (base[i] == -INFINITY ? 0.0f : exp2(base[i] - top[i]))
#endif
    float4 next[KEPT];
    if (from < to) {
        FETCH(next, K, from, (int)min((IDX)BN, to - from), BN, D4)
    }
    for (IDX key = from; key < to; key += BN) {
        const int count = (int)min((IDX)BN, to - key);
        barrier(CLK_LOCAL_MEM_FENCE);
        BRING(keys, next, K, key, count, BN, D4, D, D_ROW, 1.0f)
        barrier(CLK_LOCAL_MEM_FENCE);
        FETCH(next, V, key, count, BN, E4)
        float s[RM][RN];
        SCORES(s, queries, keys, D4, D_ROW)
        BRING(values, next, V, key, count, BN, E4, E, E_ROW, 1.0f)
        UNROLL
        for (int i = 0; i < RM; i++) {
            float most = -INFINITY;
            UNROLL
            for (int j = 0; j < RN; j++) {
                if (tx + TX * j >= count)
                    s[i][j] = -INFINITY;
#if HAS_MASK || BANDED
                else {
                    HIDE(s[i][j], b, rows[i], nears[i], key + tx + TX * j)
                }
#endif
                most = max(most, s[i][j]);
            }
            each[(ty + TY * i) * TX + tx] = most;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (int i = 0; i < RM; i++) {
            float most = top[i];
            UNROLL
            for (int j = 0; j < TX; j++)
                most = max(most, each[(ty + TY * i) * TX + j]);
            const float from_ = most == -INFINITY ? 0.0f : most, fade = exp2(top[i] - from_);
            top[i] = most;
            sum[i] *= fade;
            UNROLL
            for (int e = 0; e < 4 * E_ITS; e++)
                o[i * 4 * E_ITS + e] *= fade;
            UNROLL
            for (int j = 0; j < RN; j++) {
                const float p = exp2(s[i][j] - from_);
                sum[i] += p;
                weights[(ty + TY * i) * BN + tx + TX * j] = p;
            }
        }
        if (key + BN < to) {
            FETCH(next, K, key + BN, (int)min((IDX)BN, to - key - BN), BN, D4)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        TIMES(o, weights, values, E4, E_ROW, E_ITS)
#if LONG
        if (STEPPED) {
            TO_TOTALS(ACC, o, RM * 4 * E_ITS, o, FADED(i_ / (4 * E_ITS)))
            TO_TOTALS(ACC, sum, RM, sum, FADED(i_))
            UNROLL
            for (int i = 0; i < RM; i++)
                base[i] = top[i];
        }
#endif
    }
#if LONG
    FROM_TOTALS(ACC, o, RM * 4 * E_ITS, o, FADED(i_ / (4 * E_ITS)))
    FROM_TOTALS(ACC, sum, RM, sum, FADED(i_))
#endif
    UNROLL
    for (int i = 0; i < RM; i++)
        each[(ty + TY * i) * TX + tx] = sum[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (int i = 0; i < RM; i++) {
        const IDX r = first + ty + TY * i;
        if (r < ROWS) {
            float all = 0;
            UNROLL
            for (int j = 0; j < TX; j++)
                all += each[(ty + TY * i) * TX + j];
            const float share = all == 0 ? 0.0f : 1 / all;
            GIVE(RESULT_O, b * ROWS + r, o, i, share, E, E_ITS)
#if WITH_TOPS
            if (tx == 0) {
                STORE_TOP(b * ROWS + r, all == 0 ? INFINITY : rounded_down(top[i]));
                STORE_SHARE(b * ROWS + r, share);
            }
#endif
        }
    }
}
