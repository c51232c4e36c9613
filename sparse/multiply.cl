// multiply.cl: a sparse matrix in compressed rows times a dense one.
//
//     y[r, j] = sum over i in ptr[r] ... ptr[r+1]-1 of value[i] * x[col[i], j]
//
// entry   multiply_rows   CPUs: an item has each rows, or with PARTS those from parts[p] up to parts[p+1], which are equal work
//         multiply_wide   CPUs: the same for several columns, 16 at a time
//         multiply_lanes  GPUs: LANES items of a group have a row together, neighbours reading neighbours (Bell and Garland)
//         multiply_each   GPUs: an item has an element of y, neighbours in a row
// macros  T   float or double      T16   a vector of 16 of them    CPU, LANES   which of the entries are there
// note    A bound outside of the elements is moved inside, and a column outside of x adds nothing: no read is out of bounds.
// source  Bell and Garland, Implementing sparse matrix-vector multiplication on throughput-oriented processors (2009)
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define FROM(r) clamp(ptr[r], 0, nnz)
#define TO(r) min(ptr[(r) + 1], nnz)

#ifdef PARTS
#define OPERANDS global const int *restrict ptr, global const int *restrict col, global const T *restrict value, \
    global const T *restrict x, global const int *restrict parts, global T *restrict y, \
    const int rows, const int cols, const int nnz, const int k, const int each
#define FIRST_ROW(p) clamp(parts[p], 0, rows)
#define LAST_ROW(p) min(parts[(p) + 1], rows)
#else
#define OPERANDS global const int *restrict ptr, global const int *restrict col, global const T *restrict value, \
    global const T *restrict x, global T *restrict y, const int rows, const int cols, const int nnz, const int k, const int each
#define FIRST_ROW(p) ((p) * each)
#define LAST_ROW(p) min(((p) + 1) * each, rows)
#endif

#ifdef CPU
kernel void multiply_rows(OPERANDS) {
    const int p = get_global_id(0), end = LAST_ROW(p);
    for (int r = FIRST_ROW(p); r < end; r++) {
        const int to = TO(r);
        T s = 0;
        for (int i = FROM(r); i < to; i++) {
            const uint c = col[i];
            if (c < (uint)cols) s += value[i] * x[c];
        }
        y[r] = s;
    }
}

kernel void multiply_wide(OPERANDS) {
    const int p = get_global_id(0), end = LAST_ROW(p);
    for (int r = FIRST_ROW(p); r < end; r++) {
        const int from = FROM(r), to = TO(r);
        int j = 0;
        for (; j + 16 <= k; j += 16) {
            T16 s = 0;
            for (int i = from; i < to; i++) {
                const uint c = col[i];
                if (c < (uint)cols) s += value[i] * vload16(0, x + (size_t)c * k + j);
            }
            vstore16(s, 0, y + (size_t)r * k + j);
        }
        for (; j < k; j++) {
            T s = 0;
            for (int i = from; i < to; i++) {
                const uint c = col[i];
                if (c < (uint)cols) s += value[i] * x[(size_t)c * k + j];
            }
            y[(size_t)r * k + j] = s;
        }
    }
}
#endif

#ifdef LANES
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void multiply_lanes(OPERANDS) {
    local T sums[256];
    const int at = get_local_id(0), lane = at % LANES, r = get_global_id(0) / LANES;
    T s = 0;
    if (r < rows) {
        const int to = TO(r);
        for (int i = FROM(r) + lane; i < to; i += LANES) {
            const uint c = col[i];
            if (c < (uint)cols) s += value[i] * x[c];
        }
    }
    sums[at] = s;
    for (int other = LANES / 2; other > 0; other /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < other) sums[at] += sums[at + other];
    }
    if (lane == 0 && r < rows) y[r] = sums[at];
}

kernel void multiply_each(OPERANDS) {
    const size_t at = get_global_id(0);
    const int r = at / k, j = at % k, to = TO(r);
    T s = 0;
    for (int i = FROM(r); i < to; i++) {
        const uint c = col[i];
        if (c < (uint)cols) s += value[i] * x[(size_t)c * k + j];
    }
    y[at] = s;
}
#endif
