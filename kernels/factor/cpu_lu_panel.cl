// factor/cpu_lu_panel.cl: LU decomposition with partial pivoting of narrow panels, for CPU drivers
//
//     P L U = the M - FROM rows and W columns of the matrix from row and column FROM on, which are overwritten
//
// A work-item has one matrix of the batch. It lays the panel out by columns, so that vectors are rows of one column. Of 16 columns each is
// brought up to date only when it is its turn, from all columns before it at once, and meanwhile its pivot is looked for: that reads the
// most and stores little. The columns behind the 16 are brought up to date by a product of tiles in registers.
//
// hooks   F  where the factors start    PIVOT  where pivots start, from 0    PANEL    INFO  where the numbers of failures start
// macros  ACC  float or double    VL  lanes    VT  a vector of them    VI IT  one of integers as wide as ACC, and its type
//         TINY  the least ACC whose reciprocal is finite    PANEL_LD  from column to column of PANEL, at least M + 2 VL
// sizes   M N K  rows, columns and the lesser of the two    FROM W
// launch  lu_columns   global {1, batch}  local {1, 1}
// note    rows behind the last one are zeros, and never pivots: of those that are alike the first is taken
// source  Golub and Van Loan, Matrix Computations (2013), section 3.4; Toledo, Locality of Reference in LU Decomposition with Partial
//         Pivoting (1997)

typedef VT __attribute__((aligned(sizeof(ACC)))) VT_ANYWHERE;
#define COLUMN(q) (p + (long)(q) * PANEL_LD)
#define ROWS_AT(q, i) (*(__global VT_ANYWHERE *)(COLUMN(q) + (i)))
#define FULL 16
#define TILE_ROWS 2    // vectors
#define TILE_COLUMNS 4

// The panel from rows that lie N apart to columns, or back.
static void turn(__global ACC *p, __global ACC *f, const long ld, const int rows, const int width, const int back) {
    int i = 0;
    for (; i + VL <= rows; i += VL) {
        int q = 0;
        for (; q + VL <= width; q += VL) {
            VT r[VL];
            #pragma unroll
            for (int j = 0; j < VL; j++)
                r[j] = back ? ROWS_AT(q + j, i) : *(__global VT_ANYWHERE *)(f + (i + j) * ld + q);
            transpose(r);
            #pragma unroll
            for (int j = 0; j < VL; j++)
                if (back)
                    *(__global VT_ANYWHERE *)(f + (i + j) * ld + q) = r[j];
                else
                    ROWS_AT(q + j, i) = r[j];
        }
        for (; q < width; q++)
            for (int j = i; j < i + VL; j++)
                if (back)
                    f[j * ld + q] = COLUMN(q)[j];
                else
                    COLUMN(q)[j] = f[j * ld + q];
    }
    for (; i < rows; i++)
        for (int q = 0; q < width; q++)
            if (back)
                f[i * ld + q] = COLUMN(q)[i];
            else
                COLUMN(q)[i] = f[i * ld + q];
}

// Rows from s up to end of U in columns from q on, so many: what they are in the panel less products with the columns from s on.
// u is the same, negative. Columns wait for their own numbers only, so several are sooner done than one after the other.
#define FACTORS(columns) \
    for (int k = s; k < end; k++) { \
        ACC v[columns]; \
        _Pragma("unroll") \
        for (int x = 0; x < columns; x++) \
            v[x] = COLUMN(q + x)[k]; \
        for (int j = s; j < k; j++) { \
            const ACC l = COLUMN(j)[k]; \
            _Pragma("unroll") \
            for (int x = 0; x < columns; x++) \
                v[x] = FMA(u[j - s][x], l, v[x]); \
        } \
        _Pragma("unroll") \
        for (int x = 0; x < columns; x++) { \
            COLUMN(q + x)[k] = v[x]; \
            u[k - s][x] = -v[x]; \
        } \
    }

// Brings n vectors of column c, from row i on, up to date, and looks for what is largest.
#define ADVANCE(n) { \
    VT v[n]; \
    _Pragma("unroll") \
    for (int x = 0; x < n; x++) \
        v[x] = ROWS_AT(c, i + x * VL); \
    for (int k = s; k < c; k++) { \
        const VT l = (VT)(u[k - s][0]); \
        _Pragma("unroll") \
        for (int x = 0; x < n; x++) \
            v[x] = FMA(l, ROWS_AT(k, i + x * VL), v[x]); \
    } \
    _Pragma("unroll") \
    for (int x = 0; x < n; x++) { \
        ROWS_AT(c, i + x * VL) = v[x]; \
        const VT a = fabs(v[x]); \
        const IT larger = a > most; \
        most = larger ? a : most; \
        place = larger ? here : place; \
        here += (IT)(VL); \
    } \
    i += n * VL; \
}

// Brings column c up to date and returns the row of its pivot: of the largest, the first of several. Nothing is larger than NaN, nor
// is that.
static int advance(__global ACC *p, const int s, const int c, const int rows) {
    ACC u[FULL][1];
    const int q = c, end = c;
    FACTORS(1)
    ACC best = -1;
    int at = rows, i = c;
    for (; i % VL; i++) {
        ACC v = COLUMN(c)[i];
        for (int k = s; k < c; k++)
            v = FMA(u[k - s][0], COLUMN(k)[i], v);
        COLUMN(c)[i] = v;
        if (fabs(v) > best) {
            best = fabs(v);
            at = i;
        }
    }
    VT most = (VT)(best);
    IT place = (IT)(at), here;
    for (int x = 0; x < VL; x++)
        ((VI *)&here)[x] = i + x;
    for (; i + 4 * VL <= rows;)
        ADVANCE(4)
    for (; i < rows;)
        ADVANCE(1)
    for (int x = 0; x < VL; x++) {
        const ACC a = ((ACC *)&most)[x];
        const int where = ((VI *)&place)[x];
        if (a > best || a == best && where < at) {
            best = a;
            at = where;
        }
    }
    return at < rows ? at : c;
}

// Brings columns from q on, so many, up to date from all 16 before end.
#define BEHIND(columns) \
    FACTORS(columns) \
    for (int i = end; i < rows; i += TILE_ROWS * VL) { \
        VT v[columns][TILE_ROWS]; \
        _Pragma("unroll") \
        for (int x = 0; x < columns; x++) \
            _Pragma("unroll") \
            for (int y = 0; y < TILE_ROWS; y++) \
                v[x][y] = ROWS_AT(q + x, i + y * VL); \
        for (int k = 0; k < FULL; k++) { \
            VT l[TILE_ROWS]; \
            _Pragma("unroll") \
            for (int y = 0; y < TILE_ROWS; y++) \
                l[y] = ROWS_AT(s + k, i + y * VL); \
            _Pragma("unroll") \
            for (int x = 0; x < columns; x++) \
                _Pragma("unroll") \
                for (int y = 0; y < TILE_ROWS; y++) \
                    v[x][y] = FMA((VT)(u[k][x]), l[y], v[x][y]); \
        } \
        _Pragma("unroll") \
        for (int x = 0; x < columns; x++) \
            _Pragma("unroll") \
            for (int y = 0; y < TILE_ROWS; y++) \
                ROWS_AT(q + x, i + y * VL) = v[x][y]; \
    }

static void behind(__global ACC *p, const int s, const int rows, const int width) {
    const int end = s + FULL;
    ACC u[FULL][TILE_COLUMNS];
    int q = end;
    for (; q + TILE_COLUMNS <= width; q += TILE_COLUMNS) {
        BEHIND(TILE_COLUMNS)
    }
    for (; q < width; q++) {
        BEHIND(1)
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void lu_columns(PARAMS) {
    WIDE_VECTORS
    const int width = W, rows = M - FROM, padded = (rows + VL - 1) / VL * VL;
    const IDX b = get_global_id(1);
    __global ACC *f = F + ((long)b * M + FROM) * N + FROM, *p = PANEL + (long)b * PANEL_LD * 64;
    __global int *pivots = PIVOT + (long)b * K + FROM;

    turn(p, f, N, rows, width, 0);
    for (int q = 0; q < width; q++)
        for (int i = rows; i < padded; i++)
            COLUMN(q)[i] = 0;
    for (int s = 0; s < width; s += FULL) {
        for (int c = s; c < min(s + FULL, width); c++) {
            const int at = advance(p, s, c, rows);
            pivots[c] = FROM + at;
            if (at != c)
                for (int q = 0; q < width; q++) {
                    const ACC v = COLUMN(q)[at];
                    COLUMN(q)[at] = COLUMN(q)[c];
                    COLUMN(q)[c] = v;
                }
            const ACC pivot = COLUMN(c)[c];
            if (pivot == 0) { // and so is what is below it
                if (INFO[b] == 0)
                    INFO[b] = FROM + c + 1;
                continue;
            }
            const ACC factor = (ACC)1 / pivot;
            const bool divides = !(fabs(pivot) >= TINY);
            int i = c + 1;
            for (; i % VL && i < rows; i++)
                COLUMN(c)[i] = divides ? COLUMN(c)[i] / pivot : COLUMN(c)[i] * factor;
            for (; i < rows; i += VL)
                ROWS_AT(c, i) = divides ? ROWS_AT(c, i) / pivot : ROWS_AT(c, i) * factor;
        }
        if (s + FULL < width)
            behind(p, s, rows, width);
    }
    turn(p, f, N, rows, width, 1);
}
