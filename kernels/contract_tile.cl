// contract_tile.cl: the contraction for GPUs, by tiles in local memory
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// A work-group of TX x TY items computes TM x TN outputs, each item RM x RN of them. It
// walks k in steps of TK: the next step's elements are loaded into registers while the
// present one is multiplied out of local memory.
//
// hooks   LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         OUT(b, m, n, v)  the epilogue and the store
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract_sum.cl
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in it
//         TM TN TK  the tile; TM·TK and TN·TK multiples of TX·TY
//         VW 1, 2 or 4  neighbours an item reads from local memory at once; divides RM and RN
//         A_BY_K B_BY_K  1 where neighbours in memory are neighbours in k
// sizes   M N K    CHUNK  of k a split    TILES_M TILES_N  tiles in each direction    BATCHES
// launch  global {TX·TY·TILES_M·TILES_N·BATCHES·splits}  local {TX·TY}
//         local memory TK·(TM + TN + 2·VW) accumulators
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

#define FETCH(k0) \
    _Pragma("unroll") \
    for (int i = 0; i < TM * TK / WG; i++) { \
        const IDX m = firstM + A_M(id + i * WG), k = (k0) + A_K(id + i * WG); \
        const ACC v = (ACC)LOAD_A(b, min(m, (IDX)M - 1), min(k, last)); \
        nextA[i] = m < M && k <= last ? v : (ACC)0; \
    } \
    _Pragma("unroll") \
    for (int i = 0; i < TN * TK / WG; i++) { \
        const IDX n = firstN + B_N(id + i * WG), k = (k0) + B_K(id + i * WG); \
        const ACC v = (ACC)LOAD_B(b, min(k, last), min(n, (IDX)N - 1)); \
        nextB[i] = n < N && k <= last ? v : (ACC)0; \
    }

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void contract_tile(PARAMS) {
    __local VEC shareA[TK][ROW_A], shareB[TK][ROW_B];
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

    ACC acc[RM][RN];
    #pragma unroll
    for (int i = 0; i < RM; i++)
        #pragma unroll
        for (int j = 0; j < RN; j++)
            acc[i][j] = 0;

    ACC nextA[TM * TK / WG], nextB[TN * TK / WG];
    FETCH(first)
    for (IDX k0 = first; k0 <= last; k0 += TK) {
        #pragma unroll
        for (int i = 0; i < TM * TK / WG; i++)
            ((__local ACC *)shareA[A_K(id + i * WG)])[A_M(id + i * WG)] = nextA[i];
        #pragma unroll
        for (int i = 0; i < TN * TK / WG; i++)
            ((__local ACC *)shareB[B_K(id + i * WG)])[B_N(id + i * WG)] = nextB[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k0 + TK <= last) {
            FETCH(k0 + TK)
        }
        #pragma unroll
        for (int kk = 0; kk < TK; kk++) {
            ACC av[RM], bv[RN];
            #pragma unroll
            for (int i = 0; i < RM / VW; i++)
                SPREAD(shareA[kk][i * TY + ty], av + i * VW);
            #pragma unroll
            for (int j = 0; j < RN / VW; j++)
                SPREAD(shareB[kk][j * TX + tx], bv + j * VW);
            #pragma unroll
            for (int i = 0; i < RM; i++)
                #pragma unroll
                for (int j = 0; j < RN; j++)
                    acc[i][j] = MAC(av[i], bv[j], acc[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

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
