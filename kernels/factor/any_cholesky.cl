// factor/any_cholesky.cl: Cholesky decomposition of blocks on the diagonal, and what comes before and after
//
//     L Lᵀ = A for the W x W block from row and column FROM on, of which the lower triangle is overwritten
//
// A work-group has one matrix of the batch. It keeps the block in local memory, columns in vectors of 16, and takes column after
// column: the rest of each of those behind it less the product of its element and the column.
//
// hooks   IN  where a starts    F  where the factors start    INFO  where the numbers of failures start
//         SHOW(b, i)  stores the number of a failure where somebody reads it
// macros  ACC  float or double    WG  items of a group    W_MOST  the largest W, a multiple of 16
// sizes   N    FROM W
// launch  cholesky_begin   copies lower triangles    global {WG, N, batch}  local {WG, 1, 1}
//         cholesky_block   global {WG, batch}  local {WG, 1}
//         cholesky_whole   all of matrices that are one block    global {WG, batch}  local {WG, 1}
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

#define COLUMN(j) ((__local ACC *)(block + (j) * VECTORS))

// Decomposes a block, whose columns adjoin. bad is the number of the first column, from 1, whose pivot is not positive, or 0.
static void decompose(__local ROW16 *block, const int width, const int id, __local int *bad) {
    const int vectors = (width + 15) / 16;
    if (id == 0)
        *bad = 0;
    for (int j = 0; j < width; j++) {
        __local ACC *column = COLUMN(j);
        barrier(CLK_LOCAL_MEM_FENCE);
        const ACC pivot = column[j], d = sqrt(pivot);
        if (id == 0 && !(pivot > 0) && *bad == 0)
            *bad = j + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id == 0)
            column[j] = d;
        for (int i = j + 1 + id; i < width; i += WG)
            column[i] /= d;
        barrier(CLK_LOCAL_MEM_FENCE);
        // What is above the diagonal in the same vector is computed too, and not read.
        for (int i = j + 1 + id; i < width; i += WG) {
            const ROW16 l = (ROW16)(column[i]);
            for (int v = i / 16; v < vectors; v++)
                block[i * VECTORS + v] -= l * block[j * VECTORS + v];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The columns of a lower triangle, whose rows are n apart in memory, and zeros before and behind them.
static void load(__local ROW16 *block, __global const ACC *from, const long n, const int width, const int id) {
    for (int i = id; i < width; i += WG)
        for (int v = 0; v < VECTORS; v++)
            block[i * VECTORS + v] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < width; i += WG)
        for (int j = 0; j <= i; j++)
            COLUMN(j)[i] = from[i * n + j];
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void cholesky_block(PARAMS) {
    __local ROW16 block[W_MOST * VECTORS];
    __local int bad;
    const int id = get_local_id(0), width = W;
    const IDX b = get_global_id(1);
    __global ACC *f = F + ((long)b * N + FROM) * N + FROM;
    load(block, f, N, width, id);
    decompose(block, width, id, &bad);
    if (id == 0 && bad != 0 && INFO[b] == 0)
        INFO[b] = FROM + bad;
    for (int i = id; i < width; i += WG)
        for (int j = 0; j <= i; j++)
            f[(long)i * N + j] = COLUMN(j)[i];
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void cholesky_whole(PARAMS) {
    __local ROW16 block[W_MOST * VECTORS];
    __local int bad;
    const int id = get_local_id(0), n = N;
    const IDX b = get_global_id(1);
    load(block, IN + (long)b * n * n, n, n, id);
    decompose(block, n, id, &bad);
    const bool failed = bad != 0;
    for (int i = id; i < n; i += WG) {
        __global ACC *to = F + ((long)b * n + i) * n;
        for (int j = 0; j <= i; j++)
            to[j] = failed ? NAN : COLUMN(j)[i];
        for (int j = i + 1; j < n; j++)
            to[j] = 0;
    }
    if (id == 0)
        SHOW(b, bad);
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
