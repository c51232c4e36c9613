// attention/cpu_shared.cl: tiles, scores and exponentials that the attention kernels for CPU drivers share
//
// A tile is QT = QV·VL neighbouring positions of one side, queries or keys, in vectors of VL
// lanes: tile[x·QV + v] is feature x of those in vector v. Positions of the other side are taken one by one,
// each of their elements spread over a vector, so that neither side has to be packed.
//
// hooks   MASK(b, r, n)  with HAS_MASK: what is added to the score of row r and key n, times log2(e)
// macros  ACC  type of the sums    VT  VL-wide vector of it    FMA
//         QV VL  the tile    KR  positions of the other side at once: KR·QV sums
//         FLOAT_EXP2  1 where ACC is float: 2^x by a polynomial    AS_VT AS_IT  bits as VT, as integers
//         LOG2E LN2  of type ACC
// source  Dao, FlashAttention-2 (2023); Milakov and Gimelshein, Online Normalizer Calculation
//         for Softmax (2018)

#define QT (QV * VL)
#define ROOM_E (E > 0 ? E : 1)
#define LANE(tile, x, l) ((ACC *)(tile))[(x) * QT + (l)]

// Which keys the QT rows from first on see: row l of them from low[l] to high[l], all together
// [from, to), each of them from within to until.
#if BANDED
#define SEEN(first) \
    IDX low[QT], high[QT], from = N, to = 0, within = 0, until = N - 1; \
    for (int l = 0; l < QT; l++) { \
        const IDX r = min((first) + l, (IDX)ROWS - 1), i = r - r / M * M; \
        low[l] = i + LOW; \
        high[l] = i + HIGH; \
        from = min(from, low[l]); \
        to = max(to, high[l] + 1); \
        within = max(within, low[l]); \
        until = min(until, high[l]); \
    } \
    from = max(from, (IDX)0); \
    to = min(to, (IDX)N);
#else
#define SEEN(first) const IDX from = 0, to = N;
#endif

// In a block of count keys from key on that not all rows see whole, EDGE takes each row's limits relative to key, and SCORE makes
// a product of a query and a key a score: scaled, with the mask added, and -INFINITY where row l may not see key j. Products
// are scaled, and not operands: each pass then has the same scores to the last bit, whichever side is in its tiles.
#if BANDED
#define EDGE(key, count) \
    const int edge = (key) < within || (key) + (count) - 1 > until; \
    VT least[QV], last[QV]; \
    if (edge) \
        for (int l = 0; l < QT; l++) { \
            LANE(least, 0, l) = (ACC)clamp(low[l] - (key), (IDX)-1, (IDX)KB); \
            LANE(last, 0, l) = (ACC)clamp(high[l] - (key), (IDX)-1, (IDX)KB); \
        }
#define BAND(x, j) \
    if (edge) \
        _Pragma("unroll") \
        for (int v = 0; v < QV; v++) { \
            const VT at = (VT)((ACC)(j)), a = least[v], z = last[v]; \
            (x)[v] = at >= a && at <= z ? (x)[v] : (VT)(-INFINITY); \
        }
#else
#define EDGE(key, count)
#define BAND(x, j)
#endif
#if HAS_MASK == 2
#define SCORE(x, b, first, key, j) { \
        VT more[QV]; \
        for (int l = 0; l < QT; l++) \
            LANE(more, 0, l) = MASK(b, min((first) + l, (IDX)ROWS - 1), (key) + (j)); \
        _Pragma("unroll") \
        for (int v = 0; v < QV; v++) \
            (x)[v] = FMA((x)[v], (VT)(SCALE2), more[v]); \
        BAND(x, j) \
    }
#elif HAS_MASK
#define SCORE(x, b, first, key, j) { \
        const VT more = (VT)(MASK(b, (IDX)0, (key) + (j))); \
        _Pragma("unroll") \
        for (int v = 0; v < QV; v++) \
            (x)[v] = FMA((x)[v], (VT)(SCALE2), more); \
        BAND(x, j) \
    }
#else
#define SCORE(x, b, first, key, j) { \
        _Pragma("unroll") \
        for (int v = 0; v < QV; v++) \
            (x)[v] *= (VT)(SCALE2); \
        BAND(x, j) \
    }
#endif

// 2^x for x <= 0, or not much above: x = n + r with |r| <= 1/2, 2^r by a minimax polynomial of
// degree 6 (relative error 2^-29 before rounding), 2^n by its bits. What is
// below the smallest normal number is 0; NaN stays.
static inline VT pow2(const VT x) {
#if FLOAT_EXP2
    const VT t = x + 0x1.8p23f;
    const VT r = x - (t - 0x1.8p23f);
    VT p = FMA((VT)(0x1.41d34p-13f), r, (VT)(0x1.5f456ap-10f));
    p = FMA(p, r, (VT)(0x1.3b2dbcp-7f));
    p = FMA(p, r, (VT)(0x1.c6aed4p-5f));
    p = FMA(p, r, (VT)(0x1.ebfbdap-3f));
    p = FMA(p, r, (VT)(0x1.62e43p-1f));
    p = FMA(p, r, (VT)(0x1.0p0f));
    p *= AS_VT((AS_IT(t) << 23) + 0x3f800000);
    return x < -125.0f ? (VT)(0.0f) : p;
#else
    return exp2(x);
#endif
}

// weight is 2^(score - top), at most 1: where scores are large, top is less than the largest of a row.
static inline VT weight(const VT score, const VT top) {
    const VT d = score - top;
    return pow2(d > (VT)(0) ? (VT)(0) : d);
}

// sums[i][v] += sum over x of tile[x][v] · row[i][x]
static inline void products(VT sums[KR][QV], const VT *tile, __global const ACC *const row[KR], const int depth) {
    for (int x = 0; x < depth; x++) {
        VT t[QV];
        #pragma unroll
        for (int v = 0; v < QV; v++)
            t[v] = tile[x * QV + v];
        #pragma unroll
        for (int i = 0; i < KR; i++) {
            const VT a = (VT)(row[i][x]);
            #pragma unroll
            for (int v = 0; v < QV; v++)
                sums[i][v] = FMA(a, t[v], sums[i][v]);
        }
    }
}

// out[x][v] = out[x][v] · fade[v] + sum over j of weights[j][v] · p[j·step + x], for width
// features from p on, at most KR. What is added at once is summed first: out errs by as many
// roundings as there are blocks, and not positions
static inline void blend(VT *out, const VT fade[QV], const VT *weights, __global const ACC *p, const size_t step,
                       const int count, const int width) {
    VT sums[KR][QV];
    #pragma unroll
    for (int i = 0; i < KR; i++)
        #pragma unroll
        for (int v = 0; v < QV; v++)
            sums[i][v] = (VT)(0);
    for (int j = 0; j < count; j++, p += step) {
        VT w[QV];
        #pragma unroll
        for (int v = 0; v < QV; v++)
            w[v] = weights[j * QV + v];
        #pragma unroll
        for (int i = 0; i < KR; i++)
            if (i < width) {
                const VT a = (VT)(p[i]);
                #pragma unroll
                for (int v = 0; v < QV; v++)
                    sums[i][v] = FMA(a, w[v], sums[i][v]);
            }
    }
    #pragma unroll
    for (int i = 0; i < KR; i++)
        #pragma unroll
        for (int v = 0; v < QV; v++)
            if (i < width)
                out[i * QV + v] = FMA(out[i * QV + v], fade[v], sums[i][v]);
}

// blend for all of depth features.
static inline void blend_all(VT *out, const VT fade[QV], const VT *weights, __global const ACC *p, const size_t step,
                           const int count, const int depth) {
    int x = 0;
    for (; x + KR <= depth; x += KR)
        blend(out + x * QV, fade, weights, p + x, step, count, KR);
    if (x < depth)
        blend(out + x * QV, fade, weights, p + x, step, count, depth % KR);
}
