// product/cpu_triangle.cl: a triangular matrix beside many columns, for CPU drivers
//
//     SOLVE 1:  B = X where T·X = ALPHA·B        SOLVE 0:  B = ALPHA·T·B
//
// One work-item takes NR columns of B into local memory, which is then cache of one core, goes
// through T by MR rows, in MR·NV vectors of VL lanes, and puts the columns back: what T's rows
// multiply is what this work-item has computed itself, so one launch does everything.
//
// hooks   A_PTR  where T starts    B_PTR  where B starts
//         TURNED 1: columns of B lie side by side in memory as rows, which lib/cpu_transpose.cl turns
// macros  ACC  type of the numbers    MAC(a, b, c)  a·b + c in vectors    VT VL-wide vector of ACC
//         MR NV NR VL    SPACE  elements of local memory, at least M·NR
// sizes   M  order of T    N  columns of B    A_ROW A_COLUMN  how far apart in memory rows and
//         columns of T lie    B_LD  rows of B, or where TURNED columns
//         LOWER  1 where T is lower, else it is upper    UNIT  1 where its diagonal counts as 1    ALPHA
// launch  triangle global {ceil(N / NR)}  local {1}
// note    nothing but the stored half of T is read, and of a unit diagonal nothing

typedef VT __attribute__((aligned(sizeof(ACC)))) TRIANGLE_VECTOR;

#define T_AT(i, j) A_PTR[(long)(i) * A_ROW + (long)(j) * A_COLUMN]
#if TURNED
#define B_AT(i, j) B_PTR[(long)(j) * B_LD + (i)]
#else
#define B_AT(i, j) B_PTR[(long)(i) * B_LD + (j)]
#endif

// x[r] -= T[r][q]·x[q], where q is solved already; x[r] /= T[r][r].
#define SUBTRACT(r, q) { \
    const VT t = (VT)(-T_AT(top + (r), top + (q))); \
    _Pragma("unroll") \
    for (int v = 0; v < NV; v++) \
        acc[r][v] = MAC(t, acc[q][v], acc[r][v]); \
}
#define DIVIDE(r) \
    if (!UNIT) { \
        const VT t = (VT)(T_AT(top + (r), top + (r))); \
        _Pragma("unroll") \
        for (int v = 0; v < NV; v++) \
            acc[r][v] /= t; \
    }

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void triangle(PARAMS) {
    __local VT panel[SPACE / VL];
    __local ACC *cell = (__local ACC *)panel;
    WIDE_VECTORS
    const IDX left = (IDX)get_global_id(0) * NR;
    const int have = min((IDX)NR, (IDX)N - left), vectors = have / VL;

    IDX done = 0;
#if TURNED
    for (; done + VL <= M; done += VL)
        for (int v = 0; v < vectors; v++) {
            VT r[VL];
            #pragma unroll
            for (int j = 0; j < VL; j++)
                r[j] = *(__global const TRIANGLE_VECTOR *)&B_AT(done, left + v * VL + j);
            transpose(r);
            #pragma unroll
            for (int i = 0; i < VL; i++)
                panel[(done + i) * NV + v] = r[i];
        }
#else
    done = M;
    for (IDX i = 0; i < M; i++)
        for (int v = 0; v < vectors; v++)
            panel[i * NV + v] = *(__global const TRIANGLE_VECTOR *)&B_AT(i, left + v * VL);
#endif
    for (IDX i = 0; i < M; i++)
        for (int j = i < done ? vectors * VL : 0; j < NR; j++)
            cell[i * NR + j] = j < have ? B_AT(i, left + j) : 0;

    const IDX tiles = ((IDX)M + MR - 1) / MR;
    const bool forward = (LOWER != 0) == (SOLVE != 0);
    for (IDX t = 0; t < tiles; t++) {
        const IDX top = (forward ? t : tiles - 1 - t) * MR;
        const int rows = min((IDX)MR, (IDX)M - top);
        const IDX from = LOWER ? 0 : top + rows, to = LOWER ? top : M;
        __global const ACC *row[MR];
        VT acc[MR][NV];
        #pragma unroll
        for (int i = 0; i < MR; i++) {
            row[i] = &T_AT(min(top + i, (IDX)M - 1), 0);
            #pragma unroll
            for (int v = 0; v < NV; v++)
                acc[i][v] = SOLVE && i < rows ? ALPHA * panel[(top + i) * NV + v] : (VT)(0);
        }
        long at = (long)from * A_COLUMN;
        for (IDX k = from; k < to; k++, at += A_COLUMN) {
            VT bv[NV];
            #pragma unroll
            for (int v = 0; v < NV; v++)
                bv[v] = panel[k * NV + v];
            #pragma unroll
            for (int i = 0; i < MR; i++) {
                const VT av = (VT)(SOLVE ? -row[i][at] : row[i][at]);
                #pragma unroll
                for (int v = 0; v < NV; v++)
                    acc[i][v] = MAC(av, bv[v], acc[i][v]);
            }
        }

#if SOLVE
        if (LOWER) {
            #pragma unroll
            for (int r = 0; r < MR; r++)
                if (r < rows) {
                    #pragma unroll
                    for (int q = 0; q < r; q++)
                        SUBTRACT(r, q)
                    DIVIDE(r)
                }
        } else {
            #pragma unroll
            for (int r = MR - 1; r >= 0; r--)
                if (r < rows) {
                    #pragma unroll
                    for (int q = r + 1; q < MR; q++)
                        if (q < rows)
                            SUBTRACT(r, q)
                    DIVIDE(r)
                }
        }
#else
        #pragma unroll
        for (int q = 0; q < MR; q++)
            if (q < rows) {
                #pragma unroll
                for (int r = 0; r < MR; r++)
                    if (r < rows && (q == r || (q < r) == (LOWER != 0))) {
                        const VT av = (VT)(q == r && UNIT ? (ACC)1 : T_AT(top + r, top + q));
                        #pragma unroll
                        for (int v = 0; v < NV; v++)
                            acc[r][v] = MAC(av, panel[(top + q) * NV + v], acc[r][v]);
                    }
            }
#endif
        #pragma unroll
        for (int i = 0; i < MR; i++)
            if (i < rows)
                #pragma unroll
                for (int v = 0; v < NV; v++)
                    panel[(top + i) * NV + v] = SOLVE ? acc[i][v] : ALPHA * acc[i][v];
    }

#if TURNED
    for (done = 0; done + VL <= M; done += VL)
        for (int v = 0; v < vectors; v++) {
            VT r[VL];
            #pragma unroll
            for (int i = 0; i < VL; i++)
                r[i] = panel[(done + i) * NV + v];
            transpose(r);
            #pragma unroll
            for (int j = 0; j < VL; j++)
                *(__global TRIANGLE_VECTOR *)&B_AT(done, left + v * VL + j) = r[j];
        }
#else
    for (IDX i = 0; i < M; i++)
        for (int v = 0; v < vectors; v++)
            *(__global TRIANGLE_VECTOR *)&B_AT(i, left + v * VL) = panel[i * NV + v];
#endif
    for (IDX i = 0; i < M; i++)
        for (int j = i < done ? vectors * VL : 0; j < have; j++)
            B_AT(i, left + j) = cell[i * NR + j];
}
