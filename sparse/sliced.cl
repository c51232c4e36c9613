// sliced.cl: y = A x for a sparse matrix in slices of 32 rows, which lie side by side: SELL-32.
//
//     element k of row r is value[ptr[s] + 32 k + r % 32] of slice s = r / 32, in column col[the same]
//
// entry   sliced_vectors   CPUs: an item has each slices; the rows of a slice are lanes of vectors
//         sliced_rows      GPUs: an item has a row, neighbours read neighbours
// macros  T   float or double     V, LANES   a vector of LANES numbers     SORTED   row[r] is where row r goes
// operands  full   elements of a slice from ptr[s] up to full[s] are there in all 32 rows; those after it are not where col is -1
//           lead   for each 32 of these the first one's column where those of the others follow it, as in matrices of stencils, else -1:
//                  then nothing of col is read, and x is read by vectors
// source  Kreutzer, Hager, Wellein, Fehske and Bishop, A unified sparse matrix data format for efficient general sparse matrix-vector
//         multiplication on modern processors with wide SIMD units (2014)
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifdef SORTED
#define ROW_OPERAND global const int *restrict row,
#define PLACE(r) row[r]
#else
#define ROW_OPERAND
#define PLACE(r) (r)
#endif

#define OPERANDS global const int *restrict ptr, global const int *restrict full, global const int *restrict lead, \
    global const int *restrict col, global const T *restrict value, global const T *restrict x, ROW_OPERAND global T *restrict y, const int rows, const int slices, const int each

#ifdef LANES
// Columns are read one by one: taking them out of a vector costs more.
#if LANES == 4
#define PICK(x, c) (V)(x[c[0]], x[c[1]], x[c[2]], x[c[3]])
#define LOAD vload4
#define STORE vstore4
#elif LANES == 8
#define PICK(x, c) (V)(x[c[0]], x[c[1]], x[c[2]], x[c[3]], x[c[4]], x[c[5]], x[c[6]], x[c[7]])
#define LOAD vload8
#define STORE vstore8
#else
#define PICK(x, c) (V)(x[c[0]], x[c[1]], x[c[2]], x[c[3]], x[c[4]], x[c[5]], x[c[6]], x[c[7]], \
    x[c[8]], x[c[9]], x[c[10]], x[c[11]], x[c[12]], x[c[13]], x[c[14]], x[c[15]])
#define LOAD vload16
#define STORE vstore16
#endif

#define VECTORS (32 / LANES)

kernel void sliced_vectors(OPERANDS) {
    const int first = get_global_id(0) * each, end = min(first + each, slices);
    for (int s = first; s < end; s++) {
        const int to = ptr[s + 1], whole = full[s];
        V sum[VECTORS];
        #pragma unroll
        for (int v = 0; v < VECTORS; v++) sum[v] = 0;
        for (int i = ptr[s]; i < whole; i += 32) {
            const int begin = lead[i / 32];
            if (begin >= 0) {
                #pragma unroll
                for (int v = 0; v < VECTORS; v++) sum[v] += LOAD(v, value + i) * LOAD(v, x + begin);
                continue;
            }
            #pragma unroll
            for (int v = 0; v < VECTORS; v++) {
                global const int *const c = col + i + v * LANES;
                sum[v] += LOAD(v, value + i) * PICK(x, c);
            }
        }
#ifndef SORTED
        if (whole == to && s * 32 + 32 <= rows) {
            #pragma unroll
            for (int v = 0; v < VECTORS; v++) STORE(sum[v], v, y + s * 32);
            continue;
        }
#endif
        T sums[32];
        #pragma unroll
        for (int v = 0; v < VECTORS; v++) STORE(sum[v], v, sums);
        for (int i = whole; i < to; i++) {
            const int c = col[i];
            if (c >= 0) sums[i % 32] += value[i] * x[c];
        }
        for (int l = 0; l < min(32, rows - s * 32); l++) y[PLACE(s * 32 + l)] = sums[l];
    }
}
#endif

kernel void sliced_rows(OPERANDS) {
    const int r = get_global_id(0), s = r / 32, to = ptr[s + 1], whole = full[s];
    T sum = 0;
    int i = ptr[s] + r % 32;
    for (; i < whole; i += 32) {
        const int begin = lead[i / 32];
        sum += value[i] * x[begin >= 0 ? begin + r % 32 : col[i]];
    }
    for (; i < to; i += 32) {
        const int c = col[i];
        if (c >= 0) sum += value[i] * x[c];
    }
    y[PLACE(r)] = sum;
}
