// contract/gpu_tile.cl: the contraction for GPUs, by tiles in local memory
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// A work-group computes TM x TN outputs in steps of TK values of k: the next step's elements are
// loaded into registers while the present one is multiplied out of local memory. With two STAGES
// of local memory a step needs one barrier instead of two. TX x TY items share the tile, each with
// RM x RN outputs; there are SLICES such sets of items, which divide the values of k among them
// and add their sums at the end: many items for a small tile. The items of a set are numbered so that 32
// neighbours are LX x 32/LX of them, nearly a square, which read least of local memory.
//
// hooks   LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         A_AT(b, m, k)  B_AT(b, n, k)  where LA, LB > 1: positions in A_PTR, B_PTR
//         OUT(b, m, n, v)  the epilogue and the store
//         OUTSIDE(m, rows, n, columns)  where defined: nothing of this part of the output is wanted
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in it
//         TM TN TK  the tile; TM·TK and TN·TK multiples of TX·TY·SLICES
//         SLICES  divides TK and RN; TX·TY·SLICES·RN accumulators fit in local memory
//         VW 1, 2 or 4  neighbours an item reads from local memory at once; divides RM and RN
//         A_BY_K B_BY_K  1 where neighbours in memory are neighbours in k
//         LEVELS TERMS BLOCKS  how sums of many terms are taken: see lib/block_sums.cl
//         LA LB  1 or 4  neighbours an item reads from global memory at once, floats; then
//         TM·TK and TN·TK are multiples of 4·TX·TY·SLICES    STAGES 1 or 2
//         STEADY  1 where LA and LB are 4 and positions grow evenly with k
//         BAND  rows of tiles that groups take column by column, so that they share what they read
// sizes   A_WIDE B_WIDE  1 where all strides are multiples of 4: with a pointer that is aligned
//         as well, four neighbours are one access
//         M N K    CHUNK  of k a split    TILES_M TILES_N  tiles in each direction    BATCHES
// launch  contract_tile  global {TX·TY·SLICES·TILES_M·TILES_N·BATCHES·splits}  local {TX·TY·SLICES}
//         local memory STAGES·TK·(TM + TN + 2·VW) accumulators
// note    rows and columns past an edge are those at the edge, and are not stored; values of k past the end count as 0
// source  Nugteren, CLBlast: A Tuned OpenCL BLAS Library (2018); NVIDIA, CUTLASS: Efficient GEMM

#define SET (TX * TY)
#define WG (SET * SLICES)
#define RM (TM / TY)
#define RN (TN / TX)
#define ROW_A (TM / VW + 1)
#define ROW_B (TN / VW + 1)

// Where item id is in a set: LX x LY neighbours stand together, row by row of them.
#if SET >= 32
#define LX (TX < 8 ? TX : TY < 4 ? 32 / TY : 8)
#else
#define LX TX
#endif
#define LY (SET >= 32 ? 32 / LX : TY)

// The i-th element of a step that item id fetches, as a position along m or n and one along k:
// LA neighbours at a time, or all at one value of k, so that what depends on k is computed once.
#define EACH(i, L) ((id + (i) / (L) * WG) * (L) + (i) % (L))
#define SPAN (WG / TK > 0 ? WG / TK : 1)
#define SPREAD_OUT(T) (WG % TK == 0 && (T) % SPAN == 0)
#if A_BY_K
#define A_M(i) (EACH(i, LA) / TK)
#define A_K(i) (EACH(i, LA) % TK)
#elif LA == 1 && SPREAD_OUT(TM)
#define A_M(i) (id % SPAN + (i) * SPAN)
#define A_K(i) (id / SPAN)
#else
#define A_M(i) (EACH(i, LA) % TM)
#define A_K(i) (EACH(i, LA) / TM)
#endif
#if B_BY_K
#define B_N(i) (EACH(i, LB) / TK)
#define B_K(i) (EACH(i, LB) % TK)
#elif LB == 1 && SPREAD_OUT(TN)
#define B_N(i) (id % SPAN + (i) * SPAN)
#define B_K(i) (id / SPAN)
#else
#define B_N(i) (EACH(i, LB) % TN)
#define B_K(i) (EACH(i, LB) / TN)
#endif

// Element i of the step from k0 on, all of which there is, or not.
#define OWN_A(i) min(firstM + A_M(i), (IDX)M - 1)
#define OWN_B(i) min(firstN + B_N(i), (IDX)N - 1)
#define WHOLE_A(i, k0) nextA[i] = (ACC)LOAD_A(b, OWN_A(i), (k0) + A_K(i));
#define WHOLE_B(i, k0) nextB[i] = (ACC)LOAD_B(b, (k0) + B_K(i), OWN_B(i));
#define PARTLY_A(i, k0) { \
    const IDX k = (k0) + A_K(i); \
    const ACC v = (ACC)LOAD_A(b, OWN_A(i), min(k, last)); \
    nextA[i] = k <= last ? v : (ACC)0; \
}
#define PARTLY_B(i, k0) { \
    const IDX k = (k0) + B_K(i); \
    const ACC v = (ACC)LOAD_B(b, min(k, last), OWN_B(i)); \
    nextB[i] = k <= last ? v : (ACC)0; \
}
#if LA > 1
#define FAST_A(i, k0, there) \
    if (wideA && (A_BY_K ? there((k0) + A_K(i) + 3) : firstM + A_M(i) + 3 < M && there((k0) + A_K(i)))) \
        vstore4(*(__global const float4 *)(A_PTR + A_AT(b, OWN_A(i), (k0) + A_K(i))), 0, nextA + (i)); \
    else
#else
#define FAST_A(i, k0, there)
#endif
#if LB > 1
#define FAST_B(i, k0, there) \
    if (wideB && (B_BY_K ? there((k0) + B_K(i) + 3) : firstN + B_N(i) + 3 < N && there((k0) + B_K(i)))) \
        vstore4(*(__global const float4 *)(B_PTR + B_AT(b, OWN_B(i), (k0) + B_K(i))), 0, nextB + (i)); \
    else
#else
#define FAST_B(i, k0, there)
#endif
#define ALL_THERE(k) 1
#define IN_SUM(k) ((k) <= last)

#define FETCH_AS(k0, there, ONE_A, ONE_B) { \
    _Pragma("unroll") \
    for (int i = 0; i < TM * TK / WG; i += LA) \
        FAST_A(i, k0, there) { \
            _Pragma("unroll") \
            for (int j = 0; j < LA; j++) \
                ONE_A(i + j, k0) \
        } \
    _Pragma("unroll") \
    for (int i = 0; i < TN * TK / WG; i += LB) \
        FAST_B(i, k0, there) { \
            _Pragma("unroll") \
            for (int j = 0; j < LB; j++) \
                ONE_B(i + j, k0) \
        } \
}
#define FETCH(k0) FETCH_AS(k0, IN_SUM, PARTLY_A, PARTLY_B)
#define FETCH_WHOLE(k0) FETCH_AS(k0, ALL_THERE, WHOLE_A, WHOLE_B)

// What was fetched to local memory; neighbours there are one store.
#define SHARE_A(stage, k) (share + ((stage) * TK + (k)) * ROW_A)
#define SHARE_B(stage, k) (share + STAGES * TK * ROW_A + ((stage) * TK + (k)) * ROW_B)
#if !A_BY_K && LA == 4 && VW == 4
#define KEEP_A(stage) \
    for (int i = 0; i < TM * TK / WG; i += 4) \
        SHARE_A(stage, A_K(i))[A_M(i) / 4] = (VEC)(nextA[i], nextA[i + 1], nextA[i + 2], nextA[i + 3]);
#else
#define KEEP_A(stage) \
    for (int i = 0; i < TM * TK / WG; i++) \
        ((__local ACC *)SHARE_A(stage, A_K(i)))[A_M(i)] = nextA[i];
#endif
#if !B_BY_K && LB == 4 && VW == 4
#define KEEP_B(stage) \
    for (int i = 0; i < TN * TK / WG; i += 4) \
        SHARE_B(stage, B_K(i))[B_N(i) / 4] = (VEC)(nextB[i], nextB[i + 1], nextB[i + 2], nextB[i + 3]);
#else
#define KEEP_B(stage) \
    for (int i = 0; i < TN * TK / WG; i++) \
        ((__local ACC *)SHARE_B(stage, B_K(i)))[B_N(i)] = nextB[i];
#endif
#define KEEP(stage) \
    _Pragma("unroll") \
    KEEP_A(stage) \
    _Pragma("unroll") \
    KEEP_B(stage)

// The step in local memory times itself.
#define MULTIPLY_STEP { \
    __local const VEC *fromA = SHARE_A(stage, slice) + ty, *fromB = SHARE_B(stage, slice) + tx; \
    _Pragma("unroll") \
    for (int step = 0; step < TK / SLICES; step++) { \
        ACC av[RM], bv[RN]; \
        _Pragma("unroll") \
        for (int i = 0; i < RM / VW; i++) \
            SPREAD(fromA[step * SLICES * ROW_A + i * TY], av + i * VW); \
        _Pragma("unroll") \
        for (int j = 0; j < RN / VW; j++) \
            SPREAD(fromB[step * SLICES * ROW_B + j * TX], bv + j * VW); \
        _Pragma("unroll") \
        for (int i = 0; i < RM; i++) \
            _Pragma("unroll") \
            for (int j = 0; j < RN; j++) \
                acc[i][j] = MAC(av[i], bv[j], acc[i][j]); \
    } \
}

#if STEADY
// A whole step by fours from where atA and atB are.
#define FETCH_STEADY \
    _Pragma("unroll") \
    for (int i = 0; i < TM * TK / WG; i += 4) \
        vstore4(*(__global const float4 *)(A_PTR + atA[i / 4]), 0, nextA + i); \
    _Pragma("unroll") \
    for (int i = 0; i < TN * TK / WG; i += 4) \
        vstore4(*(__global const float4 *)(B_PTR + atB[i / 4]), 0, nextB + i);
#define ADVANCE(at, n, step) \
    _Pragma("unroll") \
    for (int i = 0; i < (n); i++) \
        at[i] += step;
#endif

#if SPLIT
#define GIVE(m, n, v) PART[(((size_t)s * BATCHES + b) * M + (m)) * N + (n)] = (v);
#else
#define GIVE(m, n, v) OUT(b, m, n, v);
#endif
#define ROW_OF(i) (firstM + ((i) / VW * TY + ty) * VW + (i) % VW)
#define COLUMN_OF(j) (firstN + ((j) / VW * TX + tx) * VW + (j) % VW)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void contract_tile(PARAMS) {
    __local VEC share[STAGES * TK * (ROW_A + ROW_B)];
    const int id = get_local_id(0), slice = SLICES > 1 ? id / SET : 0, own = id % SET;
    const int square = own / (LX * LY), tx = square % (TX / LX) * LX + own % LX, ty = square / (TX / LX) * LY + own / LX % LY;
    IDX group = get_group_id(0);
    const IDX tile = group % (TILES_M * TILES_N), band = tile / (BAND * TILES_N) * BAND;
    const IDX high = min((IDX)BAND, TILES_M - band), inBand = tile - band * TILES_N;
    const IDX firstM = (band + inBand % high) * TM, firstN = inBand / high * TN;
    group /= TILES_M * TILES_N;
    const IDX b = group % BATCHES;
#if SPLIT
    const IDX s = group / BATCHES;
    const IDX first = s * CHUNK, end = min(first + CHUNK, (IDX)K);
#else
    const IDX first = 0, end = K;
#endif
#ifdef OUTSIDE
    const IDX last = OUTSIDE(firstM, TM, firstN, TN) ? first - 1 : end - 1; // nothing is summed or stored
#else
    const IDX last = end - 1;
#endif
    ACC acc[RM][RN];
    #pragma unroll
    for (int i = 0; i < RM; i++)
        #pragma unroll
        for (int j = 0; j < RN; j++)
            acc[i][j] = 0;
    BLOCK_SUMS(ACC, RM * RN)
#if LEVELS
    int terms = 0;
#endif

    ACC nextA[TM * TK / WG], nextB[TN * TK / WG];
#if LA > 1
    const bool wideA = A_WIDE && ((size_t)A_PTR & 15) == 0;
#endif
#if LB > 1
    const bool wideB = B_WIDE && ((size_t)B_PTR & 15) == 0;
#endif
    int stage = 0;
    IDX start = first;
#if STEADY
    // Whole steps of what is evenly spaced, with nothing in the loop that is needed at an edge alone.
    const bool insideA = A_BY_K ? 1 : firstM + TM <= M, insideB = B_BY_K ? 1 : firstN + TN <= N;
    if (wideA && wideB && insideA && insideB && first + TK - 1 <= last) {
        IDX atA[TM * TK / WG / 4], atB[TN * TK / WG / 4];
        #pragma unroll
        for (int i = 0; i < TM * TK / WG; i += 4)
            atA[i / 4] = A_AT(b, OWN_A(i), first + A_K(i));
        #pragma unroll
        for (int i = 0; i < TN * TK / WG; i += 4)
            atB[i / 4] = B_AT(b, OWN_B(i), first + B_K(i));
        const IDX stepA = A_AT(b, firstM, first + TK) - A_AT(b, firstM, first);
        const IDX stepB = B_AT(b, firstN, first + TK) - B_AT(b, firstN, first);
        const IDX whole = first + (last - first + 1) / TK * TK;
        FETCH_STEADY
#if STAGES > 1
        KEEP(0)
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        while (start < whole) {
#if LEVELS
            const IDX until = min(start + TERMS, whole);
#else
            const IDX until = whole;
#endif
            for (; start < until; start += TK) {
#if STAGES == 1
                KEEP(0)
                barrier(CLK_LOCAL_MEM_FENCE);
#endif
                const bool more = start + TK < whole; // else the last step is read again, for nobody
                ADVANCE(atA, TM * TK / WG / 4, more ? stepA : 0)
                ADVANCE(atB, TN * TK / WG / 4, more ? stepB : 0)
                FETCH_STEADY
                MULTIPLY_STEP
#if STAGES > 1
                stage ^= 1;
                KEEP(stage)
#endif
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            ADD_BLOCK(ACC, RM * RN, acc)
        }
        stage = 0;
    }
#endif
    if (start <= last) {
        FETCH(start)
#if STAGES > 1
        KEEP(0)
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    for (IDX k0 = start; k0 <= last; k0 += TK) {
#if STAGES == 1
        KEEP(0)
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (k0 + 2 * TK - 1 <= last)
            FETCH_WHOLE(k0 + TK)
        else if (k0 + TK <= last)
            FETCH(k0 + TK)
        MULTIPLY_STEP
#if LEVELS
        terms += TK;
        if (terms >= TERMS) {
            terms = 0;
            ADD_BLOCK(ACC, RM * RN, acc)
        }
#endif
#if STAGES > 1
        stage ^= 1;
        if (k0 + TK <= last) {
            KEEP(stage)
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    END_BLOCKS(ACC, RM * RN, acc)

#if SLICES > 1
    // Row by row of its outputs, an item adds up its share of the columns.
    __local ACC *sums = (__local ACC *)share;
    #pragma unroll
    for (int i = 0; i < RM; i++) {
        if (i > 0)
            barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int j = 0; j < RN; j++)
            sums[(slice * RN + j) * SET + own] = acc[i][j];
        barrier(CLK_LOCAL_MEM_FENCE);
        const IDX m = ROW_OF(i);
        #pragma unroll
        for (int j = 0; j < RN / SLICES; j++) {
            const int column = slice * (RN / SLICES) + j;
            const IDX n = COLUMN_OF(column);
            ACC v = sums[column * SET + own];
            #pragma unroll
            for (int other = 1; other < SLICES; other++)
                v += sums[(other * RN + column) * SET + own];
            if (m < M && n < N) {
                GIVE(m, n, v)
            }
        }
    }
#else
    #pragma unroll
    for (int i = 0; i < RM; i++) {
        const IDX m = ROW_OF(i);
        #pragma unroll
        for (int j = 0; j < RN; j++) {
            const IDX n = COLUMN_OF(j);
            if (m < M && n < N) {
                GIVE(m, n, acc[i][j])
            }
        }
    }
#endif
}
