// sliced.cl: y = A x for a sparse matrix in slices of 32 rows, which lie side by side: SELL-32.
//
//     element k of row r is value[ptr[s] + 32 k + r % 32] of slice s = r / 32, in column col[the same]
//
// entry   sliced_vectors   CPUs: an item has each slices; the rows of a slice are lanes of vectors
//         sliced_rows      GPUs: an item has a row, neighbours read neighbours
// macros  T   float or double     V, LANES   a vector of LANES numbers     SORTED   row[r] is where row r goes
//         DOT   PARTIAL[i] is the part of x . y that rows 256 i up to 256 i + 255 have, of a square matrix
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

#ifdef DOT
#define DOT_OPERAND global T *restrict partial,
#else
#define DOT_OPERAND
#endif

#define OPERANDS global const int *restrict ptr, global const int *restrict full, global const int *restrict lead, \
    global const int *restrict col, global const T *restrict value, global const T *restrict x, ROW_OPERAND \
    global T *restrict y, DOT_OPERAND const int rows, const int slices, const int each

#define PART 8 // slices whose part of the product of x and y is one number

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

#ifdef DOT
#define NO_DOT V dot[VECTORS]; T rest = 0; _Pragma("unroll") for (int v = 0; v < VECTORS; v++) dot[v] = 0;
#define END_OF_PART(s) if (((s) + 1) % PART == 0 || (s) + 1 == slices) { partial[(s) / PART] = total(dot, rest); rest = 0; }

// The sum of the lanes by halves, which are cleared.
static inline T total(V *dot, const T rest) {
    V all = dot[0];
    dot[0] = 0;
    #pragma unroll
    for (int v = 1; v < VECTORS; v++) {
        all += dot[v];
        dot[v] = 0;
    }
    T lanes[LANES];
    STORE(all, 0, lanes);
    #pragma unroll
    for (int w = LANES / 2; w > 0; w /= 2)
        for (int l = 0; l < w; l++) lanes[l] += lanes[l + w];
    return lanes[0] + rest;
}
#else
#define NO_DOT
#define END_OF_PART(s)
#endif

kernel void sliced_vectors(OPERANDS) {
    const int first = get_global_id(0) * each, end = min(first + each, slices);
    NO_DOT
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
#ifdef DOT
            #pragma unroll
            for (int v = 0; v < VECTORS; v++) dot[v] += sum[v] * LOAD(v, x + s * 32);
            END_OF_PART(s)
#endif
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
        for (int l = 0; l < min(32, rows - s * 32); l++) {
            const int r = PLACE(s * 32 + l);
            y[r] = sums[l];
#ifdef DOT
            rest += sums[l] * x[r];
#endif
        }
        END_OF_PART(s)
    }
}
#endif

#ifdef DOT
kernel __attribute__((reqd_work_group_size(32 * PART, 1, 1)))
#else
kernel
#endif
void sliced_rows(OPERANDS) {
    const int r = get_global_id(0), s = r / 32;
    T sum = 0;
#ifdef DOT
    local T dots[32 * PART];
    const int at = get_local_id(0);
    dots[at] = 0;
    if (r < rows) {
#endif
    const int to = ptr[s + 1], whole = full[s];
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
#ifdef DOT
    dots[at] = sum * x[PLACE(r)];
    }
    for (int w = 32 * PART / 2; w > 0; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at < w) dots[at] += dots[at + w];
    }
    if (at == 0) partial[r / (32 * PART)] = dots[0];
#endif
}
