// contract/cpu_strip.cl: windows that slide along lines of an image, for CPU drivers
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// Columns are windows, which move by STEP elements along a line of WINDOWS. One work-item
// goes through SPAN vectors of VL neighbouring windows, and holds NV of these x MR rows in vectors.
// Each tap is a vector of the image where it lies, multiplied with MR factors: nothing is packed but
// the rows, and results lie side by side as images do. A line ends with a vector that begins
// before the one before it ends; what they share is stored once, or twice the same.
//
// hooks   B_PTR + B_AT(b, line, i) + B_TAP(k) is tap k of window i; see contract/cpu_line.cl
//         A_PACK  rows, packed by contract/cpu_pack_a.cl: [batch][tile][k][MR]
//         OUT(b, m, n, v)  the epilogue and the store
//         OUT_VECTOR(b, m, n, x)  where results are stored side by side: of VL sums from column n on
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in vectors of it    VT  VL-wide vector of it
//         WHOLE 1: lines are as long as a vector at least, and what is stored may be so twice
//         LEVELS TERMS  how sums of many terms are taken: see lib/block_sums.cl
//         STEP  1, 2 or more    TAPS SPACE  entries of its tables, K and SPAN at least
// sizes   M K    WINDOWS LINE_VECTORS  windows and vectors of a line    VECTORS  of a batch
//         SPAN  vectors a work-item, a multiple of NV    TILES  of MR rows a work-item
//         A_PLANE  elements of a packed batch, 0 where all share one
//         LAST  the largest position from which a vector of windows with all its taps lies in the buffer
// launch  contract_strip  global {ceil(VECTORS / SPAN), ceil(tiles / TILES), batches}  local {1, 1, 1}
// for     convolutions of few channels, or of few channels a group, and their derivatives
// source  Georganas et al., Anatomy of High-Performance Deep Learning Convolutions on SIMD
//         Architectures (2018)

#if !WHOLE
#define EMIT(count) do { \
    for (int j = 0; j < (count); j++) \
        OUT(b, firstM + i, left + first + j, lane[first + j]); \
} while (0)
#endif

BODY void strip_windows(const IDX span, const IDX rows_at, const IDX b, PARAMS) {
    IDX tap[TAPS], places[SPACE], lefts[SPACE];
#if !WHOLE
    int skips[SPACE], counts[SPACE]; // lanes before those that are stored, and these
#endif
    WIDE_VECTORS
    const IDX q0 = span * SPAN, q1 = min(q0 + SPAN, (IDX)VECTORS);
    const IDX m0 = rows_at * TILES * MR, m1 = min(m0 + TILES * MR, (IDX)M);
    for (IDX k = 0; k < K; k++)
        tap[k] = B_TAP(k);
    for (IDX q = q0; q < q0 + SPAN; q++) {
        const IDX at = min(q, q1 - 1), line = at / LINE_VECTORS, i = (at - line * LINE_VECTORS) * VL;
        const IDX start = max(min(i, (IDX)WINDOWS - VL), (IDX)0), place = B_AT(b, line, start);
#if WHOLE
        places[q - q0] = place;
        lefts[q - q0] = line * WINDOWS + start;
#else
        // A line shorter than a vector may begin so late that the buffer ends before the vector does.
        const IDX early = place > LAST ? (place - LAST + STEP - 1) / STEP : 0;
        places[q - q0] = place - early * STEP;
        lefts[q - q0] = line * WINDOWS + i;
        skips[q - q0] = i - start + early;
        counts[q - q0] = q < q1 ? min((IDX)VL, (IDX)WINDOWS - i) : 0;
#endif
    }

    __global const ACC *rows = A_PACK + (size_t)b * A_PLANE + (size_t)m0 * K;
    for (IDX firstM = m0; firstM < m1; firstM += MR, rows += MR * (IDX)K)
        for (IDX q = 0; q < q1 - q0; q += NV) {
            __global const LINE_TYPE *from[NV];
            VT acc[MR][NV];
            #pragma unroll
            for (int v = 0; v < NV; v++)
                from[v] = B_PTR + places[q + v];
            #pragma unroll
            for (int i = 0; i < MR; i++)
                #pragma unroll
                for (int v = 0; v < NV; v++)
                    acc[i][v] = (VT)(0);
            BLOCK_SUMS(VT, MR * NV)
            __global const ACC *a = rows;
            for (IDX k = 0; k < K;) {
#if LEVELS
                const IDX stop = min(k + TERMS, (IDX)K);
#else
                const IDX stop = K;
#endif
                for (; k < stop; k++, a += MR) {
                    const IDX at = tap[k];
                    VT bv[NV];
                    #pragma unroll
                    for (int v = 0; v < NV; v++)
                        bv[v] = line_load(from[v] + at);
                    #pragma unroll
                    for (int i = 0; i < MR; i++) {
                        const VT av = (VT)(a[i]);
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            acc[i][v] = MAC(av, bv[v], acc[i][v]);
                    }
                }
                ADD_BLOCK(VT, MR * NV, acc)
            }
            END_BLOCKS(VT, MR * NV, acc)

#if WHOLE
            #pragma unroll
            for (int i = 0; i < MR; i++)
                if (firstM + i < m1)
                    #pragma unroll
                    for (int v = 0; v < NV; v++)
                        OUT_VECTOR(b, firstM + i, lefts[q + v], acc[i][v]);
#else
            // All of it first: a load of what was stored just before waits.
            ACC out[MR][NV][VL] __attribute__((aligned(128)));
            #pragma unroll
            for (int i = 0; i < MR; i++)
                #pragma unroll
                for (int v = 0; v < NV; v++)
                    *(VT *)out[i][v] = acc[i][v];
            const int have = min((IDX)MR, m1 - firstM);
            for (int i = 0; i < have; i++)
                for (int v = 0; v < NV; v++) {
                    const ACC *lane = out[i][v] + skips[q + v];
                    const IDX left = lefts[q + v];
                    const int count = counts[q + v];
                    int first = 0;
#ifdef OUT_VECTOR
                    if (count == VL) {
                        OUT_VECTOR(b, firstM + i, left, *(VT *)lane);
                        continue;
                    }
#endif
                    #pragma unroll
                    for (int n = VL; n > 0; n /= 2)
                        if (count & n) {
                            EMIT(n);
                            first += n;
                        }
                }
#endif
        }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_strip(PARAMS) {
    strip_windows(get_global_id(0), get_global_id(1), get_global_id(2), ARGS);
}
