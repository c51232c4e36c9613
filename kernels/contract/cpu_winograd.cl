// contract/cpu_winograd.cl: windows of 3 x 3 for CPU drivers, with fewer multiplications
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over u, v, c of A(b, m + (u,v), c)·B(b, (u,v,c), n))
//
// The rows of A are windows of images that move by one. TILE x TILE of them, a tile, read
// POINTS elements of a channel; transformed, they are multiplied point by point with the
// transformed kernels: 16 products a channel for what takes 36 otherwise. So this is POINTS
// matrix products of tiles by columns, between three small transforms.
//
// One work-item computes TILES tiles x PANELS·NR columns, alone in its group: transformed
// images (DEPTH channels at a time) and sums stay in local memory, which is cache of one core.
//
// hooks   A_PTR + A_ROW(b, m) + u·A_DOWN + v·A_RIGHT + c is an element, A_LOAD(p) widens VL of
//         them, A_ONE(p, i) one
//         KERNELS  made by contract/cpu_winograd_kernels.cl
//         LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         OUT(b, m, n, v)  the epilogue and the store
//         ROWS_ADJOIN 1: the output lies along m
//         OUT_VECTOR(b, m, n, x)  where results are stored side by side: of VL sums from column n on
// macros  ACC  accumulator type    VL VT  lanes and the vector of them    MR  tiles at a time
//         NV  vectors of columns at a time, NR = NV·VL    MAC(a, b, c)  a·b + c    TILE EDGE POINTS  see cpu_winograd_transform.cl
//         SPACE  elements of local memory, POINTS·(PLANE_IMAGE + PLANE_SUM) at least
// sizes   N    C  channels    H W  windows of an image down and across    ALL_TILES    DOWN ACROSS
//         tiles of an image    TILES    PANELS    DEPTH  a multiple of VL    PLANE_IMAGE PLANE_SUM
//         elements a point, multiples of VL    ALL_PANELS
// launch  contract_winograd  global {ceil(ALL_TILES / TILES), ceil(ALL_PANELS / PANELS), batches}  local {1, 1, 1}
// note    rounding errors are no larger than those of the plain sum; with tiles of 4 x 4 they would
//         be some 20 times as large. An infinity or a NaN reaches windows beside it, and what is close
//         to the largest number overflows in a transform: a result that is not finite is summed plainly
// source  Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2016)

#define MEND(v, b, m, n) \
    if (!isfinite(v)) { \
        ACC rest = 0; \
        (v) = 0; \
        for (IDX at = 0; at < 9 * (IDX)C; at += 64) { \
            const IDX stop = min(at + 64, 9 * (IDX)C); \
            ACC block = 0; \
            for (IDX k = at; k < stop; k++) \
                block = MAC((ACC)LOAD_A(b, m, k), (ACC)LOAD_B(b, k, n), block); \
            KAHAN(ACC, v, rest, block); \
        } \
        (v) += rest; \
    }

#define AHEAD 64 // channels of kernels

typedef VT __attribute__((aligned(sizeof(ACC)))) VT_ANYWHERE;

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_winograd(PARAMS) {
    WIDE_VECTORS
    __local VT space[SPACE / VL];
    __local ACC *images = (__local ACC *)space;
    __local VT *sums = space + (size_t)POINTS * PLANE_IMAGE / VL;
    const IDX b = get_global_id(2);
    const IDX first = (IDX)get_global_id(0) * TILES, tiles = min((IDX)TILES, (IDX)ALL_TILES - first);
    const IDX rows = (tiles + MR - 1) / MR * MR;
    const IDX firstPanel = (IDX)get_global_id(1) * PANELS, panels = min((IDX)PANELS, (IDX)ALL_PANELS - firstPanel);

    for (IDX c0 = 0; c0 < C; c0 += DEPTH) {
        const IDX depth = min((IDX)DEPTH, (IDX)C - c0);

        // Past the end of an image, which only windows past its end read, its last element again.
        for (IDX r = 0; r < rows; r++) {
            const IDX tile = first + min(r, tiles - 1), row = tile / ACROSS, image = row / DOWN;
            const IDX h = (row - image * DOWN) * TILE, w = (tile - row * ACROSS) * TILE;
            __global const A_TYPE *from = A_PTR + A_ROW(b, (image * H + h) * W + w) + c0;
            IDX down[EDGE], right[EDGE];
            #pragma unroll
            for (int i = 0; i < EDGE; i++) {
                down[i] = min((IDX)i, H + 1 - h) * A_DOWN;
                right[i] = min((IDX)i, W + 1 - w) * A_RIGHT;
            }
            __local ACC *to = images + r * DEPTH;
            IDX c = 0;
            for (; c + VL <= depth; c += VL) {
                VT d[POINTS];
                #pragma unroll
                for (int i = 0; i < EDGE; i++)
                    #pragma unroll
                    for (int j = 0; j < EDGE; j++)
                        d[i * EDGE + j] = A_LOAD(from + down[i] + right[j] + c);
                #pragma unroll
                for (int i = 0; i < EDGE; i++)
                    OF_IMAGE(VT, d + i * EDGE, 1)
                #pragma unroll
                for (int j = 0; j < EDGE; j++)
                    OF_IMAGE(VT, d + j, EDGE)
                #pragma unroll
                for (int p = 0; p < POINTS; p++)
                    *(__local VT *)(to + p * PLANE_IMAGE + c) = d[p];
            }
            #pragma unroll 1
            for (; c < depth; c++) {
                ACC d[POINTS];
                #pragma unroll
                for (int i = 0; i < EDGE; i++)
                    #pragma unroll
                    for (int j = 0; j < EDGE; j++)
                        d[i * EDGE + j] = (ACC)A_ONE(from + down[i] + right[j], c);
                #pragma unroll
                for (int i = 0; i < EDGE; i++)
                    OF_IMAGE(ACC, d + i * EDGE, 1)
                #pragma unroll
                for (int j = 0; j < EDGE; j++)
                    OF_IMAGE(ACC, d + j, EDGE)
                #pragma unroll
                for (int p = 0; p < POINTS; p++)
                    to[p * PLANE_IMAGE + c] = d[p];
            }
        }

        for (IDX q = 0; q < panels; q++)
            for (int p = 0; p < POINTS; p++) {
                __global const VT *kernels = (__global const VT *)KERNELS
                    + (((size_t)(b * ALL_PANELS + firstPanel + q) * POINTS + p) * C + c0) * NV;
                // Kernels are read once, in pieces: the end of one fetches the next.
                const IDX skip = p + 1 < POINTS ? (IDX)C - depth : 0;
                for (IDX r = 0; r < rows; r += MR) {
                    __local const ACC *row[MR];
                    #pragma unroll
                    for (int i = 0; i < MR; i++)
                        row[i] = images + p * PLANE_IMAGE + (r + i) * DEPTH;
                    __local VT *sum = sums + p * (PLANE_SUM / VL) + (q * rows + r) * NV;
                    VT acc[MR][NV];
                    #pragma unroll
                    for (int i = 0; i < MR; i++)
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            acc[i][v] = (VT)(0);
                    __global const VT *kernel_ = kernels;
                    for (IDX k = 0; k < depth; k++, kernel_ += NV) {
                        VT bv[NV];
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            bv[v] = kernel_[v];
                        __global const VT *ahead = kernel_ + (AHEAD + (k + AHEAD < depth ? 0 : skip)) * NV;
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            FETCH_LINE(ahead + v);
                        #pragma unroll
                        for (int i = 0; i < MR; i++) {
                            const VT av = (VT)(row[i][k]);
                            #pragma unroll
                            for (int v = 0; v < NV; v++)
                                acc[i][v] = MAC(av, bv[v], acc[i][v]);
                        }
                    }
                    #pragma unroll
                    for (int i = 0; i < MR; i++)
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            sum[i * NV + v] = c0 > 0 ? sum[i * NV + v] + acc[i][v] : acc[i][v];
                }
            }
    }

    for (IDX q = 0; q < panels; q++) {
        const IDX firstN = (firstPanel + q) * NR;
#if ROWS_ADJOIN
        // Neighbouring tiles side by side: VL windows across, of VL columns.
        IDX r = 0;
        while (r < tiles) {
            const IDX tile = first + r, row = tile / ACROSS, image = row / DOWN;
            const IDX i0 = row - image * DOWN, j0 = tile - row * ACROSS;
            const IDX count = min(min((IDX)(VL / TILE), ACROSS - j0), tiles - r);
            const IDX m = (image * H + i0 * TILE) * W + j0 * TILE;
            const int across = min(count * TILE, W - j0 * TILE), down = min((IDX)TILE, H - i0 * TILE);
            for (int v = 0; v < NV; v++) {
                VT y[TILE][VL], finite = (VT)(0); // or NaN
                #pragma unroll
                for (int t = 0; t < VL / TILE; t++) {
                    VT s[POINTS];
                    #pragma unroll
                    for (int p = 0; p < POINTS; p++)
                        s[p] = sums[p * (PLANE_SUM / VL) + (q * rows + r + min((IDX)t, count - 1)) * NV + v];
                    #pragma unroll
                    for (int j = 0; j < EDGE; j++)
                        OF_SUMS(VT, s + j, EDGE)
                    #pragma unroll
                    for (int i = 0; i < TILE; i++) {
                        OF_SUMS(VT, s + i * EDGE, 1)
                        #pragma unroll
                        for (int j = 0; j < TILE; j++) {
                            y[i][t * TILE + j] = s[i * EDGE + j];
                            finite += s[i * EDGE + j] - s[i * EDGE + j];
                        }
                    }
                }
                const int columns = min((IDX)VL, N - firstN - v * VL);
                const bool mend = any(isnan(finite));
                #pragma unroll
                for (int i = 0; i < TILE; i++) {
                    ACC lane[VL][VL] __attribute__((aligned(128)));
                    transpose(y[i]);
                    #pragma unroll
                    for (int n = 0; n < VL; n++)
                        *(VT *)lane[n] = y[i][n];
                    if (mend && i < down)
                        for (int n = 0; n < columns; n++)
                            for (int j = 0; j < across; j++)
                                MEND(lane[n][j], b, m + i * W + j, firstN + v * VL + n)
                    if (i < down)
                        for (int n = 0; n < columns; n++) {
                            if (across == VL) {
                                WIDE for (int j = 0; j < VL; j++)
                                    OUT(b, m + i * W + j, firstN + v * VL + n, lane[n][j]);
                            } else {
                                PARTLY for (int j = 0; j < across; j++)
                                    OUT(b, m + i * W + j, firstN + v * VL + n, lane[n][j]);
                            }
                        }
                }
            }
            r += count;
        }
#else
        const int columns = min((IDX)NR, N - firstN);
        for (IDX r = 0; r < tiles; r++) {
            const IDX tile = first + r, row = tile / ACROSS, image = row / DOWN;
            const IDX h = (row - image * DOWN) * TILE, w = (tile - row * ACROSS) * TILE;
            const IDX m = (image * H + h) * W + w;
            const int down = min((IDX)TILE, H - h), across = min((IDX)TILE, W - w);
            ACC lane[TILE * TILE][NR] __attribute__((aligned(128)));
            VT finite = (VT)(0); // or NaN
            #pragma unroll
            for (int v = 0; v < NV; v++) {
                VT s[POINTS];
                #pragma unroll
                for (int p = 0; p < POINTS; p++)
                    s[p] = sums[p * (PLANE_SUM / VL) + (q * rows + r) * NV + v];
                #pragma unroll
                for (int j = 0; j < EDGE; j++)
                    OF_SUMS(VT, s + j, EDGE)
                #pragma unroll
                for (int i = 0; i < TILE; i++) {
                    OF_SUMS(VT, s + i * EDGE, 1)
                    #pragma unroll
                    for (int j = 0; j < TILE; j++) {
                        *(VT *)(lane[i * TILE + j] + v * VL) = s[i * EDGE + j];
                        finite += s[i * EDGE + j] - s[i * EDGE + j];
                    }
                }
            }
            if (any(isnan(finite)))
                for (int i = 0; i < down; i++)
                    for (int j = 0; j < across; j++)
                        for (int n = 0; n < columns; n++)
                            MEND(lane[i * TILE + j][n], b, m + i * W + j, firstN + n)
            for (int i = 0; i < down; i++)
                for (int j = 0; j < across; j++) {
                    const ACC *from = lane[i * TILE + j];
                    int at = 0; // what is not stored by vectors
#ifdef OUT_VECTOR
                    #pragma unroll
                    for (int v = 0; v < NV; v++)
                        if ((v + 1) * VL <= columns)
                            OUT_VECTOR(b, m + i * W + j, firstN + v * VL, *(const VT *)(from + v * VL));
                    at = columns / VL * VL;
#endif
                    if (columns - at == NR)
                        WIDE for (int n = 0; n < NR; n++)
                            OUT(b, m + i * W + j, firstN + n, from[n]);
                    else
                        PARTLY for (int n = at; n < columns; n++)
                            OUT(b, m + i * W + j, firstN + n, from[n]);
                }
        }
#endif
    }
}
