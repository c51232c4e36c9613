// factor/any_complete.cl: matrices of orthonormal columns that lack the last ones
//
//     Uᵀ U = I for all COLUMNS of U, of which the first RANKS are there
//
// A work-group has one matrix of the batch. Each column that lacks is, of all unit vectors, the one furthest from the columns there are,
// less its part in their span: Gram-Schmidt, twice. No choice is bad: the squares of these distances add up to the columns that lack.
//
// hooks   LONGS  where the matrices start    RANKS  columns that are there, -1: the others become NaN
//         SPARE  LONG numbers for each matrix
// macros  ACC  float or double    WG  items of a group
// sizes   LONG  rows    SHORT  columns that are there where they are NaN    COLUMNS
//         LONGS_I LONGS_J LONGS_ALL  from row to row, column to column and matrix to matrix
// launch  factor_complete  global {WG, batch}  local {WG, 1}
// source  Daniel, Gragg, Kaufman and Stewart, Reorthogonalization and Stable Algorithms for Updating the Gram-Schmidt QR Factorization
//         (1976)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void factor_complete(PARAMS) {
    const int id = get_local_id(0), m = LONG, columns = COLUMNS, rank = RANKS[get_global_id(1)];
    const IDX b = get_global_id(1);
    __global ACC *u = LONGS + (long)b * LONGS_ALL, *spare = SPARE + (long)b * LONG;
    const long down = LONGS_I, right = LONGS_J;
    if (rank < 0)
        for (int j = SHORT; j < columns; j++)
            for (int i = id; i < m; i += WG)
                u[i * down + j * right] = NAN;
    for (int j = rank < 0 ? columns : rank; j < columns; j++) {
        for (int i = id; i < m; i += WG) {
            ACC left = 1;
            for (int k = 0; k < j; k++) {
                const ACC v = u[i * down + k * right];
                left -= v * v;
            }
            spare[i] = left;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        int far = 0;
        for (int i = 1; i < m; i++)
            far = spare[i] > spare[far] ? i : far;
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int pass = 0; pass < 3; pass++) {
            for (int k = id; k < j; k += WG) {
                ACC s = 0;
                if (pass == 0)
                    s = u[far * down + k * right];
                else
                    for (int i = 0; i < m; i++)
                        s += u[i * down + k * right] * u[i * down + j * right];
                spare[k] = s;
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
            for (int i = id; i < m; i += WG) {
                ACC v = pass > 0 ? u[i * down + j * right] : i == far ? (ACC)1 : (ACC)0;
                for (int k = 0; k < j; k++)
                    v -= spare[k] * u[i * down + k * right];
                u[i * down + j * right] = v;
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
        ACC square = 0;
        for (int i = 0; i < m; i++)
            square += u[i * down + j * right] * u[i * down + j * right];
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int i = id; i < m; i += WG)
            u[i * down + j * right] /= sqrt(square);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
