// reduce/cpu_taps.cl: for every tap of a sliding window, the sum over all positions, on a CPU driver
//
//     y[(o * FOLDS + f) * GOLDS + g] =
//         EPILOGUE(o, f, g, sum over n, r, i of S(r·SR + f·DR, i·SI + g·DI) · PART(o, n, r, i))
//
// where S is the plane o, n that reduce/cpu_window_stage.cl lays out. Every tap has a vector of sums in
// registers; BLOCK rows of PART are held at once, so that a vector of the plane is loaded once for
// all taps and rows that meet in it.
//
// hooks   those of reduce/cpu_window_stage.cl    EPILOGUE(o, f, g, v)  STORE(r, v)    PART(o, n, r, i)
//         PLAIN_PART 1: its values lie side by side from PART_PTR + PART_AT(o, n, r) on, PART_LEN
//         elements in all; PART_WIDE(p) widens VL of them
// macros  FOLDS, GOLDS, SR, SI, DR, DI, BLOCK as of reduce/cpu_window.cl
//         LANES  a vector of the integers 0 to VL - 1    MASK  its type
// sizes   OUTER planes, OSPAN of them an item    NS    RS rows, RSPAN of them at a time    INNER    PITCH
// launch  reduce_taps  global {OUTER / OSPAN}  local {1}
// note    the sums of every tap are blocked and compensated as those of reduce/any_monoid.cl are, in runs of 64
// for     the gradient of a depthwise convolution with respect to its kernels

#define REACH ((BLOCK - 1) * SR + TAP(FOLDS - 1, 1, DR < 0 ? -DR : DR) + 1) // rows of a block

// Every vector of a block meets every row of PART of which a window holds it.
#define MEET(SUM) do { \
    _Pragma("unroll") \
    for (int row = 0; row < REACH; row++) \
        _Pragma("unroll") \
        for (int g = 0; g < GOLDS; g++) { \
            const VT v = window_lanes(rows + row * PITCH, TAP(g, GOLDS, DI)); \
            _Pragma("unroll") \
            for (int k = 0; k < BLOCK; k++) { \
                const int down = row - k * SR - TAP(0, FOLDS, DR), f = down / (DR); \
                if (f * (DR) == down && f >= 0 && f < FOLDS) \
                    sum[f * GOLDS + g] = SUM(FMA(v, part[k], sum[f * GOLDS + g]), sum[f * GOLDS + g]); \
            } \
        } \
} while (0)
#define ALL(met, before) (met)
#define SOME(met, before) (inside[k] ? (met) : (before))

#define TAPS_RUN (2 * SUM_RUN)

kernel void reduce_taps(PARAMS) {
    __local VAL stage[STAGE] LINES;
    WIDE_VECTORS
    const IDX o0 = (IDX)get_global_id(0) * OSPAN, o1 = min(o0 + OSPAN, OUTER);
    for (IDX o = o0; o < o1; o++) {
        VT sum[FOLDS * GOLDS], total[FOLDS * GOLDS], rest[FOLDS * GOLDS];
        #pragma unroll
        for (int t = 0; t < FOLDS * GOLDS; t++)
            sum[t] = total[t] = rest[t] = (VT)(0);
        int left = TAPS_RUN; // products before sums are carried to totals
        for (IDX n = 0; n < NS; n++)
        for (IDX r0 = 0; r0 < RS; r0 += RSPAN) {
            const IDX r1 = min(r0 + RSPAN, RS);
            window_stage(stage, o, n, r0 * SR, (r1 - 1) * SR + (FOLDS - 1) * (DR < 0 ? -DR : DR) + 1, ARGS);
            for (IDX r = r0; r < r1; r += BLOCK)
                for (IDX i = 0; i < INNER; i += VL) {
                    __local const VAL *rows = stage + (r - r0) * SR * PITCH + i * SI;
                    VT part[BLOCK];
                    const int rows_left = min(r1 - r, (IDX)BLOCK);
#if PLAIN_PART
                    const IDX top = PART_AT(o, n, r) + i, bottom = PART_AT(o, n, r + BLOCK - 1) + i;
                    if (rows_left == BLOCK && max(top, bottom) + VL <= PART_LEN) {
                        #pragma unroll
                        for (int k = 0; k < BLOCK; k++)
                            part[k] = PART_WIDE(PART_PTR + PART_AT(o, n, r + k) + i);
                    } else
#endif
                    {
                        VAL lane[BLOCK][VL] LINES;
                        for (int k = 0; k < BLOCK; k++)
                            for (int c = 0; c < VL; c++)
                                lane[k][c] = k < rows_left && i + c < INNER ? PART(o, n, r + k, i + c) : 0;
                        #pragma unroll
                        for (int k = 0; k < BLOCK; k++)
                            part[k] = *(VT *)lane[k];
                    }
                    if (rows_left == BLOCK && i + VL <= INNER)
                        MEET(ALL);
                    else {
                        MASK inside[BLOCK]; // what lies beyond, infinite or not, belongs to no window
                        #pragma unroll
                        for (int k = 0; k < BLOCK; k++)
                            inside[k] = LANES < (MASK)(k < rows_left ? INNER - i : 0);
                        MEET(SOME);
                    }
                    left -= BLOCK;
                    if (left <= 0) {
                        #pragma unroll
                        for (int t = 0; t < FOLDS * GOLDS; t++) {
                            COMPENSATE(VT, total[t], rest[t], sum[t])
                            sum[t] = (VT)(0);
                        }
                        left = TAPS_RUN;
                    }
                }
        }
        #pragma unroll
        for (int f = 0; f < FOLDS; f++)
            #pragma unroll
            for (int g = 0; g < GOLDS; g++) {
                VAL lane[VL] LINES;
                *(VT *)lane = (sum[f * GOLDS + g] + rest[f * GOLDS + g]) + total[f * GOLDS + g];
                #pragma unroll
                for (int w = VL / 2; w > 0; w /= 2)
                    for (int k = 0; k < w; k++)
                        lane[k] += lane[k + w];
                STORE((o * FOLDS + f) * GOLDS + g, EPILOGUE(o, f, g, lane[0]));
            }
    }
}
