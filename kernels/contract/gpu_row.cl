// contract/gpu_row.cl: the contraction of long rows into few outputs or few rows of them: dot products, vector by matrix
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// A work-group computes ROWS outputs of COLUMNS columns. WG / COLUMNS items share a column: item i of them takes the k
// with k mod (WG / COLUMNS) = i, in LANES independent sums an output, and a tree of fixed order joins them.
//
// hooks   LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         OUT(b, m, n, v)  the epilogue and the store
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in it
//         WG  items a group, a power of two    LANES  a power of two    ROWS
//         COLUMNS  a power of two, at most WG: 1 where the sum runs along memory, many where columns adjoin
//         LEVELS TERMS BLOCKS  how sums of many terms are taken: see lib/block_sums.cl
// sizes   M N K    CHUNK  of k a split    BATCHES
// launch  contract_row  global {WG·ceil(M / ROWS)·ceil(N / COLUMNS)·BATCHES·splits}, m the fastest: the few rows
//         share columns in cache    local {WG}    local memory WG accumulators where WG > COLUMNS

#define SLICES (WG / COLUMNS)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void contract_row(PARAMS) {
    IDX group = get_group_id(0);
    const IDX tiles = (M + ROWS - 1) / ROWS, firstM = group % tiles * ROWS;
    group /= tiles;
    const IDX blocks = (N + COLUMNS - 1) / COLUMNS, column = group % blocks * COLUMNS + get_local_id(0) % COLUMNS;
    const IDX n = COLUMNS > 1 ? min(column, (IDX)N - 1) : column;
    group /= blocks;
    const IDX b = group % BATCHES;
#if SPLIT
    const IDX s = group / BATCHES;
    const IDX first = s * CHUNK, end = min(first + CHUNK, (IDX)K);
#else
    const IDX first = 0, end = K;
#endif
    const IDX id = get_local_id(0), slice = id / COLUMNS;
    IDX row[ROWS];
    ACC acc[ROWS][LANES];
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        row[i] = min(firstM + i, (IDX)M - 1);
        #pragma unroll
        for (int j = 0; j < LANES; j++)
            acc[i][j] = 0;
    }
    BLOCK_SUMS(ACC, ROWS * LANES)
#if LEVELS
    int terms = 0;
#endif
    IDX k = first + slice;
    for (; k + (LANES - 1) * SLICES < end; k += LANES * SLICES) {
        ACC bv[LANES];
        #pragma unroll
        for (int j = 0; j < LANES; j++)
            bv[j] = (ACC)LOAD_B(b, k + j * SLICES, n);
        #pragma unroll
        for (int i = 0; i < ROWS; i++)
            #pragma unroll
            for (int j = 0; j < LANES; j++)
                acc[i][j] = MAC((ACC)LOAD_A(b, row[i], k + j * SLICES), bv[j], acc[i][j]);
#if LEVELS
        if (++terms == TERMS) {
            terms = 0;
            ADD_BLOCK(ACC, ROWS * LANES, acc)
        }
#endif
    }
    ADD_BLOCK(ACC, ROWS * LANES, acc)
    for (; k < end; k += SLICES) {
        const ACC bv = (ACC)LOAD_B(b, k, n);
        #pragma unroll
        for (int i = 0; i < ROWS; i++)
            acc[i][0] = MAC((ACC)LOAD_A(b, row[i], k), bv, acc[i][0]);
    }
    END_BLOCKS(ACC, ROWS * LANES, acc)

#if SLICES > 1
    __local ACC share[WG];
#endif
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        #pragma unroll
        for (int j = LANES - 1; j > 0; j--) // a tree: each pair into the one at half its place
            acc[i][j / 2] += acc[i][j];
#if SLICES > 1
        barrier(CLK_LOCAL_MEM_FENCE);
        share[id] = acc[i][0];
        for (int h = WG / 2; h >= COLUMNS; h /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (id < h)
                share[id] += share[id + h];
        }
#endif
        if (slice == 0 && column < N && firstM + i < M) {
#if SLICES > 1
            const ACC sum = share[id]; // written by this item: the others would race with it
#else
            const ACC sum = acc[i][0];
#endif
#if SPLIT
            PART[(((size_t)s * BATCHES + b) * M + firstM + i) * N + n] = sum;
#else
            OUT(b, firstM + i, n, sum);
#endif
        }
    }
}
