// contract/gpu_subgroup.cl: the contraction in the registers of sub-groups
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// A sub-group of LANES items computes RM x RN·LANES outputs: each lane all RM rows of RN
// columns. In a step of TK values of k the lanes load the block of A once, spread over their
// registers, from where all read it; of B a lane loads what its own columns need. Nothing goes
// through local memory, and nobody waits: the SX x SY sub-groups of a work-group only meet in
// the cache.
//
// hooks   LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         A_AT(b, m, k)  B_AT(b, n, k)  where READS_A, NEAR_B: positions in A_PTR, B_PTR
//         OUT(b, m, n, v)  the epilogue and the store
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
//         the sub-groups' own: see contract/gpu_subgroup_intel.cl
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in it    LANES  8 or 16
//         RM 1 to 32    RN 1, 2, 3, 4 or 8    TK a multiple of LANES    SX SY  1 to 16
//         A_BY_K B_BY_K  1 where neighbours in memory are neighbours in k
//         LEVELS TERMS BLOCKS  how sums of many terms are taken: see lib/block_sums.cl
//         READS_A  registers of a lane that a row in memory of a block of A fills: TK / LANES, or
//         RM / LANES where not A_BY_K; 0 where A is loaded by LOAD_A
//         NEAR_B  1 where columns, or B_BY_K four values of k, are one read
//         READ_A READ_B FOUR_B  what reads them, float accumulators: see contract/gpu_subgroup_intel.cl
//         A_WIDE B_WIDE  bytes to which an address must be aligned for it; strides are multiples
//         BAND  rows of tiles that groups take column by column, so that they share what they read
// sizes   A_STEP B_STEP  from row to row, or column to column, of what is read
//         M N K    CHUNK  of k a split    TILES_M TILES_N  of groups in each direction    BATCHES
// launch  contract_subgroup  global {LANES·SX·SY·TILES_M·TILES_N·BATCHES·splits}  local {LANES·SX·SY}
// note    what is left of k, and matrices that are smaller than a tile, are loaded value by value
// source  Intel, SGEMM sample for OpenCL (2015); Nugteren, CLBlast: Xgemm with GEMMK 1

#define REGISTERS_A (RM * TK / LANES)
#define EDGE_A ((RM + LANES - 1) / LANES)
#define COLUMNS (RN * LANES)
#define PLACE_A(m, k) (A_BY_K ? (m) * TK + (k) : (k) * RM + (m))
#define ROW_OF_A(e) (A_BY_K ? (e) / TK : (e) % RM)
#define K_OF_A(e) (A_BY_K ? (e) % TK : (e) / RM)

// A's block from k0 on. Positions in memory are counted up: many
// of them, each in a register of its own, would leave no room.
#if READS_A
#define WHOLE_A { \
    IDX at = atA; \
    UNROLL \
    for (int r = 0; r < REGISTERS_A / READS_A; r++) { \
        READ_A(av + r * READS_A, A_PTR + at, READS_A) \
        at += A_STEP; \
    } \
    atA = A_BY_K ? atA + TK : at; \
}
#else
#define WHOLE_A \
    UNROLL \
    for (int i = 0; i < REGISTERS_A; i++) \
        av[i] = (ACC)LOAD_A(b, firstM + ROW_OF_A(i * LANES + lane), k0 + K_OF_A(i * LANES + lane));
#endif
// The next KB values of k of the lane's columns.
#if NEAR_B && B_BY_K
#define KB 4
#define WHOLE_B { \
    IDX at = atB; \
    UNROLL \
    for (int j = 0; j < RN; j++) { \
        const float4 v = FOUR_B(B_PTR + at); \
        bv[0][j] = v.x; \
        bv[1][j] = v.y; \
        bv[2][j] = v.z; \
        bv[3][j] = v.w; \
        at += LANES * B_STEP; \
    } \
    atB += 4; \
}
#elif NEAR_B
#define KB 2
#define WHOLE_B \
    UNROLL \
    for (int h = 0; h < KB; h++) { \
        READ_B(bv[h], B_PTR + atB, RN) \
        atB += B_STEP; \
    }
#else
#define KB 1
#define WHOLE_B \
    UNROLL \
    for (int i = 0; i < KB * RN; i++) \
        bv[i / RN][i % RN] = (ACC)LOAD_B(b, k0 + kk + i / RN, firstN + i % RN * LANES + lane);
#endif

__kernel SUBGROUPS(SX, SY)
void contract_subgroup(PARAMS) {
    SUBGROUP_LOCAL
    const int lane = LANE, at = SUBGROUP;
    IDX group = get_group_id(0);
    const IDX tile = group % (TILES_M * TILES_N), band = tile / (BAND * TILES_N) * BAND;
    const IDX rows = min((IDX)BAND, TILES_M - band), inBand = tile - band * TILES_N;
    const IDX ownM = ((band + inBand % rows) * SY + at / SX) * RM, ownN = (inBand / rows * SX + at % SX) * COLUMNS;
    group /= TILES_M * TILES_N;
    const IDX b = group % BATCHES;
#if SPLIT
    const IDX s = group / BATCHES;
    const IDX first = s * CHUNK, last = min(first + CHUNK, (IDX)K) - 1;
#else
    const IDX first = 0, last = K - 1;
#endif
    if (ownM >= M || ownN >= N) // the whole sub-group: none waits for another
        return;
    // The last tiles move back to be whole, and do not store what belongs to their neighbours.
    const IDX firstM = M < RM ? 0 : min(ownM, (IDX)M - RM), firstN = N < COLUMNS ? 0 : min(ownN, (IDX)N - COLUMNS);
    bool whole = M >= RM && N >= COLUMNS;
#if READS_A
    IDX atA = (IDX)A_AT(b, firstM, first);
    whole = whole && ((size_t)(A_PTR + atA) & (A_WIDE - 1)) == 0;
#endif
#if NEAR_B
    IDX atB = (IDX)B_AT(b, firstN, first);
    whole = whole && ((size_t)(B_PTR + atB) & (B_WIDE - 1)) == 0;
    atB += B_BY_K ? lane * B_STEP : 0;
#endif

    ACC acc[RM][RN];
    UNROLL
    for (int i = 0; i < RM; i++)
        UNROLL
        for (int j = 0; j < RN; j++)
            acc[i][j] = 0;
    BLOCK_SUMS(ACC, RM * RN)
#if LEVELS
    int terms = 0;
#define COUNTED(n) \
    terms += (n); \
    if (terms >= TERMS) { \
        terms = 0; \
        ADD_BLOCK(ACC, RM * RN, acc) \
    }
#else
#define COUNTED(n)
#endif
    IDX k0 = first;
    if (whole)
        for (; k0 + TK - 1 <= last; k0 += TK) {
            ACC av[REGISTERS_A], bv[KB][RN];
            WHOLE_A
            SHOW(av, REGISTERS_A)
            UNROLL
            for (int kk = 0; kk < TK; kk += KB) {
                WHOLE_B
                UNROLL
                for (int h = 0; h < KB; h++)
                    UNROLL
                    for (int i = 0; i < RM; i++) {
                        const ACC v = SHOWN(av, PLACE_A(i, kk + h) / LANES, PLACE_A(i, kk + h) % LANES);
                        UNROLL
                        for (int j = 0; j < RN; j++)
                            acc[i][j] = MAC(v, bv[h][j], acc[i][j]);
                    }
            }
            COUNTED(TK)
        }
    for (; k0 <= last; k0++) {
        ACC av[EDGE_A], bv[RN];
        UNROLL
        for (int i = 0; i < EDGE_A; i++)
            av[i] = (ACC)LOAD_A(b, min(firstM + i * LANES + lane, (IDX)M - 1), k0);
        SHOW(av, EDGE_A)
        UNROLL
        for (int j = 0; j < RN; j++)
            bv[j] = (ACC)LOAD_B(b, k0, min(firstN + j * LANES + lane, (IDX)N - 1));
        UNROLL
        for (int i = 0; i < RM; i++) {
            const ACC v = SHOWN(av, i / LANES, i % LANES);
            UNROLL
            for (int j = 0; j < RN; j++)
                acc[i][j] = MAC(v, bv[j], acc[i][j]);
        }
        COUNTED(1)
    }
    END_BLOCKS(ACC, RM * RN, acc)

    UNROLL
    for (int i = 0; i < RM; i++)
        UNROLL
        for (int j = 0; j < RN; j++) {
            const IDX m = firstM + i, n = firstN + j * LANES + lane;
            if (m >= ownM && m < M && n >= ownN && n < N) {
#if SPLIT
                PART[(((size_t)s * BATCHES + b) * M + m) * N + n] = acc[i][j];
#else
                OUT(b, m, n, acc[i][j]);
#endif
            }
        }
}
