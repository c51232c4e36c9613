// attention/cpu_lane_dkv.cl: the gradients of attention by keys and values for CPU drivers
//
//     P = SHARE·2^(SCALE2·Q·K^T + mask - TOP)    T = P · (DO·V^T - DELTA)    dK = SCALE·T^T·Q    dV = P^T·DO
//
// One work-item takes a tile of QT keys, keys in the lanes of vectors, and walks the rows that see
// them, the queries of all groups of a batch, in blocks of KB: each sum has one owner and one
// order. Shared parts are in attention/cpu_shared.cl.
//
// hooks   FILL_K(tile, depth, b, first, count)    FILL_V(...) the same
//         SPILL_DK(tile, depth, i0, have, factor)    SPILL_DV(...) the same
//         LOAD_TOP(b, r)    LOAD_SHARE(b, r)    LOAD_DELTA(b, r)    MASK(b, r, n)
//         Q_AT(b) DO_AT(b)  the first row of a batch; rows lie Q_STEP and DO_STEP apart
// macros  D E  features    KB  rows a block    HAS_MASK 0, 1 or 2: none, one of all rows, one of each
//         BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH    SCALE    SCALE2  SCALE·log2(e)
//         LONG STEPS  how sums over very many positions are taken: see attention/any_sums.cl
// sizes   M  queries of a group    ROWS  of all groups    N  keys    B_FROM  the first batch    TILES
// launch  attention_lane_dkv  global {TILES, batches}  local {1, 1}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void attention_lane_dkv(PARAMS) {
    const IDX b = B_FROM + (IDX)get_global_id(1), first = (IDX)get_global_id(0) * QT;
    __global const ACC *queries = Q_AT(b), *slopes = DO_AT(b);
    VT k[D * QV], w[ROOM_E * QV], p[KB * QV], t[KB * QV], dk[D * QV], dv[ROOM_E * QV];
    FILL_K(k, D, b, first, N)
    FILL_V(w, E, b, first, N)
    for (int i = 0; i < D * QV; i++)
        dk[i] = (VT)(0);
    for (int i = 0; i < E * QV; i++)
        dv[i] = (VT)(0);
    VT same[QV], scale[QV], lane[QV];
    for (int l = 0; l < QT; l++)
        LANE(lane, 0, l) = l;
    #pragma unroll
    for (int v = 0; v < QV; v++) {
        same[v] = (VT)(1);
        scale[v] = (VT)(SCALE);
    }

    TOTALS(VT, dk, D * QV)
    TOTALS(VT, dv, E * QV > 0 ? E * QV : 1)
#if LONG
    int steps = 0;
#endif
    for (IDX g0 = 0; g0 < ROWS; g0 += M) { // a group: the rows in it that see a key of the tile
#if BANDED
        const IDX r0 = g0 + max((IDX)0, first - HIGH), r1 = g0 + min((IDX)M, first + QT - LOW);
#else
        const IDX r0 = g0, r1 = g0 + M;
#endif
        for (IDX r = r0; r < r1; r += KB) {
            const int count = (int)min((IDX)KB, r1 - r);
            for (int j = 0; j < count; j += KR) {
                __global const ACC *row[KR], *other[KR];
                VT x[KR][QV], y[KR][QV];
                #pragma unroll
                for (int i = 0; i < KR; i++) {
                    row[i] = queries + (size_t)min(r + j + i, (IDX)ROWS - 1) * Q_STEP;
                    other[i] = slopes + (size_t)min(r + j + i, (IDX)ROWS - 1) * DO_STEP;
                    #pragma unroll
                    for (int v = 0; v < QV; v++)
                        x[i][v] = (VT)(0);
                }
                products(x, k, row, D);
                #pragma unroll
                for (int i = 0; i < KR; i++)
                    if (j + i < count) {
                        const IDX q = r + j + i;
                        const VT top = (VT)((ACC)LOAD_TOP(b, q)), share = (VT)((ACC)LOAD_SHARE(b, q));
#if HAS_MASK
                        VT more[QV];
                        for (int l = 0; l < QT; l++)
                            LANE(more, 0, l) = MASK(b, q, min(first + l, (IDX)N - 1));
#endif
                        #pragma unroll
                        for (int v = 0; v < QV; v++) {
#if HAS_MASK
                            x[i][v] = FMA(x[i][v], (VT)(SCALE2), more[v]);
#else
                            x[i][v] *= (VT)(SCALE2);
#endif
#if BANDED
                            const VT from = (VT)((ACC)clamp(q - g0 + LOW - first, (IDX)-1, (IDX)QT));
                            const VT to = (VT)((ACC)clamp(q - g0 + HIGH - first, (IDX)-1, (IDX)QT));
                            x[i][v] = lane[v] >= from && lane[v] <= to ? x[i][v] : (VT)(-INFINITY);
#endif
                            p[(j + i) * QV + v] = weight(x[i][v], top) * share;
                        }
                    }
                #pragma unroll
                for (int i = 0; i < KR; i++)
                    #pragma unroll
                    for (int v = 0; v < QV; v++)
                        y[i][v] = (VT)(-(ACC)LOAD_DELTA(b, min(r + j + i, (IDX)ROWS - 1)));
                products(y, w, other, E);
                #pragma unroll
                for (int i = 0; i < KR; i++)
                    if (j + i < count)
                        #pragma unroll
                        for (int v = 0; v < QV; v++)
                            t[(j + i) * QV + v] = p[(j + i) * QV + v] * y[i][v];
            }
            blend_all(dk, same, t, queries + (size_t)r * Q_STEP, Q_STEP, count, D);
            blend_all(dv, same, p, slopes + (size_t)r * DO_STEP, DO_STEP, count, E);
#if LONG
            if (STEPPED) {
                TO_TOTALS(VT, dk, D * QV, dk, (VT)(1))
                TO_TOTALS(VT, dv, E * QV, dv, (VT)(1))
            }
#endif
        }
    }
    FROM_TOTALS(VT, dk, D * QV, dk, (VT)(1))
    FROM_TOTALS(VT, dv, E * QV, dv, (VT)(1))

    const int have = (int)min((IDX)QT, (IDX)N - first);
    SPILL_DK(dk, D, b * N + first, have, scale)
    SPILL_DV(dv, E, b * N + first, have, same)
}
