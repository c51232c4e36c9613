// attention/gpu_block_shared.cl: small matrix products out of local memory, of the attention kernels by blocks for GPUs
//
// A work-group owns BM positions of one side and walks the other BN at a time. TX x TY items share what is
// computed of a pair of positions: item (x, y) has RM own positions, y, y + TY, ..., and of each RN others,
// x, x + TX, ..., or the vectors x, x + TX, ... of its features. All stands in local memory as rows of vectors of four
// features, an odd number of them apart, so that neighbours read different banks.
//
// hooks   LOAD_S(b, i, x)  element of side S, which is Q, K, V or DO; where L_S is 1 also S_AT(b, i, x), positions in S_PTR
//         MASK(b, r, n)  with HAS_MASK: what is added to a score, times log2(e)
// macros  D E  features    BM BN  positions, own and others at once    RM RN  those of an item, which divide them
//         BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH
//         SUMS_FROM  see lib/block_sums.cl
//         L_Q L_K L_V L_DO  1 where four features may be one access: floats that adjoin
// sizes   Q_WIDE K_WIDE V_WIDE DO_WIDE  1 where all strides are multiples of 4
// source  Dao et al., FlashAttention (2022); Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra (2008)

#define TX (BN / RN)
#define TY (BM / RM)
#define WG (TX * TY)
#define D4 ((D + 3) / 4)
#define E4 ((E + 3) / 4)
#define D_ROW (D4 | 1)
#define E_ROW (E4 | 1)
#define D_ITS ((D4 + TX - 1) / TX)
#define E_ITS ((E4 + TX - 1) / TX)
#define UNROLL _Pragma("unroll")
// One turn of a product at a time, where there are items enough to do something else while it reads.
#if WG >= 128
#define TURNS _Pragma("unroll 1")
#else
#define TURNS _Pragma("unroll 2")
#endif

// An element of a side, whether four are one access, and that access.
#define ONE_Q(n, x) (float)LOAD_Q(b, n, x)
#if L_Q
#define WIDE_Q (Q_WIDE && ((size_t)Q_PTR & 15) == 0)
#define FOUR_Q(n, x) *(__global const float4 *)(Q_PTR + Q_AT(b, n, x))
#else
#define WIDE_Q 0
#define FOUR_Q(n, x) (float4)(0)
#endif
#define ONE_K(n, x) (float)LOAD_K(b, n, x)
#if L_K
#define WIDE_K (K_WIDE && ((size_t)K_PTR & 15) == 0)
#define FOUR_K(n, x) *(__global const float4 *)(K_PTR + K_AT(b, n, x))
#else
#define WIDE_K 0
#define FOUR_K(n, x) (float4)(0)
#endif
#define ONE_V(n, x) (float)LOAD_V(b, n, x)
#if L_V
#define WIDE_V (V_WIDE && ((size_t)V_PTR & 15) == 0)
#define FOUR_V(n, x) *(__global const float4 *)(V_PTR + V_AT(b, n, x))
#else
#define WIDE_V 0
#define FOUR_V(n, x) (float4)(0)
#endif
#define ONE_DO(n, x) (float)LOAD_DO(b, n, x)
#if L_DO
#define WIDE_DO (DO_WIDE && ((size_t)DO_PTR & 15) == 0)
#define FOUR_DO(n, x) *(__global const float4 *)(DO_PTR + DO_AT(b, n, x))
#else
#define WIDE_DO 0
#define FOUR_DO(n, x) (float4)(0)
#endif

// The i-th vector that item id brings of rows of W: its row, and its place there.
#define LOT(rows, W) (((rows) * (W) + WG - 1) / WG)
#define ROW_OF(i, W) (WG % (W) == 0 ? id / (W) + (i) * (WG / (W)) : (id + (i) * WG) / (W))
#define PLACE_OF(i, W) (WG % (W) == 0 ? id % (W) : (id + (i) * WG) % (W))
#define LOADED(S, n, x, WIDTH) ((x) < WIDTH ? ONE_##S(n, x) : 0.0f)

// FETCH reads count rows of side S from row first on, where they are vectors, and BRING stores what was fetched in local
// memory, or reads the rest, times factor and 0 for rows that are not there.
#define FETCH(to, S, first, count, rows, W) \
    if (WIDE_##S) { \
        UNROLL \
        for (int i = 0; i < LOT(rows, W); i++) \
            (to)[i] = FOUR_##S((first) + min(ROW_OF(i, W), (count) - 1), PLACE_OF(i, W) * 4); \
    }
#define BRING(to, from, S, first, count, rows, W, WIDTH, ROW, factor) \
    if (WIDE_##S) { \
        UNROLL \
        for (int i = 0; i < LOT(rows, W); i++) \
            if ((rows) * (W) % WG == 0 || ROW_OF(i, W) < (rows)) \
                (to)[ROW_OF(i, W) * ROW + PLACE_OF(i, W)] = ROW_OF(i, W) < (count) ? (from)[i] * (factor) : (float4)(0); \
    } else { \
        for (int z_ = id; z_ < (rows) * (W); z_ += WG) { \
            const IDX n_ = (first) + min(z_ / (W), (count) - 1); \
            const int x_ = z_ % (W) * 4; \
            const float4 v_ = (float4)( \
                LOADED(S, n_, x_, WIDTH), LOADED(S, n_, x_ + 1, WIDTH), LOADED(S, n_, x_ + 2, WIDTH), LOADED(S, n_, x_ + 3, WIDTH)); \
            (to)[z_ / (W) * ROW + z_ % (W)] = z_ / (W) < (count) ? v_ * (factor) : (float4)(0); \
        } \
    }
// Both, of the own positions.
#define BRING_OWN(to, S, count, W, WIDTH, ROW, factor) { \
    float4 from_[LOT(BM, W)]; \
    FETCH(from_, S, first, count, BM, W) \
    BRING(to, from_, S, first, count, BM, W, WIDTH, ROW, factor) \
}

// s[RM][RN] = own · other^T, rows of W vectors.
#define SCORES(s, own, other, W, ROW) { \
    UNROLL \
    for (int i = 0; i < RM; i++) \
        UNROLL \
        for (int j = 0; j < RN; j++) \
            s[i][j] = 0; \
    TURNS \
    for (int f = 0; f < (W); f++) { \
        float4 c_[RN]; \
        UNROLL \
        for (int j = 0; j < RN; j++) \
            c_[j] = (other)[(tx + TX * j) * ROW + f]; \
        UNROLL \
        for (int i = 0; i < RM; i++) { \
            const float4 a_ = (own)[(ty + TY * i) * ROW + f]; \
            UNROLL \
            for (int j = 0; j < RN; j++) \
                s[i][j] = FMA(a_.s3, c_[j].s3, FMA(a_.s2, c_[j].s2, FMA(a_.s1, c_[j].s1, FMA(a_.s0, c_[j].s0, s[i][j])))); \
        } \
    } \
}
// o[RM][4·ITS] += weights[BM][BN] · other, rows of W vectors, of which an item has ITS.
#define TIMES(o, weights, other, W, ROW, ITS) { \
    TURNS \
    for (int f = 0; f < BN; f += 4) { \
        float4 a_[RM]; \
        UNROLL \
        for (int i = 0; i < RM; i++) \
            a_[i] = vload4(0, (weights) + (ty + TY * i) * BN + f); \
        ONE_TERM(o, s0, 0, other, W, ROW, ITS) \
        ONE_TERM(o, s1, 1, other, W, ROW, ITS) \
        ONE_TERM(o, s2, 2, other, W, ROW, ITS) \
        ONE_TERM(o, s3, 3, other, W, ROW, ITS) \
    } \
}
#define ONE_TERM(o, part, at, other, W, ROW, ITS) \
    UNROLL \
    for (int e = 0; e < ITS; e++) { \
        const float4 c_ = (other)[(f + at) * ROW + (W % TX == 0 ? tx + TX * e : min(tx + TX * e, W - 1))]; \
        UNROLL \
        for (int i = 0; i < RM; i++) { \
            o[(i * ITS + e) * 4] = FMA(a_[i].part, c_.s0, o[(i * ITS + e) * 4]); \
            o[(i * ITS + e) * 4 + 1] = FMA(a_[i].part, c_.s1, o[(i * ITS + e) * 4 + 1]); \
            o[(i * ITS + e) * 4 + 2] = FMA(a_[i].part, c_.s2, o[(i * ITS + e) * 4 + 2]); \
            o[(i * ITS + e) * 4 + 3] = FMA(a_[i].part, c_.s3, o[(i * ITS + e) * 4 + 3]); \
        } \
    }
#define NOTHING(o, n) \
    UNROLL \
    for (int i = 0; i < (n); i++) \
        o[i] = 0;
// Results of own position i, at which there is one.
#define GIVE(STORE, at, o, i, factor, WIDTH, ITS) \
    UNROLL \
    for (int e = 0; e < ITS * 4; e++) { \
        const int x_ = (tx + TX * (e / 4)) * 4 + e % 4; \
        if (x_ < WIDTH) \
            STORE((at) * WIDTH + x_, o[(i) * ITS * 4 + e] * (factor)); \
    }

// Which own positions group number g has, and of which batch. Where all groups find room at once and some have more to
// do than others, those with most come first, and every other set of UNITS the other way around: what they
// add up to is nearly the same everywhere.
#if BANDED
#define SNAKE(g) ((g) / UNITS % 2 == 0 ? (g) : min((g) - (g) % UNITS + UNITS, ALL_GROUPS) - 1 - (g) % UNITS)
#define WHICH \
    const int g_ = (int)get_group_id(0), all_ = AT_ONCE ? SNAKE(g_) : g_; \
    const IDX b = AT_ONCE ? all_ % BATCHES : all_ / BLOCKS; \
    const IDX first = (IDX)(AT_ONCE ? HEAVY_FIRST(all_ / BATCHES) : HEAVY_FIRST(all_ % BLOCKS)) * BM;
#else
#define WHICH \
    const IDX b = (int)get_group_id(0) / BLOCKS, first = (IDX)((int)get_group_id(0) % BLOCKS) * BM;
#endif

#if BANDED
// Of the queries from first on, which see keys from from to to; near is their number in a group of queries.
#define SEEN(first) \
    const IDX last_ = min((first) + BM, (IDX)ROWS) - 1, near_ = (first) - (first) / M * M; \
    const int one_ = (first) / M == last_ / M; \
    const IDX from = one_ ? max(near_ + LOW, (IDX)0) : (IDX)0; \
    const IDX to = one_ ? min(near_ + (last_ - (first)) + HIGH + 1, (IDX)N) : (IDX)N;
#define BAND(s, near, n) if ((n) - (near) < LOW || (n) - (near) > HIGH) (s) = -INFINITY;
#else
#define SEEN(first) const IDX from = 0, to = N;
#define BAND(s, near, n)
#endif
// What is added to score s of row r, number near of its group of queries, and key n.
#if HAS_MASK
#define HIDE(s, b, r, near, n) (s) += MASK(b, r, n); BAND(s, near, n)
#else
#define HIDE(s, b, r, near, n) BAND(s, near, n)
#endif
// Rows r and near of own position i, which are looked up once.
#define OWN_ROWS \
    IDX rows[RM], nears[RM]; \
    UNROLL \
    for (int i = 0; i < RM; i++) { \
        rows[i] = min(first + ty + TY * i, (IDX)ROWS - 1); \
        nears[i] = rows[i] - rows[i] / M * M; \
    }
