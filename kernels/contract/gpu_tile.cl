// contract/gpu_tile.cl: the contraction for GPUs, by tiles in local memory
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// A work-group of TX x TY items computes TM x TN outputs, each item RM x RN of them. It
// walks k in steps of TK: the next step's elements are loaded into registers while the
// present one is multiplied out of local memory. With two STAGES of local memory a step
// needs one barrier instead of two.
//
// hooks   LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         A_AT(b, m, k)  B_AT(b, n, k)  where LA, LB > 1: positions in A_PTR, B_PTR
//         OUT(b, m, n, v)  the epilogue and the store
//         OUTSIDE(m, rows, n, columns)  where defined: nothing of this part of the output is wanted
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in it
//         TM TN TK  the tile; TM·TK and TN·TK multiples of TX·TY
//         VW 1, 2 or 4  neighbours an item reads from local memory at once; divides RM and RN
//         A_BY_K B_BY_K  1 where neighbours in memory are neighbours in k
//         LEVELS TERMS BLOCKS  how sums of many terms are taken: see lib/block_sums.cl
//         LA LB  1 or 4  neighbours an item reads from global memory at once, floats; then
//         TM·TK and TN·TK are multiples of 4·TX·TY    STAGES 1 or 2
// sizes   A_WIDE B_WIDE  1 where all strides are multiples of 4: with a pointer that is aligned
//         as well, four neighbours are one access
//         M N K    CHUNK  of k a split    TILES_M TILES_N  tiles in each direction    BATCHES
// launch  contract_tile  global {TX·TY·TILES_M·TILES_N·BATCHES·splits}  local {TX·TY}
//         local memory STAGES·TK·(TM + TN + 2·VW) accumulators
// note    positions past an edge are clamped for the load and count as 0
// source  Nugteren, CLBlast: A Tuned OpenCL BLAS Library (2018)

#define WG (TX * TY)
#define RM (TM / TY)
#define RN (TN / TX)
#define ROW_A (TM / VW + 1)
#define ROW_B (TN / VW + 1)
#if A_BY_K
#define A_M(e) ((e) / TK)
#define A_K(e) ((e) % TK)
#else
#define A_M(e) ((e) % TM)
#define A_K(e) ((e) / TM)
#endif
#if B_BY_K
#define B_N(e) ((e) / TK)
#define B_K(e) ((e) % TK)
#else
#define B_N(e) ((e) % TN)
#define B_K(e) ((e) / TN)
#endif

// What item id fetches: LA neighbours at a time. Scalars are clamped at the edges.
#define EACH_A(i) ((id + (i) / LA * WG) * LA + (i) % LA)
#define EACH_B(i) ((id + (i) / LB * WG) * LB + (i) % LB)
#define FETCH_A(i, k0) { \
    const IDX m = firstM + A_M(EACH_A(i)), k = (k0) + A_K(EACH_A(i)); \
    const ACC v = (ACC)LOAD_A(b, min(m, (IDX)M - 1), min(k, last)); \
    nextA[i] = m < M && k <= last ? v : (ACC)0; \
}
#define FETCH_B(i, k0) { \
    const IDX n = firstN + B_N(EACH_B(i)), k = (k0) + B_K(EACH_B(i)); \
    const ACC v = (ACC)LOAD_B(b, min(k, last), min(n, (IDX)N - 1)); \
    nextB[i] = n < N && k <= last ? v : (ACC)0; \
}
#if LA > 1
#define FAST_A(i, k0) \
    if (wideA && firstM + A_M(EACH_A(i)) + (A_BY_K ? 0 : 3) < M && (k0) + A_K(EACH_A(i)) + (A_BY_K ? 3 : 0) <= last) \
        vstore4(*(__global const float4 *)(A_PTR + A_AT(b, firstM + A_M(EACH_A(i)), (k0) + A_K(EACH_A(i)))), 0, nextA + (i)); \
    else
#else
#define FAST_A(i, k0)
#endif
#if LB > 1
#define FAST_B(i, k0) \
    if (wideB && firstN + B_N(EACH_B(i)) + (B_BY_K ? 0 : 3) < N && (k0) + B_K(EACH_B(i)) + (B_BY_K ? 3 : 0) <= last) \
        vstore4(*(__global const float4 *)(B_PTR + B_AT(b, firstN + B_N(EACH_B(i)), (k0) + B_K(EACH_B(i)))), 0, nextB + (i)); \
    else
#else
#define FAST_B(i, k0)
#endif

#define FETCH(k0) \
    _Pragma("unroll") \
    for (int i = 0; i < TM * TK / WG; i += LA) \
        FAST_A(i, k0) \
            _Pragma("unroll") \
            for (int j = 0; j < LA; j++) \
                FETCH_A(i + j, k0) \
    _Pragma("unroll") \
    for (int i = 0; i < TN * TK / WG; i += LB) \
        FAST_B(i, k0) \
            _Pragma("unroll") \
            for (int j = 0; j < LB; j++) \
                FETCH_B(i + j, k0)

#define KEEP(stage) \
    _Pragma("unroll") \
    for (int i = 0; i < TM * TK / WG; i++) \
        ((__local ACC *)shareA[stage][A_K(EACH_A(i))])[A_M(EACH_A(i))] = nextA[i]; \
    _Pragma("unroll") \
    for (int i = 0; i < TN * TK / WG; i++) \
        ((__local ACC *)shareB[stage][B_K(EACH_B(i))])[B_N(EACH_B(i))] = nextB[i];

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void contract_tile(PARAMS) {
    __local VEC shareA[STAGES][TK][ROW_A], shareB[STAGES][TK][ROW_B];
    const int id = get_local_id(0), tx = id % TX, ty = id / TX;
    IDX group = get_group_id(0);
    const IDX firstN = group % TILES_N * TN;
    group /= TILES_N;
    const IDX firstM = group % TILES_M * TM;
    group /= TILES_M;
    const IDX b = group % BATCHES;
#if SPLIT
    const IDX s = group / BATCHES;
    const IDX first = s * CHUNK, last = min(first + CHUNK, (IDX)K) - 1;
#else
    const IDX first = 0, last = K - 1;
#endif

#ifdef OUTSIDE
    if (OUTSIDE(firstM, TM, firstN, TN))
        return; // all items of the group
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
    FETCH(first)
#if STAGES > 1
    KEEP(0)
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    int stage = 0;
    for (IDX k0 = first; k0 <= last; k0 += TK) {
#if STAGES == 1
        KEEP(0)
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (k0 + TK <= last) {
            FETCH(k0 + TK)
        }
        #pragma unroll
        for (int kk = 0; kk < TK; kk++) {
            ACC av[RM], bv[RN];
            #pragma unroll
            for (int i = 0; i < RM / VW; i++)
                SPREAD(shareA[stage][kk][i * TY + ty], av + i * VW);
            #pragma unroll
            for (int j = 0; j < RN / VW; j++)
                SPREAD(shareB[stage][kk][j * TX + tx], bv + j * VW);
            #pragma unroll
            for (int i = 0; i < RM; i++)
                #pragma unroll
                for (int j = 0; j < RN; j++)
                    acc[i][j] = MAC(av[i], bv[j], acc[i][j]);
        }
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

    #pragma unroll
    for (int i = 0; i < RM; i++) {
        const IDX m = firstM + (i / VW * TY + ty) * VW + i % VW;
        #pragma unroll
        for (int j = 0; j < RN; j++) {
            const IDX n = firstN + (j / VW * TX + tx) * VW + j % VW;
            if (m < M && n < N) {
#if SPLIT
                PART[(((size_t)s * BATCHES + b) * M + m) * N + n] = acc[i][j];
#else
                OUT(b, m, n, acc[i][j]);
#endif
            }
        }
    }
}
