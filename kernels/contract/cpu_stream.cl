// contract/cpu_stream.cl: the contraction of few rows with a matrix that is read once, for CPU drivers
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// One work-item computes COLUMNS outputs of one row, alone in its group: it keeps their sums in
// local memory, which is then cache of one core, and adds STEPS rows of B at a time, each read
// from end to end, so that pages and what a core fetches ahead are used up.
//
// hooks   LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         B_PTR + B_ROW(b, k) + n is element (b, k, n), B_LOAD(p) widens VL of them
//         OUT(b, m, n, v)  the epilogue and the store
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in vectors of it    VT VL-wide vector of it
//         STEPS  rows of B at a time    SPACE  sums in local memory, a multiple of VL
//         LEVELS 0: sums are of all terms; else of TERMS, a multiple of STEPS, and added to totals by
//         KAHAN, see lib/block_sums.cl
// sizes   M N K    COLUMNS  at most SPACE    CHUNK  of k a split    BATCHES
// launch  contract_stream  global {ceil(N / COLUMNS), M, BATCHES·splits}  local {1, 1, 1}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_stream(PARAMS) {
    __local VT sums[SPACE / VL];
#if LEVELS
    __local VT totals[SPACE / VL], rests[SPACE / VL];
#endif
    const IDX firstN = (IDX)get_global_id(0) * COLUMNS, m = get_global_id(1), z = get_global_id(2);
    const IDX count = min((IDX)COLUMNS, (IDX)N - firstN), vectors = count / VL, whole = vectors * VL;
#if SPLIT
    const IDX s = z / BATCHES, b = z - s * BATCHES;
    const IDX begin = s * CHUNK, end = min(begin + CHUNK, (IDX)K);
#else
    const IDX b = z, begin = 0, end = K;
#endif
    __local ACC *sum = (__local ACC *)sums;
    for (IDX j = 0; j < count; j++)
        sum[j] = 0;
#if LEVELS
    const IDX all = (count + VL - 1) / VL;
    for (IDX j = count; j < all * VL; j++)
        sum[j] = 0;
    for (IDX v = 0; v < all; v++)
        totals[v] = rests[v] = (VT)(0);
    int terms = 0;
#endif

    IDX k = begin;
    for (; k + STEPS <= end; k += STEPS) {
        __global const B_TYPE *row[STEPS];
        ACC a[STEPS];
        #pragma unroll
        for (int i = 0; i < STEPS; i++) {
            row[i] = B_PTR + B_ROW(b, k + i) + firstN;
            a[i] = (ACC)LOAD_A(b, m, k + i);
        }
        for (IDX v = 0; v < vectors; v++) {
            VT t = sums[v];
            #pragma unroll
            for (int i = 0; i < STEPS; i++)
                t = MAC((VT)(a[i]), B_LOAD(row[i] + v * VL), t);
            sums[v] = t;
        }
        for (IDX j = whole; j < count; j++)
            #pragma unroll
            for (int i = 0; i < STEPS; i++)
                sum[j] = MAC(a[i], (ACC)LOAD_B(b, k + i, firstN + j), sum[j]);
#if LEVELS
        terms += STEPS;
        if (terms >= TERMS) {
            terms = 0;
            for (IDX v = 0; v < all; v++) {
                KAHAN(VT, totals[v], rests[v], sums[v]);
                sums[v] = (VT)(0);
            }
        }
#endif
    }
    for (; k < end; k++) {
        const ACC a = (ACC)LOAD_A(b, m, k);
        for (IDX j = 0; j < count; j++)
            sum[j] = MAC(a, (ACC)LOAD_B(b, k, firstN + j), sum[j]);
    }
#if LEVELS
    for (IDX v = 0; v < all; v++) {
        KAHAN(VT, totals[v], rests[v], sums[v]);
        sums[v] = totals[v] + rests[v];
    }
#endif

    for (IDX j = 0; j < count; j++)
#if SPLIT
        PART[(((size_t)s * BATCHES + b) * M + m) * N + firstN + j] = sum[j];
#else
        OUT(b, m, firstN + j, sum[j]);
#endif
}
