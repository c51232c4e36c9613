// attention/gpu_tile.cl: attention for GPUs, a query an item and keys in local memory
//
//     O[b,r,e] = sum over n of softmax over n of (SCALE·sum over d of Q[b,r,d]·K[b,n,d] + mask) · V[b,n,e]
//     TOP[b,r]   = log2(e) times the largest score, see attention/any_top.cl; +INFINITY without keys
//     SHARE[b,r] = one over the sum of the weights 2^(log2(e)·score - TOP), 0 without keys
//
// A work-group takes LANES rows, the queries of all groups of a batch, and walks the keys that they
// see BN at a time: neighbours read the same element of local memory, which is one access. PARTS
// items share a row: each keeps a part of its features, of the query and of the result, and all the
// running maximum and sum.
//
// hooks   LOAD_Q(b, r, d)    LOAD_K(b, n, d)    LOAD_V(b, n, e)    MASK(b, r, n)  what is added, times log2(e)
//         STORE_O(i, v)    STORE_TOP(i, v) STORE_SHARE(i, v) where WITH_TOPS
// macros  ACC  type of the sums    D E  features    LANES  rows a group    PARTS  items a row    LEAVES  see attention/gpu_shared.cl
//         BN  keys a step
//         HAS_MASK 0, 1 or 2
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
//         BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH    SCALE2  SCALE·log2(e)
// sizes   M  queries of a group    ROWS  of all groups    N  keys
// launch  attention_tile  global {ROWS padded · PARTS, batches}  local {LANES·PARTS, 1}
//         local memory BN·(D + E), and where PARTS > 1 BN·LANES·PARTS, sums
// source  Dao et al., FlashAttention (2022); Milakov and Gimelshein, Online Normalizer Calculation
//         for Softmax (2018)

#define QUERY(x) LOAD_Q(b, r, x) * SCALE2
#define KEY(p, x) LOAD_K(b, key + (p), x)
#define VALUE(p, x) LOAD_V(b, key + (p), x)
#define RESULT_O(i, v) STORE_O(i, v)

__attribute__((reqd_work_group_size(WG, 1, 1)))
kernel void attention_tile(PARAMS) {
    __local ACC keys[BN * D_ROW], values[BN * E_ROW];
    SHARES(1)
    const int id = (int)get_local_id(0), lane = id % LANES, part = id / LANES;
    const IDX b = get_group_id(1), first = (IDX)get_group_id(0) * LANES;
    const IDX r = min(first + lane, (IDX)ROWS - 1);
    SEEN(first, r)

    ACC q[D_PART], o[E_PART], top = -INFINITY, sum = 0;
    KEEP(q, QUERY, D, D_PART)
    FEATURES
    for (int i = 0; i < E_PART; i++)
        o[i] = 0;
    TOTALS(ACC, o, E_PART)
    TOTALS(ACC, sum, 1)
#if LONG
    int steps = 0;
    ACC base = -INFINITY; // of the totals
#define FADED (base == (ACC)-INFINITY ? (ACC)0 : exp2(base - top))
#endif
    for (IDX key = from; key < to; key += BN) {
        const int count = (int)min((IDX)BN, to - key);
        barrier(CLK_LOCAL_MEM_FENCE);
        BRING(keys, KEY, D, D_ROW)
        BRING(values, VALUE, E, E_ROW)
        barrier(CLK_LOCAL_MEM_FENCE);
        PREPARE_SCORES(q, keys)
        PREPARED
#if PARTS > 1
        // The maximum of the step first: then no weight waits for another.
        ACC most = top;
        for (int j = 0; j < count; j++) {
            ACC s = 0;
            TAKE_SCORE(s, q, keys, j)
            HIDE(s, b, r, key + j)
            most = max(most, s);
        }
        if (most > top) {
            const ACC fade = exp2(top - most);
            FEATURES
            for (int i = 0; i < E_PART; i++)
                o[i] *= fade;
            sum *= fade;
            top = most;
        }
#endif
        for (int j = 0; j < count; j++) {
            ACC s = 0;
            TAKE_SCORE(s, q, keys, j)
            HIDE(s, b, r, key + j)
#if PARTS == 1
            if (s > top) {
                const ACC fade = exp2(top - s);
                FEATURES
                for (int i = 0; i < E_PART; i++)
                    o[i] *= fade;
                sum *= fade;
                top = s;
            }
#endif
            const ACC p = s == (ACC)-INFINITY ? (ACC)0 : exp2(s - top);
            ADD(o, p, values, j, E_PART, E_ROW)
            sum += p;
        }
#if LONG
        if (STEPPED) {
            const ACC faded = FADED;
            TO_TOTALS(ACC, o, E_PART, o, faded)
            TO_TOTALS(ACC, sum, 1, &sum, faded)
            base = top;
        }
#endif
    }
#if LONG
    const ACC faded = FADED;
    FROM_TOTALS(ACC, o, E_PART, o, faded)
    FROM_TOTALS(ACC, sum, 1, &sum, faded)
#endif
    if (first + lane < ROWS) {
        const ACC share = sum == 0 ? (ACC)0 : 1 / sum;
        GIVE(RESULT_O, b * ROWS + r, o, share, E, E_PART)
#if WITH_TOPS
        if (part == 0) {
            STORE_TOP(b * ROWS + r, sum == 0 ? (ACC)INFINITY : rounded_down(top));
            STORE_SHARE(b * ROWS + r, share);
        }
#endif
    }
}
