// contract/cpu_dot.cl: the contraction for CPU drivers where both operands lie along k in memory
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// One work-item computes ROWS x COLS dot products with vectors along k, UNROLL sums of VL
// lanes each: nothing is packed, so that little work for much data costs one reading.
//
// hooks   A_PTR + A_ROW(b, m) + k, B_PTR + B_COLUMN(b, n) + k  are elements; A_LOAD(p) B_LOAD(p)
//         widen VL of them, A_ONE(p, i) B_ONE(p, i) one
//         OUT(b, m, n, v)  the epilogue and the store
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in it    VT VL-wide vector of it
//         VSTORE its vstore    ROWS COLS    UNROLL  enough sums to hide the latency of MAC
//         LAST(v, n)  v, but 0 in its first n lanes
//         LEVELS TERMS BLOCKS  how sums of many terms are taken: see lib/block_sums.cl
// sizes   M N K    CHUNK  of k a split    BATCHES
// launch  contract_dot  global {ceil(M / ROWS), ceil(N / COLS), BATCHES·splits}  local {1, 1, 1}
// note    rows and columns past the end repeat the last one and are not stored. The last terms are a
//         vector too, where K >= VL: it ends with them, and what was summed before is 0 in both

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_dot(PARAMS) {
    const IDX firstM = (IDX)get_global_id(0) * ROWS, firstN = (IDX)get_global_id(1) * COLS;
    const IDX z = get_global_id(2);
#if SPLIT
    const IDX s = z / BATCHES, b = z - s * BATCHES;
    const IDX first = s * CHUNK, end = min(first + CHUNK, (IDX)K);
#else
    const IDX b = z, first = 0, end = K;
#endif
    __global const A_TYPE *row[ROWS];
    __global const B_TYPE *column[COLS];
    VT acc[ROWS][COLS][UNROLL];
    #pragma unroll
    for (int i = 0; i < ROWS; i++)
        row[i] = A_PTR + A_ROW(b, min(firstM + i, (IDX)M - 1));
    #pragma unroll
    for (int j = 0; j < COLS; j++)
        column[j] = B_PTR + B_COLUMN(b, min(firstN + j, (IDX)N - 1));
    #pragma unroll
    for (int i = 0; i < ROWS; i++)
        #pragma unroll
        for (int j = 0; j < COLS; j++)
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                acc[i][j][u] = (VT)(0);
    BLOCK_SUMS(VT, ROWS * COLS * UNROLL)

    const IDX whole = first + (end - first) / (UNROLL * VL) * (UNROLL * VL);
    IDX k = first;
    while (k < whole) {
#if LEVELS
        const IDX stop = k + min((IDX)(TERMS * UNROLL * VL), whole - k);
#else
        const IDX stop = whole;
#endif
        for (; k < stop; k += UNROLL * VL)
            #pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                VT av[ROWS];
                #pragma unroll
                for (int i = 0; i < ROWS; i++)
                    av[i] = A_LOAD(row[i] + k + u * VL);
                #pragma unroll
                for (int j = 0; j < COLS; j++) {
                    const VT bv = B_LOAD(column[j] + k + u * VL);
                    #pragma unroll
                    for (int i = 0; i < ROWS; i++)
                        acc[i][j][u] = MAC(av[i], bv, acc[i][j][u]);
                }
            }
        if (k < whole)
            ADD_BLOCK(VT, ROWS * COLS * UNROLL, acc)
    }
    for (; K >= VL && k < end; k = min(k + VL, end)) {
        const IDX from = min(k, end - VL);
        VT av[ROWS];
        #pragma unroll
        for (int i = 0; i < ROWS; i++)
            av[i] = LAST(A_LOAD(row[i] + from), k - from);
        #pragma unroll
        for (int j = 0; j < COLS; j++) {
            const VT bv = LAST(B_LOAD(column[j] + from), k - from);
            #pragma unroll
            for (int i = 0; i < ROWS; i++)
                acc[i][j][0] = MAC(av[i], bv, acc[i][j][0]);
        }
    }
    END_BLOCKS(VT, ROWS * COLS * UNROLL, acc)

    #pragma unroll
    for (int i = 0; i < ROWS; i++)
        #pragma unroll
        for (int j = 0; j < COLS; j++) {
            #pragma unroll
            for (int u = 1; u < UNROLL; u++)
                acc[i][j][0] += acc[i][j][u];
            ACC lane[VL];
            VSTORE(acc[i][j][0], 0, lane);
            #pragma unroll
            for (int h = VL / 2; h > 0; h /= 2)
                #pragma unroll
                for (int l = 0; l < h; l++)
                    lane[l] += lane[l + h];
            ACC sum = lane[0];
            for (IDX r = k; r < end; r++)
                sum = MAC((ACC)A_ONE(row[i], r), (ACC)B_ONE(column[j], r), sum);
            if (firstM + i < M && firstN + j < N) {
#if SPLIT
                PART[(((size_t)s * BATCHES + b) * M + firstM + i) * N + firstN + j] = sum;
#else
                OUT(b, firstM + i, firstN + j, sum);
#endif
            }
        }
}
