// contract/cpu_winograd_kernels.cl: transform kernels of 3 x 3 as contract/cpu_winograd.cl reads them
//
//     KERNELS[b][panel][point][c][j] = point of the transformed B(b, (u, v), c, panel·NR + j)
//
// with 0 past the last column.
//
// hooks   LOAD_B(b, k, n)  the value in its register type, k = (3u + v)·C + c
// macros  ACC  accumulator type    NR  columns of a panel    EDGE POINTS  see contract/cpu_winograd_transform.cl
// sizes   N    C  channels    ALL_PANELS    PACK_K  channels a work-item
// launch  contract_winograd_kernels  global {ceil(C / PACK_K), ALL_PANELS, batches}  local {1, 1, 1}
// source  Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2016)

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_winograd_kernels(PARAMS) {
    const IDX from = (IDX)get_global_id(0) * PACK_K, to = min(from + PACK_K, (IDX)C);
    const IDX panel = get_global_id(1), b = get_global_id(2);
    const int have = min((IDX)NR, (IDX)N - panel * NR);
    __global ACC *out = KERNELS + (size_t)(b * ALL_PANELS + panel) * POINTS * C * NR;
    for (IDX c = from; c < to; c++)
        for (int j = 0; j < NR; j++) {
            ACC g[POINTS];
            #pragma unroll
            for (int u = 0; u < 3; u++)
                #pragma unroll
                for (int v = 0; v < 3; v++)
                    g[u * EDGE + v] = j < have ? (ACC)LOAD_B(b, (u * 3 + v) * C + c, panel * NR + j) : (ACC)0;
            #pragma unroll
            for (int u = 0; u < 3; u++)
                OF_KERNEL(ACC, g + u * EDGE, 1)
            #pragma unroll
            for (int v = 0; v < EDGE; v++)
                OF_KERNEL(ACC, g + v, EDGE)
            #pragma unroll
            for (int p = 0; p < POINTS; p++)
                out[((size_t)p * C + c) * NR + j] = g[p];
        }
}
