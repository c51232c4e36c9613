// factor/any_lu.cl: LU decomposition with partial pivoting: what comes before, between and after the panels
//
//     P L U = a, of which factor/gpu_lu_panel.cl or factor/cpu_lu_panel.cl decompose panels, and solutions and products the rest
//
// hooks   IN  where a starts    F  where the factors start    PIVOT  where pivots start, from 0    ORDER    INFO  where the numbers of
//         failures start    SHOW_PIVOT(i, v)  SHOW_ORDER(i, v)  SHOW_INFO(i, v)  store results where somebody reads them
// macros  ACC  float or double    WG  items of a group    SPAN  columns that an item exchanges, a multiple of 16
// sizes   M N K  rows, columns and the lesser of the two    FROM W    FIRST LAST  columns that rows are exchanged in
// launch  lu_begin     copies a                              global {WG, max(M, 1), batch}  local {WG, 1, 1}
//         lu_exchange  rows as the panel's pivots say        global {ceil((LAST - FIRST) / SPAN) rounded up to WG, batch}  local {WG, 1}
//         lu_end       stores pivots and the order of rows   global {1, batch}  local {1, 1}
// source  Golub and Van Loan, Matrix Computations (2013), section 3.4

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
typedef GLUE(ACC, 16) ROW16;
typedef ROW16 __attribute__((aligned(sizeof(ACC)))) ROW16_ANYWHERE;
#define ROW_AT(p) (*(__global ROW16_ANYWHERE *)(p))
#define FULL 16

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void lu_begin(PARAMS) {
    const IDX i = get_global_id(1), b = get_global_id(2);
    if (i < M) {
        const long at = ((long)b * M + i) * N;
        for (IDX j = get_local_id(0); j < N; j += WG)
            F[at + j] = IN[at + j];
    }
    if (i == 0 && get_local_id(0) == 0)
        INFO[b] = 0;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void lu_exchange(PARAMS) {
    const IDX b = get_global_id(1), begin = FIRST + (IDX)get_global_id(0) * SPAN, end = min(begin + SPAN, (IDX)LAST);
    __global ACC *f = F + (long)b * M * N;
    __global const int *pivots = PIVOT + (long)b * K;
    for (IDX i = FROM; i < FROM + W; i++) {
        const IDX p = pivots[i];
        if (p == i)
            continue;
        __global ACC *x = f + (long)i * N, *y = f + (long)p * N;
        IDX j = begin;
        for (; j + FULL <= end; j += FULL) {
            const ROW16 v = ROW_AT(x + j);
            ROW_AT(x + j) = ROW_AT(y + j);
            ROW_AT(y + j) = v;
        }
        for (; j < end; j++) {
            const ACC v = x[j];
            x[j] = y[j];
            y[j] = v;
        }
    }
}

__kernel void lu_end(PARAMS) {
    const IDX b = get_global_id(1);
    __global int *order = ORDER + (long)b * M;
    __global const int *pivots = PIVOT + (long)b * K;
    for (IDX i = 0; i < M; i++)
        order[i] = i;
    for (IDX i = 0; i < K; i++) {
        const int p = pivots[i], v = order[p];
        order[p] = order[i];
        order[i] = v;
        SHOW_PIVOT((long)b * K + i, p + 1);
    }
    for (IDX i = 0; i < M; i++)
        SHOW_ORDER((long)b * M + i, order[i]);
    SHOW_INFO(b, INFO[b]);
}
