// triangular.cl: solves T x = b, T one triangle of a sparse matrix in compressed rows with ascending columns, for k columns of b.
//
//     x[r, j] = (b[r, j] - sum over the others of row r in the triangle of value[i] * x[col[i], j]) / T[r, r]
//
// entry   solve_rows    CPUs: an item has a column of b and goes from row to row; of a single column it takes sixteen elements of a
//                       row at once where they are side by side, as in complete factors of band matrices
//         solve_levels  GPUs: a group of 256 has a column; rows of a level need those of levels before only
// macros  T   float or double    T16   its vector    UPPER, UNIT   1: the upper triangle, ones on the diagonal whatever is there
// operands  order   rows by level    levels   where each level begins in order, and the end
// source  Saltz, Aggregation methods for solving sparse triangular systems on multiprocessors (1990)
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define OPERANDS global const int *restrict ptr, global const int *restrict col, global const T *restrict value, \
    global const T *restrict b, global const int *restrict order, global const int *restrict levels, global T *x, \
    const int rows, const int k, const int depth

T row_of(global const int *restrict ptr, global const int *restrict col, global const T *restrict value, global const T *restrict b,
         global T *x, const int r, const int j, const int k, const bool wide);

T row_of(global const int *restrict ptr, global const int *restrict col, global const T *restrict value, global const T *restrict b,
         global T *x, const int r, const int j, const int k, const bool wide) {
    // Columns ascend, so those of the triangle come before the diagonal or after it. Four sums do not wait for each other.
    const int step = UPPER ? -1 : 1, end = UPPER ? ptr[r] - 1 : ptr[r + 1];
    int i = UPPER ? ptr[r + 1] - 1 : ptr[r];
    T s = b[(size_t)r * k + j], s1 = 0, s2 = 0, s3 = 0;
#define INSIDE(c) (UPPER ? (c) > r : (c) < r)
#define HALVES(v) ((v).lo + (v).hi)
#define TERM(n) value[i + (n) * step] * x[(size_t)col[i + (n) * step] * k + j]
    T16 sums = 0;
    while (wide && k == 1 && (end - i) * step > 15 && INSIDE(col[i + 15 * step]) && (col[i + 15 * step] - col[i]) * step == 15) {
        const int from = UPPER ? i - 15 : i;
        sums -= vload16(0, value + from) * vload16(0, x + col[from]);
        i += 16 * step;
    }
    while ((end - i) * step > 3 && INSIDE(col[i + 3 * step])) {
        s -= TERM(0);
        s1 -= TERM(1);
        s2 -= TERM(2);
        s3 -= TERM(3);
        i += 4 * step;
    }
    for (; i != end && INSIDE(col[i]); i += step) s -= TERM(0);
    s += s1 + (s2 + s3);
    if (wide) s += HALVES(HALVES(HALVES(HALVES(sums))));
    if (UNIT) return s;
    return s / (i != end && col[i] == r ? value[i] : (T)0);
}

kernel void solve_rows(OPERANDS) {
    const int j = get_global_id(0);
    for (int n = 0; n < rows; n++) {
        const int r = UPPER ? rows - 1 - n : n;
        x[(size_t)r * k + j] = row_of(ptr, col, value, b, x, r, j, k, true);
    }
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void solve_levels(OPERANDS) {
    const int j = get_group_id(0);
    for (int level = 0; level < depth; level++) {
        for (int n = levels[level] + (int)get_local_id(0); n < levels[level + 1]; n += 256) {
            const int r = order[n];
            x[(size_t)r * k + j] = row_of(ptr, col, value, b, x, r, j, k, false);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
