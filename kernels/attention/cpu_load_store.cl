// attention/cpu_load_store.cl: loads and stores of tiles: rows of memory become lanes of vectors, and back
//
// hooks   VLOAD(p) VSTORE(v, i, p)  a vector of neighbours
// macros  ACC VL VT QV QT LANE  as in attention/cpu_shared.cl

// How the tile of rows first..first+QT of count is filled, rows past the last one as that one:
// ROW(b, r) points to what can be read as it is, LOAD(b, r, x) gives one element.
#define FILL_ROWS(ROW, tile, depth, b, first, count) { \
        __global const ACC *rows_[QT]; \
        for (int l = 0; l < QT; l++) \
            rows_[l] = ROW(b, min((first) + l, (IDX)(count) - 1)); \
        fill(tile, rows_, depth); \
    }
#define FILL_EACH(LOAD, tile, depth, b, first, count) \
    for (int l = 0; l < QT; l++) { \
        const IDX r_ = min((first) + l, (IDX)(count) - 1); \
        for (int x = 0; x < (depth); x++) \
            LANE(tile, x, l) = (ACC)LOAD(b, r_, x); \
    }

// How have lanes of a tile become rows from i0 on, lane l times factor: OUT points to the
// first element of the result, STORE(i, v) stores one.
#define SPILL_ROWS(OUT, tile, depth, i0, have, factor) spill(OUT + (size_t)(i0) * (depth), tile, depth, have, factor);
#define SPILL_EACH(STORE, tile, depth, i0, have, factor) \
    for (int l = 0; l < (have); l++) \
        for (int x = 0; x < (depth); x++) \
            STORE(((i0) + l) * (depth) + x, LANE(tile, x, l) * LANE(factor, 0, l));

static inline void fill(VT *tile, __global const ACC *const row[QT], const int depth) {
    int x = 0;
    for (; x + VL <= depth; x += VL)
        #pragma unroll
        for (int v = 0; v < QV; v++) {
            VT t[VL];
            #pragma unroll
            for (int l = 0; l < VL; l++)
                t[l] = VLOAD(row[v * VL + l] + x);
            transpose(t);
            #pragma unroll
            for (int l = 0; l < VL; l++)
                tile[(x + l) * QV + v] = t[l];
        }
    for (; x < depth; x++)
        for (int l = 0; l < QT; l++)
            LANE(tile, x, l) = row[l][x];
}

static inline void spill(__global ACC *out, const VT *tile, const int depth, const int have, const VT factor[QV]) {
    int x = 0;
    for (; x + VL <= depth; x += VL)
        #pragma unroll
        for (int v = 0; v < QV; v++) {
            VT t[VL];
            #pragma unroll
            for (int l = 0; l < VL; l++)
                t[l] = tile[(x + l) * QV + v] * factor[v];
            transpose(t);
            #pragma unroll
            for (int l = 0; l < VL; l++)
                if (v * VL + l < have)
                    VSTORE(t[l], 0, out + (size_t)(v * VL + l) * depth + x);
        }
    for (; x < depth; x++)
        for (int l = 0; l < have; l++)
            out[(size_t)l * depth + x] = LANE(tile, x, l) * LANE(factor, 0, l);
}
