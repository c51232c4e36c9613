// attention/cpu_lane.cl: attention for CPU drivers, queries in the lanes of vectors
//
//     O[b,r,e] = sum over n of softmax over n of (SCALE·sum over d of Q[b,r,d]·K[b,n,d] + mask) · V[b,n,e]
//     TOP[b,r]   = log2(e) times the largest score, see attention/any_top.cl; +INFINITY without keys
//     SHARE[b,r] = one over the sum of the weights 2^(log2(e)·score - TOP), 0 without keys
//
// One work-item takes a tile of QT rows, the queries of all groups of a batch, and walks the keys
// that they see in blocks of KB: scores, running maximum and sum, weighted sum of values. Scores
// are kept as powers of two. Shared parts are in attention/cpu_shared.cl.
//
// hooks   FILL_Q(tile, depth, b, first, count)    SPILL_O(tile, depth, i0, have, factor): one of attention/cpu_load_store.cl
//         MASK(b, r, n)    STORE_TOP(i, v) STORE_SHARE(i, v) where WITH_TOPS
//         K_AT(b) V_AT(b)  the first row of a batch; rows lie K_STEP and V_STEP apart, features adjoin
// macros  D E  features    KB  keys a block    HAS_MASK 0, 1 or 2: none, one of all rows, one of each
//         BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH    SCALE2  SCALE·log2(e)
//         WITH_TOPS 1: TOP and SHARE are wanted
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
// sizes   M  queries of a group    ROWS  of all groups    N  keys    B_FROM  the first batch    TILES
// launch  attention_lane  global {TILES, batches}  local {1, 1}
// note    the last tiles go first: under a causal mask they take longest

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void attention_lane(PARAMS) {
    const IDX b = B_FROM + (IDX)get_global_id(1), first = (TILES - 1 - (IDX)get_global_id(0)) * QT;
    __global const ACC *keys = K_AT(b), *values = V_AT(b);
    VT q[D * QV], s[KB * QV], o[ROOM_E * QV];
    FILL_Q(q, D, b, first, ROWS)
    for (int i = 0; i < E * QV; i++)
        o[i] = (VT)(0);
    SEEN(first)

    VT top[QV], sum[QV];
    #pragma unroll
    for (int v = 0; v < QV; v++) {
        top[v] = (VT)(-INFINITY);
        sum[v] = (VT)(0);
    }
    TOTALS(VT, o, E * QV > 0 ? E * QV : 1)
#if LONG
    int steps = 0;
    VT lost[QV], faded[QV]; // of the sums; what results were multiplied with since they went to their totals
    #pragma unroll
    for (int v = 0; v < QV; v++) {
        lost[v] = (VT)(0);
        faded[v] = (VT)(1);
    }
#endif
    for (IDX key = from; key < to; key += KB) {
        const int count = (int)min((IDX)KB, to - key);
        VT most[QV];
        #pragma unroll
        for (int v = 0; v < QV; v++)
            most[v] = top[v];
        EDGE(key, count)
        for (int j = 0; j < count; j += KR) {
            __global const ACC *row[KR];
            VT x[KR][QV];
            #pragma unroll
            for (int i = 0; i < KR; i++) {
                row[i] = keys + (size_t)min(key + j + i, (IDX)N - 1) * K_STEP;
                #pragma unroll
                for (int v = 0; v < QV; v++)
                    x[i][v] = (VT)(0);
            }
            products(x, q, row, D);
            #pragma unroll
            for (int i = 0; i < KR; i++)
                if (j + i < count) {
                    SCORE(x[i], b, first, key, j + i)
                    #pragma unroll
                    for (int v = 0; v < QV; v++) {
                        most[v] = x[i][v] > most[v] ? x[i][v] : most[v];
                        s[(j + i) * QV + v] = x[i][v];
                    }
                }
        }
        VT fade[QV], base[QV], here[QV];
        #pragma unroll
        for (int v = 0; v < QV; v++) {
            base[v] = most[v] == (VT)(-INFINITY) ? (VT)(0) : most[v]; // nothing seen yet
            fade[v] = pow2(top[v] - base[v]);
            sum[v] *= fade[v];
            here[v] = (VT)(0);
            top[v] = most[v];
#if LONG
            lost[v] *= fade[v];
            faded[v] *= fade[v];
#endif
        }
        for (int j = 0; j < count; j++)
            #pragma unroll
            for (int v = 0; v < QV; v++) {
                const VT p = pow2(s[j * QV + v] - base[v]);
                s[j * QV + v] = p;
                here[v] += p;
            }
        blend_all(o, fade, s, values + (size_t)key * V_STEP, V_STEP, count, E);
#if LONG
        #pragma unroll
        for (int v = 0; v < QV; v++)
            KAHAN(VT, sum[v], lost[v], here[v]);
        if (STEPPED) {
            TO_TOTALS(VT, o, E * QV, o, faded[i_ % QV])
            #pragma unroll
            for (int v = 0; v < QV; v++)
                faded[v] = (VT)(1);
        }
#else
        #pragma unroll
        for (int v = 0; v < QV; v++)
            sum[v] += here[v];
#endif
    }
    FROM_TOTALS(VT, o, E * QV, o, faded[i_ % QV])
#if LONG
    #pragma unroll
    for (int v = 0; v < QV; v++)
        sum[v] += lost[v];
#endif

    VT part[QV];
    #pragma unroll
    for (int v = 0; v < QV; v++) {
        const VT none = (VT)(0);
        part[v] = sum[v] == none ? none : 1 / sum[v];
        top[v] = sum[v] == none ? (VT)(INFINITY) : top[v];
    }
    const int have = (int)min((IDX)QT, (IDX)ROWS - first);
    SPILL_O(o, E, b * ROWS + first, have, part)
#if WITH_TOPS
    for (int i = 0; i < have; i++) {
        STORE_TOP(b * ROWS + first + i, rounded_down(LANE(top, 0, i)));
        STORE_SHARE(b * ROWS + first + i, LANE(part, 0, i));
    }
#endif
}
