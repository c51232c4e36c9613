// contract/any_sum.cl: fold the partial sums of a contraction whose k was split
//
//     out[b,m,n] = EPILOGUE(b, m, n, PART[0][b][m][n] + PART[1][b][m][n] + ...)
//
// hooks   OUT(b, m, n, v)  the epilogue and the store
// macros  ACC  accumulator type    SPAN  neighbouring columns a work-item
//         LEVELS 1: of so many sums the rounding errors are carried along, see lib/block_sums.cl
// sizes   M N BATCHES SPLITS
// launch  contract_sum  global {ceil(N / SPAN)·M·BATCHES, padded}, spans of one row the fastest
// note    one order of addition: results repeat

BODY void sum_parts(const IDX item, PARAMS) {
    const IDX spans = (N + SPAN - 1) / SPAN;
    const IDX row = item / spans, firstN = (item - row * spans) * SPAN, b = row / M, m = row - b * M;
    if (b >= BATCHES)
        return;
    const int have = min((IDX)SPAN, (IDX)N - firstN);
    const size_t plane = (size_t)BATCHES * M * N;
    __global const ACC *part = PART + (size_t)row * N + firstN;
    ACC sum[SPAN];
    for (int j = 0; j < SPAN; j++)
        sum[j] = 0;
#if LEVELS
    ACC rest[SPAN];
    for (int j = 0; j < SPAN; j++)
        rest[j] = 0;
    for (IDX s = 0; s < SPLITS; s++, part += plane)
        for (int j = 0; j < have; j++)
            KAHAN(ACC, sum[j], rest[j], part[j]);
    for (int j = 0; j < have; j++)
        sum[j] += rest[j];
#else
    for (IDX s = 0; s < SPLITS; s++, part += plane)
        for (int j = 0; j < have; j++)
            sum[j] += part[j];
#endif
    for (int j = 0; j < have; j++)
        OUT(b, m, firstN + j, sum[j]);
}

__kernel void contract_sum(PARAMS) {
    sum_parts(get_global_id(0), ARGS);
}
