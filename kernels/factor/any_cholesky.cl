// factor/any_cholesky.cl: Cholesky decomposition of blocks on the diagonal, and what comes before and after
//
//     L Lᵀ = A for the W x W block from row and column FROM on, of which the lower triangle is overwritten
//
// A work-group has one matrix of the batch. It keeps the block in local memory, rows in vectors of 16, and takes column after
// column: the rest of each row less the product of its element and the column.
//
// hooks   IN  where a starts    F  where the factors start    INFO  where the numbers of failures start
//         SHOW(b, i)  stores the number of a failure where somebody reads it
// macros  ACC  float or double    WG  items of a group    W_MOST  the largest W, a multiple of 16
// sizes   N    FROM W
// launch  cholesky_begin   copies lower triangles    global {WG, N, batch}  local {WG, 1, 1}
//         cholesky_block   global {WG, batch}  local {WG, 1}
//         cholesky_end     fails what is to fail     global {WG, N, batch}  local {WG, 1, 1}
// source  Golub and Van Loan, Matrix Computations (2013), section 4.2

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
typedef GLUE(ACC, 16) ROW16;
#define VECTORS (W_MOST / 16)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void cholesky_begin(PARAMS) {
    const IDX i = get_global_id(1), b = get_global_id(2);
    const long at = ((long)b * N + i) * N;
    for (IDX j = get_local_id(0); j < min(i + 1, (IDX)N); j += WG)
        F[at + j] = IN[at + j];
    if (i == 0 && get_local_id(0) == 0)
        INFO[b] = 0;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void cholesky_block(PARAMS) {
    __local ROW16 block[W_MOST * VECTORS];
    __local ROW16 column16[VECTORS];
    __local ACC *column = (__local ACC *)column16;
    const int id = get_local_id(0), width = W;
    const IDX b = get_global_id(1);
    __global ACC *f = F + ((long)b * N + FROM) * N + FROM;

    for (int i = id; i < width; i += WG) {
        __local ACC *row = (__local ACC *)(block + i * VECTORS);
        for (int j = 0; j < W_MOST; j++)
            row[j] = 0;
        for (int j = 0; j <= i; j++)
            row[j] = f[(long)i * N + j];
    }
    for (int j = 0; j < width; j++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const ACC pivot = ((__local const ACC *)(block + j * VECTORS))[j], d = sqrt(pivot);
        if (id == 0 && !(pivot > 0) && INFO[b] == 0)
            INFO[b] = FROM + j + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        // Elements of the column that are done already count as 0.
        for (int i = id; i < W_MOST; i += WG) {
            ACC l = 0;
            if (i >= j && i < width) {
                __local ACC *x = (__local ACC *)(block + i * VECTORS) + j;
                l = i == j ? d : *x / d;
                *x = l;
            }
            column[i] = i > j ? l : (ACC)0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = j + 1 + id; i < width; i += WG) {
            const ROW16 l = (ROW16)(column[i]);
            __local ROW16 *row = block + i * VECTORS;
            for (int v = (j + 1) / 16; v <= i / 16; v++)
                row[v] -= l * column16[v];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < width; i += WG) {
        __local const ACC *row = (__local const ACC *)(block + i * VECTORS);
        for (int j = 0; j <= i; j++)
            f[(long)i * N + j] = row[j];
    }
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void cholesky_end(PARAMS) {
    const IDX i = get_global_id(1), b = get_global_id(2);
    const bool failed = INFO[b] != 0;
    __global ACC *row = F + ((long)b * N + i) * N;
    for (IDX j = i + 1 + get_local_id(0); j < N; j += WG)
        row[j] = 0;
    if (failed)
        for (IDX j = get_local_id(0); j <= i; j += WG)
            row[j] = NAN;
    if (i == 0 && get_local_id(0) == 0)
        SHOW(b, INFO[b]);
}
