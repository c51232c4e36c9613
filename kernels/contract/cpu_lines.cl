// contract/cpu_lines.cl: sums over the pixels of images, for CPU drivers
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// The terms are lines of LENGTH pixels, and the lanes of a vector are neighbours along them: elements of
// B lie side by side, those of A STEP apart, and V rows of A are the same line APART elements on each: taps
// of a kernel. One work-item takes CHUNK terms, BAND lines at a time. It lays them out in local memory, each with
// the REACH elements more that taps meet, so that all of a row of A or column of B is one run; what
// stands between the lines of B is 0. ROWS x COLS sums are vectors in registers, which are folded at the end of the run.
//
// hooks   A_PTR + A_ROW(b, m) + A_COL(k)  is element (b, m, k); see contract/cpu_line.cl
//         B_PLAIN 1: B_PTR + B_COLUMN(b, n) + B_COL(k), B_LOAD(p) widens VL neighbours, B_ONE(p, i) one
//         LOAD_A(b, m, k), LOAD_B(b, k, n)
//         OUT(b, m, n, v)  the epilogue and the store
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; see contract/any_sum.cl
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in it    VT  VL-wide vector of it
//         SPACE_A SPACE_B SPACE_SUM TAPS  elements of local memory
//         RESTS 1: there are so many runs that the rounding errors of sums of them are carried along, by KAHAN,
//         in the second half of SPACE_SUM    LEVELS TERMS  how sums of a long run are taken: see lib/block_sums.cl
//         MEND 1: elements of A that meet such a 0 may be infinite: sums that are not finite are taken plainly
// sizes   M N K    CHUNK  a multiple of LENGTH    V, a divisor of M    APART    PHASES  of STEP that taps meet
//         COLUMNS  a work-item    GROUP  of them, a multiple of COLS, stays in the innermost cache    BATCHES
// launch  contract_lines  global {ceil(N / COLUMNS), 1, BATCHES·splits}  local {1, 1, 1}
// for     derivatives of convolutions of few channels with respect to the kernels
// source  Georganas et al., Anatomy of High-Performance Deep Learning Convolutions on SIMD
//         Architectures (2018), section II-J

#define FOLDED ((ROWS * COLS + VL - 1) / VL) // vectors of folded sums of a tile

// Half of a's lanes are added to the other half, and so are b's: as many lanes of both.
#if VL == 16 // each step by one instruction for each half
#define FOLD_8(a, b) ((VT)((a).lo, (b).lo) + (VT)((a).hi, (b).hi))
#define FOLD_4(a, b) ((VT)((a).s0123, (a).s89ab, (b).s0123, (b).s89ab) + (VT)((a).s4567, (a).scdef, (b).s4567, (b).scdef))
#define FOLD_2(a, b) ((VT)((a).s01, (b).s01, (a).s45, (b).s45, (a).s89, (b).s89, (a).scd, (b).scd) + \
                      (VT)((a).s23, (b).s23, (a).s67, (b).s67, (a).sab, (b).sab, (a).sef, (b).sef))
#define FOLD_1(a, b) ((VT)((a).s02, (b).s02, (a).s46, (b).s46, (a).s8a, (b).s8a, (a).sce, (b).sce) + \
                      (VT)((a).s13, (b).s13, (a).s57, (b).s57, (a).s9b, (b).s9b, (a).sdf, (b).sdf))
#define LANE_OF(i) ((i) / VL * VL + (i) % 4 * 4 + (i) % VL / 4)
#else
#define FOLD(a, b) ((VT)((a).even, (b).even) + (VT)((a).odd, (b).odd))
#define FOLD_4 FOLD
#define FOLD_2 FOLD
#define FOLD_1 FOLD
#define LANE_OF(i) (i)
#endif
#define FOLD_ALL(n) \
    _Pragma("unroll") \
    for (int i = 0; i < FOLDED * (n); i++) \
        acc[i] = FOLD_##n(acc[2 * i], acc[2 * i + 1]);

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_lines(PARAMS) {
    __local VT partA[SPACE_A / VL], partB[SPACE_B / VL], sums[SPACE_SUM / VL];
    __local int tap[TAPS];
    WIDE_VECTORS
    const IDX z = get_global_id(2);
#if SPLIT
    const IDX s = z / BATCHES, b = z - s * BATCHES, first = s * CHUNK, end = min(first + CHUNK, (IDX)K);
#else
    const IDX b = z, first = 0, end = K;
#endif
    const IDX firstN = (IDX)get_global_id(0) * COLUMNS;
    const int columns = min((IDX)COLUMNS, (IDX)N - firstN), across = (columns + COLS - 1) / COLS;
    const int pitch = LENGTH + REACH, planeA = BAND * pitch, planeB = (planeA + VL - 1) / VL;
    __local ACC *const lineA = (__local ACC *)partA;
    for (int m = 0; m < M; m++) {
        const int row = m / V, ahead = (m - row * V) * APART;
        tap[m] = (row * PHASES + (PHASES > 1 ? ahead % STEP : 0)) * planeA + ahead / STEP;
    }
    for (int i = 0; i < (M + ROWS - 1) / ROWS * across * FOLDED; i++) {
        sums[i] = (VT)(0);
#if RESTS
        sums[SPACE_SUM / VL / 2 + i] = (VT)(0);
#endif
    }

    for (IDX k = first; k < end; k += BAND * LENGTH) {
        const int lines = min((IDX)BAND, (end - k) / LENGTH), run = lines * pitch, vectors = (run + VL - 1) / VL;
        for (int p = 0; p < M / V * PHASES; p++) {
            const int row = p / PHASES, phase = p - row * PHASES;
            const int have = LENGTH + ((V - 1) * APART - phase) / STEP;
            __local ACC *to = lineA + p * planeA;
            for (int r = 0; r < lines; r++, to += pitch) {
                __global const A_TYPE *from = A_PTR + A_ROW(b, row * V) + A_COL(k + r * LENGTH) + phase;
                if (have >= VL)
                    for (int t = 0; t < have; t += VL) {
                        const int at = min(t, have - VL);
                        *(__local VT_ANYWHERE *)(to + at) = line_load(from + at * STEP);
                    }
                else
                    for (int t = 0; t < have; t++)
                        to[t] = (ACC)LINE_ONE(from, t * STEP);
                for (int t = have; t < pitch; t++)
                    to[t] = 0;
            }
            for (int t = 0; t < REACH + VL; t += VL) // the next row is laid out over it
                *(__local VT_ANYWHERE *)(to + t) = (VT)(0);
        }
        for (int n = 0; n < columns; n++) {
            __local ACC *to = (__local ACC *)(partB + n * planeB);
            for (int r = 0; r < lines; r++, to += pitch) {
#if B_PLAIN
                __global const B_TYPE *from = B_PTR + B_COLUMN(b, firstN + n) + B_COL(k + r * LENGTH);
                if (LENGTH >= VL)
                    for (int t = 0; t < LENGTH; t += VL) {
                        const int at = min(t, (int)LENGTH - VL);
                        *(__local VT_ANYWHERE *)(to + at) = B_LOAD(from + at);
                    }
                else
                    for (int t = 0; t < LENGTH; t++)
                        to[t] = (ACC)B_ONE(from, t);
#else
                for (int t = 0; t < LENGTH; t++)
                    to[t] = (ACC)LOAD_B(b, k + r * LENGTH + t, firstN + n);
#endif
                for (int t = LENGTH; t < pitch; t++)
                    to[t] = 0;
            }
            for (int t = run; t < vectors * VL; t++)
                *to++ = 0;
        }

        for (int group = 0; group < columns; group += GROUP)
        for (int m = 0; m < M; m += ROWS) {
            __local VT *sum = sums + (m / ROWS * across + group / COLS) * FOLDED;
            __local const ACC *a[ROWS];
            #pragma unroll
            for (int i = 0; i < ROWS; i++)
                a[i] = lineA + tap[min(m + i, (int)M - 1)];
            for (int n = group; n < min(group + (int)GROUP, columns); n += COLS, sum += FOLDED) {
                __local const VT *bp[COLS];
                VT acc[FOLDED * VL];
                #pragma unroll
                for (int j = 0; j < COLS; j++)
                    bp[j] = partB + min(n + j, columns - 1) * planeB;
                #pragma unroll
                for (int i = 0; i < FOLDED * VL; i++)
                    acc[i] = (VT)(0);
                BLOCK_SUMS(VT, ROWS * COLS)
                for (int v = 0; v < vectors; v++) {
#if LEVELS
                    if (v % TERMS == 0)
                        ADD_BLOCK(VT, ROWS * COLS, acc)
#endif
                    VT bv[COLS];
                    #pragma unroll
                    for (int j = 0; j < COLS; j++)
                        bv[j] = bp[j][v];
                    #pragma unroll
                    for (int i = 0; i < ROWS; i++) {
                        const VT av = *(__local const VT_ANYWHERE *)(a[i] + v * VL);
                        #pragma unroll
                        for (int j = 0; j < COLS; j++)
                            acc[i * COLS + j] = MAC(av, bv[j], acc[i * COLS + j]);
                    }
                }
                END_BLOCKS(VT, ROWS * COLS, acc)
#if VL >= 16
                FOLD_ALL(8)
#endif
#if VL >= 8
                FOLD_ALL(4)
#endif
#if VL >= 4
                FOLD_ALL(2)
#endif
                FOLD_ALL(1)
                #pragma unroll
                for (int i = 0; i < FOLDED; i++)
#if RESTS
                    KAHAN(VT, sum[i], sum[SPACE_SUM / VL / 2 + i], acc[i]);
#else
                    sum[i] += acc[i];
#endif
            }
        }
    }

    for (int m = 0; m < M; m++)
        for (int n = 0; n < columns; n++) {
            const int i = m % ROWS * COLS + n % COLS;
            __local const VT *sum = sums + (m / ROWS * across + n / COLS) * FOLDED;
            ACC v = ((__local const ACC *)sum)[LANE_OF(i)];
#if RESTS
            v += ((__local const ACC *)(sum + SPACE_SUM / VL / 2))[LANE_OF(i)];
#endif
#if MEND
            if (!isfinite(v)) {
                ACC rest = 0;
                v = 0;
                for (IDX from = first; from < end; from += 64) {
                    const IDX to = min(from + 64, end);
                    ACC block = 0;
                    for (IDX k = from; k < to; k++)
                        block = MAC((ACC)LOAD_A(b, m, k), (ACC)LOAD_B(b, k, firstN + n), block);
                    KAHAN(ACC, v, rest, block);
                }
                v += rest;
            }
#endif
#if SPLIT
            PART[(((size_t)s * BATCHES + b) * M + m) * N + firstN + n] = v;
#else
            OUT(b, m, firstN + n, v);
#endif
        }
}
