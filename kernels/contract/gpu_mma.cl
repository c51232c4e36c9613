// contract/gpu_mma.cl: the contraction of half types, by matrix units
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// A work-group of WX x WY warps of 32 lanes computes TM x TN outputs, each warp an equal
// rectangle of blocks of 16 x 8, in steps of TK values of k. Local memory holds STAGES steps:
// while one is multiplied the others are on their way. Values lie there as they lie in global
// memory, in chunks of 8 neighbours, at most 8 chunks a row, which are exchanged within a row so that 8 rows of a
// matrix are in 8 different sets of banks. Where a row has more chunks, eight of each make a panel.
//
// hooks   LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         A_AT(b, m, k)  B_AT(b, n, k)  where COPY_A, COPY_B: positions in A_PTR, B_PTR
//         OUT(b, m, n, v)  the epilogue and the store
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
//         the units' own: see contract/gpu_mma_ptx.cl
// macros  BF16  1 where operands are bfloat16, 0 float16    WG  32·WX·WY
//         TM a multiple of 16·WY, TN of 16·WX, TK 16, 32 or 64; TM·TK and TN·TK of 8·32·WX·WY
//         STAGES 2, 3 or 4
//         A_BY_K B_BY_K  1 where neighbours in memory are neighbours in k
//         LEVELS TERMS BLOCKS  how sums of many terms are taken: see lib/block_sums.cl
//         COPY_A COPY_B  1 where chunks can be copied as they are
//         STEADY_A STEADY_B  1 where, besides, positions grow evenly with k
//         WARPGROUPS  1 where four warps multiply together what they read from local memory, as contract/gpu_wgmma.cl
//         describes it: WX 1, TM 16·WY, a multiple of 64, TN 64, 128 or 256
//         BAND  rows of tiles that groups take column by column, so that they share what they read
// sizes   A_WIDE B_WIDE  1 where all strides are multiples of 8: with a pointer that is aligned
//         as well, chunks are aligned
//         M N K    CHUNK  of k a split    TILES_M TILES_N  tiles in each direction    BATCHES
// launch  contract_mma  global {32·WX·WY·TILES_M·TILES_N·BATCHES·splits}  local {32·WX·WY}
//         local memory STAGES·TK·(TM + TN)·2 bytes
// note    positions past an edge count as 0
// source  NVIDIA, CUTLASS: Efficient GEMM; PTX ISA, ldmatrix

#define WARP_M (TM / WY)
#define WARP_N (TN / WX)
#define BLOCKS_M (WARP_M / 16)
#define BLOCKS_N (WARP_N / 8)

// Eight neighbours of an operand, one by one.
#define VALUE_A(j) (A_BY_K ? FETCH_A(m, k + (j)) : FETCH_A(m + (j), k))
#define VALUE_B(j) (B_BY_K ? FETCH_B(n, k + (j)) : FETCH_B(n + (j), k))
#define FETCH_A(m, k) ((m) < M && (k) <= last ? (float)LOAD_A(b, min((IDX)(m), (IDX)M - 1), min((IDX)(k), last)) : 0.0f)
#define FETCH_B(n, k) ((n) < N && (k) <= last ? (float)LOAD_B(b, min((IDX)(k), last), min((IDX)(n), (IDX)N - 1)) : 0.0f)
#define GATHER(to, VALUE) { \
    uint4 v; \
    PACK_INTO(v.x, VALUE(0), VALUE(1)); \
    PACK_INTO(v.y, VALUE(2), VALUE(3)); \
    PACK_INTO(v.z, VALUE(4), VALUE(5)); \
    PACK_INTO(v.w, VALUE(6), VALUE(7)); \
    to = v; \
}

// Chunk e of a step: its row and its place in the row are a position along k and one along
// m or n, in the order in which they lie in memory.
#define AT_A(e) \
    const int r = (e) / CHUNKS_A, c = (e) % CHUNKS_A; \
    const IDX m = firstM + (A_BY_K ? r : 8 * c), k = from + (A_BY_K ? 8 * c : r); \
    __local uint4 *to = &shareA[into][PLACE(r, c, CHUNKS_A)];
#define AT_B(e) \
    const int r = (e) / CHUNKS_B, c = (e) % CHUNKS_B; \
    const IDX n = firstN + (B_BY_K ? r : 8 * c), k = from + (B_BY_K ? 8 * c : r); \
    __local uint4 *to = &shareB[into][PLACE(r, c, CHUNKS_B)];
#define INSIDE(own, k, OWN, BY_K) \
    ((own) < OWN && (k) <= last ? 2 * (int)min((IDX)8, BY_K ? last + 1 - (k) : (IDX)OWN - (own)) : 0)
#if STEADY_A
#define COPY_STEADY_A \
    if (steadyA && from + TK - 1 <= last) { \
        UNROLL \
        for (int i = 0; i < TM * TK / 8 / WG; i++) { \
            const int e = id + i * WG; \
            COPY_ALL(&shareA[into][PLACE(e / CHUNKS_A, e % CHUNKS_A, CHUNKS_A)], A_PTR + atA[i]) \
            atA[i] += stepA; \
        } \
    } else
#else
#define COPY_STEADY_A
#endif
#if COPY_A
#define COPY_STEP_A \
    COPY_STEADY_A \
    if (wideA) { \
        UNROLL \
        for (int i = 0; i < TM * TK / 8 / WG; i++) { \
            AT_A(id + i * WG) \
            const int bytes = INSIDE(m, k, M, A_BY_K); \
            COPY(to, A_PTR + (bytes > 0 ? A_AT(b, m, k) : 0), bytes) \
        } \
    } else
#else
#define COPY_STEP_A
#endif
#if STEADY_B
#define COPY_STEADY_B \
    if (steadyB && from + TK - 1 <= last) { \
        UNROLL \
        for (int i = 0; i < TN * TK / 8 / WG; i++) { \
            const int e = id + i * WG; \
            COPY_ALL(&shareB[into][PLACE(e / CHUNKS_B, e % CHUNKS_B, CHUNKS_B)], B_PTR + atB[i]) \
            atB[i] += stepB; \
        } \
    } else
#else
#define COPY_STEADY_B
#endif
#if COPY_B
#define COPY_STEP_B \
    COPY_STEADY_B \
    if (wideB) { \
        UNROLL \
        for (int i = 0; i < TN * TK / 8 / WG; i++) { \
            AT_B(id + i * WG) \
            const int bytes = INSIDE(n, k, N, B_BY_K); \
            COPY(to, B_PTR + (bytes > 0 ? B_AT(b, n, k) : 0), bytes) \
        } \
    } else
#else
#define COPY_STEP_B
#endif
#define FETCH(at, start) { \
    const int into = (at); \
    const IDX from = (start); \
    if (from <= last) { \
        COPY_STEP_A \
            for (int i = 0; i < TM * TK / 8 / WG; i++) { \
                AT_A(id + i * WG) \
                GATHER(*to, VALUE_A) \
            } \
        COPY_STEP_B \
            for (int i = 0; i < TN * TK / 8 / WG; i++) { \
                AT_B(id + i * WG) \
                GATHER(*to, VALUE_B) \
            } \
    } \
    COPIES_END \
}

// The fragments of 16 rows of A, and of two blocks of 8 columns of B, for 16 values of k:
// lane 8i + j finds row j of matrix i, whose rows are neighbours in memory.
#if A_BY_K
#define LOAD_BLOCK_A(i, kk) \
    LOAD_ROWS(av[i], &shareA[stage][PLACE(warpM + (i) * 16 + lane % 16, (kk) / 8 + lane / 16, CHUNKS_A)])
#else
#define LOAD_BLOCK_A(i, kk) \
    LOAD_COLUMNS(av[i], &shareA[stage][PLACE((kk) + lane % 8 + lane / 16 * 8, warpM / 8 + (i) * 2 + lane / 8 % 2, CHUNKS_A)])
#endif
#if B_BY_K
#define LOAD_BLOCKS_B(j, kk) \
    LOAD_ROWS(bv[j], &shareB[stage][PLACE(warpN + (j) * 16 + lane % 8 + lane / 16 * 8, (kk) / 8 + lane / 8 % 2, CHUNKS_B)])
#else
#define LOAD_BLOCKS_B(j, kk) \
    LOAD_COLUMNS(bv[j], &shareB[stage][PLACE((kk) + lane % 16, warpN / 8 + (j) * 2 + lane / 16, CHUNKS_B)])
#endif

#ifndef SHARED_ALIGN
#define SHARED_ALIGN 16
#endif

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void contract_mma(PARAMS) {
    __local uint4 shareA[STAGES][TM * TK / 8] __attribute__((aligned(SHARED_ALIGN)));
    __local uint4 shareB[STAGES][TN * TK / 8] __attribute__((aligned(SHARED_ALIGN)));
    UNITS_LOCAL
    const int id = get_local_id(0), lane = id % 32, warp = id / 32;
    const int warpM = warp / WX * WARP_M, warpN = warp % WX * WARP_N;
    IDX group = get_group_id(0);
    const IDX tile = group % (TILES_M * TILES_N), band = tile / (BAND * TILES_N) * BAND;
    const IDX rows = min((IDX)BAND, TILES_M - band), inBand = tile - band * TILES_N;
    const IDX firstM = (band + inBand % rows) * TM, firstN = inBand / rows * TN;
    group /= TILES_M * TILES_N;
    const IDX b = group % BATCHES;
#if SPLIT
    const IDX s = group / BATCHES;
    const IDX first = s * CHUNK, last = min(first + CHUNK, (IDX)K) - 1;
#else
    const IDX first = 0, last = K - 1;
#endif
#if COPY_A
    const bool wideA = A_WIDE && ((size_t)A_PTR & 15) == 0;
#endif
#if STEADY_A
    // Positions are computed once, for tiles that do not reach past an edge.
    const bool steadyA = wideA && firstM + TM <= M;
    const IDX stepA = A_AT(b, firstM, first + TK) - A_AT(b, firstM, first);
    IDX atA[TM * TK / 8 / WG];
    UNROLL
    for (int i = 0; i < TM * TK / 8 / WG; i++) {
        const int r = (id + i * WG) / CHUNKS_A, c = (id + i * WG) % CHUNKS_A;
        atA[i] = A_AT(b, firstM + (A_BY_K ? r : 8 * c), first + (A_BY_K ? 8 * c : r));
    }
#endif
#if COPY_B
    const bool wideB = B_WIDE && ((size_t)B_PTR & 15) == 0;
#endif
#if STEADY_B
    // Positions are computed once, for tiles that do not reach past an edge.
    const bool steadyB = wideB && firstN + TN <= N;
    const IDX stepB = B_AT(b, firstN, first + TK) - B_AT(b, firstN, first);
    IDX atB[TN * TK / 8 / WG];
    UNROLL
    for (int i = 0; i < TN * TK / 8 / WG; i++) {
        const int r = (id + i * WG) / CHUNKS_B, c = (id + i * WG) % CHUNKS_B;
        atB[i] = B_AT(b, firstN + (B_BY_K ? r : 8 * c), first + (B_BY_K ? 8 * c : r));
    }
#endif

    float acc[BLOCKS_M][BLOCKS_N][4];
    UNROLL
    for (int i = 0; i < BLOCKS_M; i++)
        UNROLL
        for (int j = 0; j < BLOCKS_N; j++)
            UNROLL
            for (int v = 0; v < 4; v++)
                acc[i][j][v] = 0;
    BLOCK_SUMS(float, BLOCKS_M * BLOCKS_N * 4)
#if LEVELS
    int terms = 0;
#endif

    UNROLL
    for (int ahead = 0; ahead < STAGES - 1; ahead++)
        FETCH(ahead, first + ahead * TK)
    int stage = 0;
    for (IDX k0 = first; k0 <= last; k0 += TK) {
        COPIES_WAIT(STAGES - 2)
        barrier(CLK_LOCAL_MEM_FENCE); // the step is there, and everyone is done with the one before
        FETCH((stage + STAGES - 1) % STAGES, k0 + (STAGES - 1) * TK)
#if WARPGROUPS
        WGMMA_STEP(acc[0], STEP_A, STEP_B)
#else
        UNROLL
        for (int kk = 0; kk < TK; kk += 16) {
            uint av[BLOCKS_M][4], bv[BLOCKS_N / 2][4];
            UNROLL
            for (int i = 0; i < BLOCKS_M; i++)
                LOAD_BLOCK_A(i, kk)
            UNROLL
            for (int j = 0; j < BLOCKS_N / 2; j++)
                LOAD_BLOCKS_B(j, kk)
            UNROLL
            for (int i = 0; i < BLOCKS_M; i++)
                UNROLL
                for (int j = 0; j < BLOCKS_N; j++)
                    MULTIPLY(acc[i][j], av[i], bv[j / 2] + j % 2 * 2)
        }
#endif
        stage = (stage + 1) % STAGES;
#if LEVELS
        terms += TK;
        if (terms >= TERMS) {
            terms = 0;
            ADD_BLOCK(float, BLOCKS_M * BLOCKS_N * 4, acc)
        }
#endif
    }
    END_BLOCKS(float, BLOCKS_M * BLOCKS_N * 4, acc)

    UNROLL
    for (int i = 0; i < BLOCKS_M; i++)
        UNROLL
        for (int j = 0; j < BLOCKS_N; j++)
            UNROLL
            for (int v = 0; v < 4; v++) {
                const IDX m = firstM + warpM + i * 16 + v / 2 * 8 + lane / 4;
                const IDX n = firstN + warpN + j * 8 + lane % 4 * 2 + v % 2;
                if (m < M && n < N) {
#if SPLIT
                    PART[(((size_t)s * BATCHES + b) * M + m) * N + n] = acc[i][j][v];
#else
                    OUT(b, m, n, acc[i][j][v]);
#endif
                }
            }
}
