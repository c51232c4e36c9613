// factor/gpu_triangle.cl: a triangular system of few unknowns beside many columns, for GPUs
//
//     B = X where T·X = B
//
// A work-item solves for one column, which it keeps in local memory beside those of its neighbours; what it reads of T is the same for all.
//
// hooks   A_PTR  where T starts    B_PTR  where B starts    TURNED 1: columns of B lie side by side in memory as rows
// macros  ACC  type of the numbers    WG  items of a group    MOST  the largest M
// sizes   M  order of T    N  columns of B    A_ROW A_COLUMN  how far apart rows and columns of T lie
//         B_LD  rows of B, or where TURNED columns    LOWER  1 where T is lower, else it is upper    UNIT  1 where its diagonal counts as 1
// launch  factor_triangle global {columns rounded up to WG, batch}  local {WG, 1}

#if TURNED
#define B_AT(i, j) B_PTR[(long)(j) * B_LD + (i)]
#else
#define B_AT(i, j) B_PTR[(long)(i) * B_LD + (j)]
#endif

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void factor_triangle(PARAMS) {
    __local ACC all[MOST * WG];
    __local ACC *x = all + get_local_id(0);
    const IDX j = get_global_id(0);
    if (j >= N)
        return;
    for (IDX s = 0; s < M; s++) {
        const IDX i = LOWER ? s : M - 1 - s;
        ACC v = B_AT(i, j);
        for (IDX q = 0; q < s; q++) {
            const IDX k = LOWER ? q : M - 1 - q;
            v -= A_PTR[(long)i * A_ROW + (long)k * A_COLUMN] * x[k * WG];
        }
        if (!UNIT)
            v /= A_PTR[(long)i * A_ROW + (long)i * A_COLUMN];
        x[i * WG] = v;
    }
    for (IDX i = 0; i < M; i++)
        B_AT(i, j) = x[i * WG];
}
