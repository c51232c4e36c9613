// factor/gpu_lu_panel.cl: LU decomposition with partial pivoting of narrow panels, for GPUs
//
//     P L U = the M - FROM rows and W columns of the matrix from row and column FROM on, which are overwritten
//
// A work-group has one matrix of the batch, each of its items some rows. It copies the panel to where rows adjoin: at a distance that is
// a power of two, a cache would hold few of them. Sixteen columns, a vector of each row, are decomposed one
// after the other: an item subtracts the pivot's row from its own and meanwhile looks for the next pivot. Then the rest of the panel is
// brought up to date, four rows at a time.
//
// hooks   F  where the factors start    PIVOT  where pivots start, from 0    PANEL    INFO  where the numbers of failures start
// macros  ACC  float or double    WG  items of a group    TINY  the least ACC whose reciprocal is finite
//         PW  the largest W, a multiple of 16: from row to row of PANEL, where panels are copied to
// sizes   M N K  rows, columns and the lesser of the two    FROM W
// launch  lu_panel     global {WG, batch}  local {WG, 1}
// note    stands behind factor/any_lu.cl, which defines vectors of 16
// source  Golub and Van Loan, Matrix Computations (2013), section 3.4

// The row from which on item id has rows, of those from begin on.
#define OWN(begin) ((begin) + id)
#define P_AT(i) (p + (long)(i) * PW)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void lu_panel(PARAMS) {
    __local ACC bests[WG];
    __local int places[WG];
    WIDE_VECTORS
    const int id = get_local_id(0), width = W, rows = M - FROM;
    const IDX b = get_global_id(1);
    __global ACC *f = F + ((long)b * M + FROM) * N + FROM, *p = PANEL + (long)b * M * PW;
    __global int *pivots = PIVOT + (long)b * K + FROM;
    const ROW16 lane = (ROW16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    for (int i = id; i < rows; i += WG) {
        int q = 0;
        for (; q + FULL <= width; q += FULL)
            ROW_AT(P_AT(i) + q) = ROW_AT(f + (long)i * N + q);
        for (; q < width; q++)
            P_AT(i)[q] = f[(long)i * N + q];
        for (; q < PW; q++)
            P_AT(i)[q] = 0;
    }
    for (int s = 0; s < width; s += FULL) {
        const int w = min(FULL, width - s), rest = s + FULL;
        ACC best = -1;
        int place = rows;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int i = OWN(s); i < rows; i += WG) {
            const ACC v = fabs(P_AT(i)[s]);
            if (v > best) {
                best = v;
                place = i;
            }
        }
        for (int j = 0; j < w; j++) {
            const int c = s + j;
            // The largest of the column, the first of several. Nothing is larger than NaN, nor is that.
            bests[id] = best;
            places[id] = place;
            for (int reach = WG / 2; reach > 0; reach /= 2) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (id < reach && (bests[id + reach] > bests[id] || bests[id + reach] == bests[id] && places[id + reach] < places[id])) {
                    bests[id] = bests[id + reach];
                    places[id] = places[id + reach];
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            const int at = places[0] < rows ? places[0] : c;
            if (at != c)
                for (int q = id; q < width; q += WG) {
                    const ACC v = P_AT(at)[q];
                    P_AT(at)[q] = P_AT(c)[q];
                    P_AT(c)[q] = v;
                }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            const ACC pivot = P_AT(c)[c];
            if (id == 0) {
                pivots[c] = FROM + at;
                if (pivot == 0 && INFO[b] == 0)
                    INFO[b] = FROM + c + 1;
            }
            // Where the pivot is 0 the column is, and stays.
            const ACC divisor = pivot == 0 ? (ACC)1 : pivot, factor = (ACC)1 / divisor;
            const bool divides = !(fabs(divisor) >= TINY);
            const ROW16 u = ROW_AT(P_AT(c) + s);
            const int next = s + min(j + 1, FULL - 1);
            best = -1;
            place = rows;
            for (int i = OWN(c + 1); i < rows; i += WG) {
                __global ACC *row = P_AT(i);
                const ACC x = row[c], l = divides ? x / divisor : x * factor;
                const ROW16 old = ROW_AT(row + s);
                ROW16 v = old - l * u;
                v = lane > (ACC)j ? v : old;
                ROW_AT(row + s) = v;
                row[c] = l;
                const ACC a = fabs(row[next]);
                if (a > best) {
                    best = a;
                    place = i;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        // The rest of the panel: rows of U, then all below.
        for (int q = rest + id; q < width; q += WG)
            for (int i = s + 1; i < rest; i++) {
                ACC v = P_AT(i)[q];
                for (int k = s; k < i; k++)
                    v -= P_AT(i)[k] * P_AT(k)[q];
                P_AT(i)[q] = v;
            }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int q = rest; q < width; q += FULL) {
            int i = rest + id * 4;
            for (; i + 4 <= rows; i += WG * 4) {
                __global ACC *row = P_AT(i);
                ROW16 v0 = ROW_AT(row + q), v1 = ROW_AT(row + PW + q), v2 = ROW_AT(row + 2 * PW + q), v3 = ROW_AT(row + 3 * PW + q);
                #pragma unroll
                for (int k = s; k < rest; k++) {
                    const ROW16 u = ROW_AT(P_AT(k) + q);
                    v0 -= row[k] * u;
                    v1 -= row[PW + k] * u;
                    v2 -= row[2 * PW + k] * u;
                    v3 -= row[3 * PW + k] * u;
                }
                ROW_AT(row + q) = v0;
                ROW_AT(row + PW + q) = v1;
                ROW_AT(row + 2 * PW + q) = v2;
                ROW_AT(row + 3 * PW + q) = v3;
            }
            for (; i < rows; i++) { // one item has what is left of four
                ROW16 v = ROW_AT(P_AT(i) + q);
                for (int k = s; k < rest; k++)
                    v -= P_AT(i)[k] * ROW_AT(P_AT(k) + q);
                ROW_AT(P_AT(i) + q) = v;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int i = id; i < rows; i += WG) {
        int q = 0;
        for (; q + FULL <= width; q += FULL)
            ROW_AT(f + (long)i * N + q) = ROW_AT(P_AT(i) + q);
        for (; q < width; q++)
            f[(long)i * N + q] = P_AT(i)[q];
    }
}
