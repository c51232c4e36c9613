// attention/cpu_lane_dq.cl: the gradient of attention by the queries for CPU drivers
//
//     P = SHARE·2^(SCALE2·Q·K^T + mask - TOP)    T = P · (DO·V^T - DELTA)    dQ = SCALE·T·K
//
// One work-item takes a tile of QT rows and walks the keys that they see in blocks of KB, as
// attention/cpu_lane.cl does. Shared parts are in attention/cpu_shared.cl.
//
// hooks   FILL_Q(tile, depth, b, first, count)    FILL_DO(...) the same    SPILL_DQ(tile, depth, i0, have, factor)
//         LOAD_TOP(b, r)    LOAD_SHARE(b, r)    LOAD_DELTA(b, r)    MASK(b, r, n)
//         K_AT(b) V_AT(b)  the first row of a batch; rows lie K_STEP and V_STEP apart
// macros  D E  features    KB  keys a block    HAS_MASK BANDED  as there    SCALE    SCALE2  SCALE·log2(e)
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
// sizes   M  queries of a group    ROWS  of all groups    N  keys    B_FROM  the first batch    TILES
// launch  attention_lane_dq  global {TILES, batches}  local {1, 1}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void attention_lane_dq(PARAMS) {
    const IDX b = B_FROM + (IDX)get_global_id(1), first = (TILES - 1 - (IDX)get_global_id(0)) * QT;
    __global const ACC *keys = K_AT(b), *values = V_AT(b);
    VT q[D * QV], g[ROOM_E * QV], t[KB * QV], dq[D * QV], top[QV], delta[QV], scale[QV];
    FILL_Q(q, D, b, first, ROWS)
    FILL_DO(g, E, b, first, ROWS)
    for (int l = 0; l < QT; l++) {
        const IDX r = min(first + l, (IDX)ROWS - 1);
        LANE(top, 0, l) = (ACC)LOAD_TOP(b, r);
        LANE(scale, 0, l) = (ACC)LOAD_SHARE(b, r) * SCALE;
        LANE(delta, 0, l) = (ACC)LOAD_DELTA(b, r);
    }
    for (int i = 0; i < D * QV; i++)
        dq[i] = (VT)(0);
    SEEN(first)
    VT same[QV];
    #pragma unroll
    for (int v = 0; v < QV; v++)
        same[v] = (VT)(1);

    TOTALS(VT, dq, D * QV)
#if LONG
    int steps = 0;
#endif
    for (IDX key = from; key < to; key += KB) {
        const int count = (int)min((IDX)KB, to - key);
        EDGE(key, count)
        for (int j = 0; j < count; j += KR) {
            __global const ACC *row[KR], *other[KR];
            VT x[KR][QV], y[KR][QV];
            #pragma unroll
            for (int i = 0; i < KR; i++) {
                row[i] = keys + (size_t)min(key + j + i, (IDX)N - 1) * K_STEP;
                other[i] = values + (size_t)min(key + j + i, (IDX)N - 1) * V_STEP;
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
                    for (int v = 0; v < QV; v++)
                        t[(j + i) * QV + v] = weight(x[i][v], top[v]);
                }
            #pragma unroll
            for (int i = 0; i < KR; i++)
                #pragma unroll
                for (int v = 0; v < QV; v++)
                    y[i][v] = -delta[v];
            products(y, g, other, E);
            #pragma unroll
            for (int i = 0; i < KR; i++)
                if (j + i < count)
                    #pragma unroll
                    for (int v = 0; v < QV; v++)
                        t[(j + i) * QV + v] *= y[i][v];
        }
        blend_all(dq, same, t, keys + (size_t)key * K_STEP, K_STEP, count, D);
#if LONG
        if (STEPPED) {
            TO_TOTALS(VT, dq, D * QV, dq, (VT)(1))
        }
#endif
    }
    FROM_TOTALS(VT, dq, D * QV, dq, (VT)(1))

    const int have = (int)min((IDX)QT, (IDX)ROWS - first);
    SPILL_DQ(dq, D, b * ROWS + first, have, scale)
}
