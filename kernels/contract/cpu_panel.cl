// contract/cpu_panel.cl: the contraction for CPU drivers, by vectors over panels of columns
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// One work-item goes through TILES tiles of rows, and holds MR rows x NR columns of the output in
// MR·NV vectors of VL lanes; a step of k multiplies MR broadcast elements of A with one row of
// NR elements of B. NR = NV·VL columns of B, k after k, are a panel.
//
// hooks   OUT(b, m, n, v)     the epilogue and the store
//         A_DIRECT 1: A_PTR + A_ROW(b, m) + A_COL(k) is element (b, m, k), A_LOAD(p, i) widens
//                     one element; within a run of RUN values of k they lie A_STEP apart
//         FAR 1: rows, along k in memory, are asked for a tile ahead
//         A_DIRECT 0: rows were packed by contract/cpu_pack_a.cl: [batch][tile][k][MR]
//         B_DIRECT 1: B_PTR + B_BATCH(b) + B_COLUMN(n) + B_ROW(k), B_LOAD(p) widens VL elements,
//                     B_STEP; columns adjoin in runs of RUN_COLUMNS, each RUN_PANELS panels
//         FAR_B  how many lines of a later row of such a panel are asked for, or 0
//         B_DIRECT 0: columns were packed by contract/cpu_pack_b.cl: [batch][panel][k][NR]
//         HALF 1: where half the vectors of the last panel hold its columns, only these are multiplied
//         OUT_VECTOR(b, m, n, x)  where results are stored side by side: of VL sums from column n on
//         ACROSS 1: neighbours among work-items take panels of the same rows, 0: rows of the same panel
//         BY_COLUMN 1: neighbours in n are no neighbours in the output: it is stored column by column
//         TURNED  1: BY_COLUMN, of MR rows that lib/cpu_transpose.cl turns
//         OUT_ROWS(b, m, n, s)  where TURNED and neighbours in m are neighbours in the output but at
//         ends of runs: of the sums s of MR rows from m on, stored side by side, by vectors ROWS_OUT of MR
//         SPLIT 1: chunks of k are summed apart, into PART [split][b][m][n]; contract/any_sum.cl
//                  folds them in a fixed order
//         FLIP where A is packed as A ^ FLIP: MAC(FLIP, b, 0) of all b is subtracted
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in vectors of it    VT VL-wide vector of it    VLOAD its vload
//         LEVELS TERMS BLOCKS  how sums of many terms are taken: see lib/block_sums.cl
//         LONG_RUNS 1: runs are longer than TERMS
// sizes   M N  extents    K_FROM K_TO  the k of this launch    CHUNK  of k a split, a multiple
//         of RUN    M_FROM N_FROM B_FROM S_FROM  where this launch starts; N_FROM a multiple of
//         NR, M_FROM of MR    BATCHES  of the output    LOTS  batches in this launch
//         A_PLANE B_PLANE  elements of a packed batch, 0 where all share one
//         TILES  of MR rows a work-item    ROW_TILES  in this launch
// launch  contract_panel  global {ceil(ROW_TILES / TILES), panels, batches x splits}, the first two in the other
//         order where ACROSS    local {1, 1, 1}
// note    a tail of a run of columns that B_DIRECT reads is reached by moving the panel to the left:
//         nothing outside the buffer is read, and no element is stored twice
// source  Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication (2008)

#define AHEAD 64 // rows of a panel

// What is left of a run from k on, and how many terms a block has: whole runs, or pieces of one.
#if LONG_RUNS
#define RUN_FROM(k) (RUN - ((k) - k0) % RUN)
#define BLOCK TERMS
#else
#define RUN_FROM(k) RUN
#define BLOCK ((TERMS + RUN - 1) / RUN * RUN)
#endif

// Adds the products of the next run of values of k to the sums of the first V vectors of columns.
#define STEPS(V) \
    for (IDX r = 0; r < run; r++) { \
        VT bv[V]; \
        UNROLL for (int v = 0; v < (V); v++) \
            bv[v] = B_AT(v); \
        B_SOON(V) \
        bp += B_NEXT; \
        UNROLL for (int i = 0; i < MR; i++) { \
            const VT av = (VT)((ACC)A_AT(i)); \
            UNROLL for (int v = 0; v < (V); v++) \
                acc[i][v] = MAC(av, bv[v], acc[i][v]); \
        } \
        A_NEXT \
    }
#define UNROLL _Pragma("unroll")

#if A_DIRECT
#define A_AT(i) A_LOAD(row[i], at)
#define A_NEXT at += A_STEP;
#else
#define A_AT(i) a[i]
#define A_NEXT a += MR;
#endif

#if B_DIRECT
#define B_AT(v) B_LOAD(bp + (v) * VL)
#define B_NEXT B_STEP
#if FAR_B
#define B_SOON(V) UNROLL for (int v = 0; v < FAR_B; v++) FETCH_FAR(bp + AHEAD * B_STEP + v * VL);
#endif
#else
#define B_AT(v) VLOAD(0, bp + (v) * VL)
#define B_NEXT NR
#if MR > 1
// A page of a pack ends sooner than it takes to fetch from the next one. One row
// asks for as much as it can anyway.
#define B_SOON(V) UNROLL for (int v = 0; v < (V); v++) FETCH_LINE(bp + AHEAD * NR + v * VL);
#endif
#endif
#ifndef B_SOON
#define B_SOON(V)
#endif

typedef VT __attribute__((aligned(sizeof(ACC)))) VT_ANYWHERE;
#ifdef OUT_ROWS
typedef ROWS_OUT __attribute__((aligned(sizeof(ACC)))) ROWS_ANYWHERE;
#endif

BODY void panel_tiles(const IDX strip, const IDX panel, const IDX z, PARAMS) {
    WIDE_VECTORS
#if SPLIT
    const IDX s = z / LOTS, lot = z - s * LOTS;
    const IDX k0 = K_FROM + s * CHUNK, k1 = min(k0 + CHUNK, (IDX)K_TO);
#else
    const IDX lot = z, k0 = K_FROM, k1 = K_TO;
#endif
    const IDX b = B_FROM + lot;
#if B_DIRECT
    const IDX run = panel / RUN_PANELS, first = (panel - run * RUN_PANELS) * NR;
    const IDX start = min(first, (IDX)RUN_COLUMNS - NR), left = run * RUN_COLUMNS + start;
    const int from = first - start, to = NR;
    __global const B_TYPE *column = B_PTR + B_BATCH(b) + B_COLUMN(left);
#else
    const IDX left = N_FROM + panel * NR;
    const int from = 0, to = min((IDX)NR, (IDX)N - left);
    __global const ACC *column = B_PACK + (size_t)lot * B_PLANE
                               + ((size_t)panel * (K_TO - K_FROM) + (k0 - K_FROM)) * NR;
#endif

#ifdef FLIP
    VT too[NV];
    #pragma unroll
    for (int v = 0; v < NV; v++) {
        too[v] = (VT)(0);
        for (IDX k = 0; k < k1 - k0; k++)
            too[v] = MAC((VT)(FLIP), VLOAD(0, column + k * NR + v * VL), too[v]);
    }
#endif
    const IDX begin = strip * TILES, end = min(begin + TILES, (IDX)ROW_TILES);
    for (IDX tile = begin; tile < end; tile++) {
        const IDX firstM = M_FROM + tile * MR;
#if A_DIRECT
        __global const A_TYPE *row[MR];
        #pragma unroll
        for (int i = 0; i < MR; i++)
            row[i] = A_PTR + A_ROW(b, min(firstM + i, (IDX)M - 1));
#else
        __global const ACC *a = A_PACK + (size_t)lot * A_PLANE + ((size_t)tile * (K_TO - K_FROM) + (k0 - K_FROM)) * MR;
#endif
#if FAR
        if (tile + 1 < end && panel * ACROSS == 0)
            for (int i = 0; i < MR; i++) {
                __global const A_TYPE *next = A_PTR + A_ROW(b, min(firstM + MR + i, (IDX)M - 1)) + A_COL(k0);
                FETCH_RUN(next, 0, LINE / (int)sizeof(A_TYPE), min(k1 - k0, (IDX)256))
            }
#endif
#if !B_DIRECT
        __global const ACC *bp = column;
#endif
        VT acc[MR][NV];
        #pragma unroll
        for (int i = 0; i < MR; i++)
            #pragma unroll
            for (int v = 0; v < NV; v++)
#ifdef FLIP
                acc[i][v] = -too[v];
#else
                acc[i][v] = (VT)(0);
#endif
        BLOCK_SUMS(VT, MR * NV)

        for (IDX k = k0; k < k1;) {
#if LEVELS
            if (k > k0)
                ADD_BLOCK(VT, MR * NV, acc)
            const IDX stop = min(k + BLOCK, k1);
#else
            const IDX stop = k1;
#endif
            while (k < stop) {
                const IDX run = min((IDX)RUN_FROM(k), stop - k);
#if A_DIRECT
                long at = A_COL(k);
#endif
#if B_DIRECT
                __global const B_TYPE *bp = column + B_ROW(k);
#endif
#if HALF
                if (to <= NV / 2 * VL)
                    STEPS(NV / 2)
                else
#endif
                    STEPS(NV)
                k += run;
            }
        }
        END_BLOCKS(VT, MR * NV, acc)

        const int rows = min((IDX)MR, (IDX)M - firstM);
        int at = from; // what is not stored by vectors
#ifdef OUT_VECTOR
        if (from == 0) {
            #pragma unroll
            for (int v = 0; v < NV; v++)
                if ((v + 1) * VL <= to)
                    #pragma unroll
                    for (int i = 0; i < MR; i++)
                        if (i < rows)
                            OUT_VECTOR(b, firstM + i, left + v * VL, acc[i][v]);
            at = to / VL * VL;
            if (at == to)
                continue;
        }
#endif
        // All of it first: a load of what was stored just before, in other pieces, waits.
#if TURNED
#define SUM(i, j) out[j][i]
        ACC out[NR][MR] __attribute__((aligned(128)));
        #pragma unroll
        for (int v = 0; v < NV; v++) {
            VT t[VL];
            #pragma unroll
            for (int i = 0; i < MR; i++)
                t[i] = acc[i][v];
            transpose_rows(t, MR);
            #pragma unroll
            for (int i = 0; i < MR; i++)
                *(VT *)(out[v * VL] + i * VL) = t[i];
        }
#else
#define SUM(i, j) out[i][j]
        ACC out[MR][NR] __attribute__((aligned(128)));
        #pragma unroll
        for (int i = 0; i < MR; i++)
            #pragma unroll
            for (int v = 0; v < NV; v++)
                *(VT *)(out[i] + v * VL) = acc[i][v];
#endif
#if SPLIT
        for (int i = 0; i < rows; i++) {
            __global ACC *part = PART + (((size_t)(S_FROM + s) * BATCHES + b) * M + firstM + i) * N + left;
            for (int j = at; j < to; j++)
                part[j] = out[i][j];
        }
#elif BY_COLUMN
#ifdef OUT_ROWS
        if (rows == MR && OUT_AT(b, firstM + MR - 1, left) - OUT_AT(b, firstM, left) == MR - 1) {
            for (int j = at; j < to; j++)
                OUT_ROWS(b, firstM, left + j, out[j]);
            continue;
        }
#endif
        if (rows == MR) {
            for (int j = at; j < to; j++)
                for (int i = 0; i < MR; i++)
                    OUT(b, firstM + i, left + j, SUM(i, j));
        } else {
            for (int j = at; j < to; j++)
                for (int i = 0; i < rows; i++)
                    OUT(b, firstM + i, left + j, SUM(i, j));
        }
#else
        for (int i = 0; i < rows; i++)
            if (to - at == NR)
                WIDE for (int j = 0; j < NR; j++)
                    OUT(b, firstM + i, left + j, SUM(i, j));
            else
                PARTLY for (int j = at; j < to; j++)
                    OUT(b, firstM + i, left + j, SUM(i, j));
#endif
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_panel(PARAMS) {
    panel_tiles(get_global_id(ACROSS), get_global_id(1 - ACROSS), get_global_id(2), ARGS);
}
