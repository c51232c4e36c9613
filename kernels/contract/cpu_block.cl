// contract/cpu_block.cl: the contraction for CPU drivers, block by block in local memory
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// One work-item computes ROWS x PANELS·NR outputs of LOTS batches, alone in its group: local
// memory is then what one core keeps in its caches. It lays DEPTH x PANELS·NR elements of B
// out as panels of NR columns, k after k, and multiplies them with MR rows of A at a time, in
// MR·NV accumulators of VL lanes. Nothing is shared, so one launch does everything.
//
// hooks   OUT(b, m, n, v)      the epilogue and the store
//         A_ALONG_K 1: A_PTR + A_ROW(b, m) + k is element (b, m, k), A_LOAD(p) widens VL of
//                      them, A_ONE(p, i) one; where A_DIRECT they are used where they lie,
//                      else rows are first copied
//         A_ALONG_K 0: LOAD_A(b, m, k); A_ALONG_M 1: A_PTR + A_COLUMN(b, k) + m, A_LOAD(p) widens MR
//         B_ALONG_K 1: B_PTR + B_COLUMN(b, n) + k, B_LOAD(p) widens VL: squares of VL x VL are
//                      read along k and transposed in registers
//         B_ALONG_N 1: B_PTR + B_ROW(b, k) + n, B_LOAD(p) widens VL
//         LOAD_B(b, k, n)      what these leave over
//         ROWS_ADJOIN 1: the output lies along m
//         OUTSIDE(m, rows, n, columns)  where defined: nothing of this part of the output is wanted
//         STRIP(i, n)  where defined: which of the n strips of columns work-item i takes
//         OUT_VECTOR(b, m, n, x)  where results are stored side by side: of VL sums from column n on
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
//         WORDS 4: bytes, four values of k in a word. All of the above are words then, K and DEPTH
//                  count words, and MAC sums four products; pointers are to bytes. A_WHOLE, B_WHOLE
//                  are how many words can be read in place. Where MAC wants A ^ FLIP instead of A,
//                  MAC(FLIP, b, 0) of all b is subtracted: panels have a row more for it
//         LEVELS TERMS  how sums of the terms in local memory are taken: see lib/block_sums.cl
//         RESTS 1: those of so many steps of DEPTH that their rounding errors are carried along
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in vectors of it    VT VL-wide vector of
//         it    VSTORE its vstore    MSTORE  that of MR
//         SPACE_A SPACE_B SPACE_SUM  elements of local memory: GROUP·DEPTH, DEPTH·PANELS·NR,
//         and where DEPTH < K also ROWS·PANELS·NR, twice where RESTS
// sizes   M N K    ROWS GROUP  multiples of MR    PANELS    DEPTH    LOTS    CHUNK  of k a split    BATCHES
// launch  contract_block  global {ceil(N / (PANELS·NR)), ceil(M / ROWS), ceil(BATCHES / LOTS)·splits}  local {1, 1, 1}
// note    neighbours take columns of the same rows: cores then store to lines of the output apart
// source  Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication (2008)

typedef VT __attribute__((aligned(sizeof(ACC)))) VT_ANYWHERE;

#ifndef STRIP
#define STRIP(i, n) (i)
#endif
#ifndef WORDS
#define WORDS 1
#define A_WHOLE K
#define B_WHOLE K
#endif
#ifdef FLIP
#define ROWS_OF(depth) ((depth) + 1)
#else
#define ROWS_OF(depth) (depth)
#endif

#define UNROLL _Pragma("unroll")
#define SOON 16 // rows of B that are on their way: pieces of rows come one from each page

// Adds to the sums of the first V vectors of a panel, and goes on to the next one.
#if LEVELS
#define SUMS(V) \
    for (IDX from = 0; from < depth; from += TERMS) { \
        const IDX to = min(from + TERMS, depth); \
        BLOCK(from, to, V) \
        if (to < depth) \
            ADD_BLOCK(VT, MR * NV, acc) \
    }
#else
#define SUMS(V) BLOCK(0, depth, V)
#endif
#define BLOCK(from, to, V) \
    for (IDX k = (from); k < (to); k++, panel += NV) { \
        VT bv[V]; \
        UNROLL for (int v = 0; v < V; v++) \
            bv[v] = panel[v]; \
        UNROLL for (int i = 0; i < MR; i++) { \
            const VT av = (VT)((ACC)A_AT(i, k)); \
            UNROLL for (int v = 0; v < V; v++) \
                acc[i][v] = MAC(av, bv[v], acc[i][v]); \
        } \
    }

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_block(PARAMS) {
    __local VT partB[SPACE_B / VL];
#if !A_DIRECT
    __local VT partA[SPACE_A / VL];
#endif
#if SPACE_SUM
    __local VT sums[SPACE_SUM / VL];
#endif
    WIDE_VECTORS
    const IDX firstM = (IDX)get_global_id(1) * ROWS, endM = min(firstM + ROWS, (IDX)M);
    const IDX firstN = (IDX)STRIP(get_global_id(0), get_global_size(0)) * PANELS * NR, endN = min(firstN + PANELS * NR, (IDX)N);
    const IDX z = get_global_id(2);
#if SPLIT
    const IDX lots = (BATCHES + LOTS - 1) / LOTS, s = z / lots, lot = z - s * lots;
    const IDX begin = s * CHUNK, end = min(begin + CHUNK, (IDX)K);
#else
    const IDX lot = z, begin = 0, end = K;
#endif
    const IDX endB = min(lot * LOTS + LOTS, (IDX)BATCHES);
#ifdef OUTSIDE
    if (OUTSIDE(firstM, ROWS, firstN, PANELS * NR))
        return;
#endif

    for (IDX b = lot * LOTS; b < endB; b++)
    for (IDX k0 = begin; k0 < end; k0 += DEPTH) {
        const IDX k1 = min(k0 + DEPTH, end), depth = k1 - k0;

        // Each row of B as far as it goes: panels, depth·NV vectors each, side by side.
        const IDX fullN = endN == N ? N - N % NR : endN;
        IDX k = k0;
#if B_ALONG_K
        for (; k + VL <= min(k1, (IDX)B_WHOLE); k += VL)
            for (IDX n = firstN; n < fullN; n += NR) {
                __local VT *to = partB + ((n - firstN) / NR * ROWS_OF(depth) + (k - k0)) * NV;
                #pragma unroll 1
                for (int v = 0; v < NV; v++) {
                    VT r[VL];
                    #pragma unroll
                    for (int j = 0; j < VL; j++) {
                        __global const B_TYPE *from = B_PTR + B_COLUMN(b, n + v * VL + j) + k * WORDS;
                        r[j] = B_LOAD(from);
                        FETCH_FAR(from + VL * WORDS);
                    }
                    transpose(r);
                    #pragma unroll
                    for (int i = 0; i < VL; i++)
                        to[i * NV + v] = r[i];
                }
            }
#elif B_ALONG_N
        for (; k < min(k1, (IDX)B_WHOLE); k++) {
            __global const B_TYPE *from = B_PTR + B_ROW(b, k) + firstN, *soon = B_PTR + B_ROW(b, min(k + SOON, (IDX)K - 1)) + firstN;
            __local VT *to = partB + (k - k0) * NV;
            for (IDX n = firstN; n < fullN; n += NR, from += NR, soon += NR, to += ROWS_OF(depth) * NV)
                #pragma unroll
                for (int v = 0; v < NV; v++) {
                    to[v] = B_LOAD(from + v * VL);
                    FETCH_FAR(soon + v * VL);
                }
        }
#endif
        for (IDX n = firstN; n < endN; n += NR) {
            const int have = min((IDX)NR, (IDX)N - n);
            IDX i = n < fullN ? k : k0;
            __local ACC *to = (__local ACC *)(partB + ((n - firstN) / NR * ROWS_OF(depth) + (i - k0)) * NV);
            for (; i < k1; i++, to += NR) {
                for (int j = 0; j < have; j++)
                    to[j] = (ACC)LOAD_B(b, i, n + j);
                for (int j = have; j < NR; j++)
                    to[j] = 0;
            }
#ifdef FLIP
            __local VT *panel = partB + (n - firstN) / NR * ROWS_OF(depth) * NV;
            #pragma unroll
            for (int v = 0; v < NV; v++) {
                VT too = (VT)(0);
                for (IDX i = 0; i < depth; i++)
                    too = MAC((VT)(FLIP), panel[i * NV + v], too);
                panel[depth * NV + v] = -too;
            }
#endif
        }

        for (IDX group = firstM; group < endM; group += GROUP) {
            const IDX endGroup = min(group + GROUP, endM);
#if A_ALONG_K && !A_DIRECT
            for (IDX m = group; m < group + (endGroup - group + MR - 1) / MR * MR; m++) {
                __global const A_TYPE *from = A_PTR + A_ROW(b, min(m, (IDX)M - 1)) + k0 * WORDS;
                __local ACC *to = (__local ACC *)partA + (m - group) * depth;
                const IDX whole = min(k1, (IDX)A_WHOLE) - k0;
                IDX k = 0;
                for (; k + VL <= whole; k += VL)
                    VSTORE(A_LOAD(from + k * WORDS), 0, to + k);
                for (; k < whole; k++)
                    to[k] = (ACC)A_ONE(from, k * WORDS);
#if WORDS > 1
                for (; k < depth; k++)
                    to[k] = (ACC)LOAD_A(b, min(m, (IDX)M - 1), k0 + k);
#endif
            }
#elif !A_ALONG_K
            // Rows of the group as far as they go, tiles of depth·MR elements side by side.
            IDX fullM = group;
#if A_ALONG_M
            fullM += (min(group + GROUP, (IDX)M) - group) / MR * MR;
            const IDX whole = min(k1, (IDX)A_WHOLE);
            for (IDX k = k0; k < whole; k++) {
                __global const A_TYPE *from = A_PTR + A_COLUMN(b, k) + group;
                __local ACC *to = (__local ACC *)partA + (k - k0) * MR;
                for (IDX m = group; m < fullM; m += MR, from += MR, to += depth * MR)
                    MSTORE(A_LOAD(from), 0, to);
            }
#endif
            for (IDX m = group; m < endGroup; m += MR) {
#if A_ALONG_M
                const IDX from = m < fullM ? whole : k0;
#else
                const IDX from = k0;
#endif
                __local ACC *to = (__local ACC *)partA + (m - group) * depth + (from - k0) * MR;
                for (IDX k = from; k < k1; k++, to += MR)
                    #pragma unroll
                    for (int i = 0; i < MR; i++)
                        to[i] = (ACC)LOAD_A(b, min(m + i, (IDX)M - 1), k);
            }
#endif
            for (IDX m = group; m < endGroup; m += MR) {
#if A_DIRECT
                __global const A_TYPE *row[MR];
                #pragma unroll
                for (int i = 0; i < MR; i++)
                    row[i] = A_PTR + A_ROW(b, min(m + i, (IDX)M - 1)) + k0 * WORDS;
#define A_AT(i, k) A_ONE(row[i], (k) * WORDS)
#elif A_ALONG_K
                __local const ACC *row[MR];
                #pragma unroll
                for (int i = 0; i < MR; i++)
                    row[i] = (__local const ACC *)partA + (m - group + i) * depth;
#define A_AT(i, k) row[i][k]
#else
                __local const ACC *tile = (__local const ACC *)partA + (m - group) * depth;
#define A_AT(i, k) tile[(k) * MR + (i)]
#endif
                __local const VT *panel = partB;
                for (IDX n = firstN; n < endN; n += NR) {
#ifdef OUTSIDE
                    if (OUTSIDE(m, MR, n, NR)) {
                        panel += ROWS_OF(depth) * NV;
                        continue;
                    }
#endif
                    VT acc[MR][NV];
                    #pragma unroll
                    for (int i = 0; i < MR; i++)
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            acc[i][v] = (VT)(0);
                    BLOCK_SUMS(VT, MR * NV)
#if A_DIRECT
                    // The next rows begin where nothing is fetched ahead yet.
                    if (n + NR >= endN && depth >= 256)
                        for (int i = 0; i < MR; i++) {
                            FETCH_ROW(A_PTR + A_ROW(b, min(m + MR + i, (IDX)M - 1)) + k0 * WORDS, 0, 16)
                        }
#endif
#if NV > 1
                    if (N - n <= NR / 2) // the rest of the last panel is zeros
                        SUMS(NV / 2)
                    else
#endif
                        SUMS(NV)
#ifdef FLIP
                    #pragma unroll
                    for (int i = 0; i < MR; i++)
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            acc[i][v] += panel[v];
                    panel += NV;
#endif
                    END_BLOCKS(VT, MR * NV, acc)
#if SPACE_SUM
                    __local VT *sum = sums + ((m - firstM) * PANELS + (n - firstN) / NR * MR) * NV;
                    if (k0 > begin) {
                        #pragma unroll
                        for (int i = 0; i < MR; i++)
                            #pragma unroll
                            for (int v = 0; v < NV; v++) {
#if RESTS
                                VT total = sum[i * NV + v], rest = sum[SPACE_SUM / VL / 2 + i * NV + v];
                                KAHAN(VT, total, rest, acc[i][v]);
                                acc[i][v] = total;
                                if (k1 < end)
                                    sum[SPACE_SUM / VL / 2 + i * NV + v] = rest;
                                else
                                    acc[i][v] += rest;
#else
                                acc[i][v] += sum[i * NV + v];
#endif
                            }
                    }
                    if (k1 < end) {
                        #pragma unroll
                        for (int i = 0; i < MR; i++)
                            #pragma unroll
                            for (int v = 0; v < NV; v++) {
                                sum[i * NV + v] = acc[i][v];
#if RESTS
                                if (k0 == begin)
                                    sum[SPACE_SUM / VL / 2 + i * NV + v] = (VT)(0);
#endif
                            }
                        continue;
                    }
#endif
                    const int down = min((IDX)MR, (IDX)M - m), across = min((IDX)NR, (IDX)N - n);
                    int at = 0; // what is not stored by vectors
#ifdef OUT_VECTOR
                    #pragma unroll
                    for (int v = 0; v < NV; v++)
                        if ((v + 1) * VL <= across)
                            #pragma unroll
                            for (int i = 0; i < MR; i++)
                                if (i < down)
                                    OUT_VECTOR(b, m + i, n + v * VL, acc[i][v]);
                    at = across / VL * VL;
                    if (at == across)
                        continue;
#endif
                    ACC lane[MR][NR] __attribute__((aligned(128)));
                    #pragma unroll
                    for (int i = 0; i < MR; i++)
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            *(VT *)(lane[i] + v * VL) = acc[i][v];
#if SPLIT
                    for (int i = 0; i < down; i++)
                        for (int j = at; j < across; j++)
                            PART[(((size_t)s * BATCHES + b) * M + m + i) * N + n + j] = lane[i][j];
#elif ROWS_ADJOIN
                    for (int j = 0; j < across; j++)
                        if (down == MR)
                            for (int i = 0; i < MR; i++)
                                OUT(b, m + i, n + j, lane[i][j]);
                        else
                            for (int i = 0; i < down; i++)
                                OUT(b, m + i, n + j, lane[i][j]);
#else
                    for (int i = 0; i < down; i++)
                        if (across - at == NR)
                            WIDE for (int j = 0; j < NR; j++)
                                OUT(b, m + i, n + j, lane[i][j]);
                        else
                            PARTLY for (int j = at; j < across; j++)
                                OUT(b, m + i, n + j, lane[i][j]);
#endif
                }
            }
        }
    }
}
