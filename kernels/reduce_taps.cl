// reduce_taps.cl: what every tap of a sliding window meets in all, on a CPU driver
//
//     y[(o * FOLDS + f) * GOLDS + g] =
//         EPILOGUE(o, f, g, sum over n, r, i of S(r·SR + f·DR, i·SI + g·DI) · PART(o, n, r, i))
//
// where S is the plane o, n that window_stage.cl lays out. Every tap has a vector of sums in
// registers; a row of PART is read once for all of them.
//
// hooks   those of window_stage.cl    EPILOGUE(o, f, g, v)  STORE(r, v)    PART(o, n, r, i)
//         PLAIN_PART 1: its values lie side by side from PART_PTR + PART_AT(o, n, r) on, PART_LEN
//         elements in all; PART_WIDE(p) widens VL of them
// macros  FOLDS, GOLDS, SR, SI, DR, DI as of reduce_window.cl    LANES  a vector of the integers 0 to VL - 1    MASK  its type
// sizes   OUTER planes, OSPAN of them an item    NS    RS rows, RSPAN of them at a time    INNER    PITCH
// launch  reduce_taps  global {OUTER / OSPAN}  local {1}
// for     the gradient of a depthwise convolution with respect to its kernels

kernel void reduce_taps(PARAMS) {
    __local VAL stage[STAGE] __attribute__((aligned(64)));
    WIDE_VECTORS
    const IDX o0 = (IDX)get_global_id(0) * OSPAN, o1 = min(o0 + OSPAN, OUTER);
    for (IDX o = o0; o < o1; o++) {
        VT sum[FOLDS * GOLDS];
        #pragma unroll
        for (int t = 0; t < FOLDS * GOLDS; t++)
            sum[t] = (VT)(0);
        for (IDX n = 0; n < NS; n++)
        for (IDX r0 = 0; r0 < RS; r0 += RSPAN) {
            const IDX r1 = min(r0 + RSPAN, RS);
            window_stage(stage, o, n, r0 * SR, (r1 - 1) * SR + (FOLDS - 1) * (DR < 0 ? -DR : DR) + 1, ARGS);
            for (IDX r = r0; r < r1; r++) {
                __local const VAL *rows = stage + (r - r0) * SR * PITCH;
#if PLAIN_PART
                const IDX first = PART_AT(o, n, r);
#endif
                for (IDX i = 0; i < INNER; i += VL) {
                    const MASK inside = LANES < (MASK)(INNER - i);
                    VT part;
#if PLAIN_PART
                    if (first + i + VL <= PART_LEN)
                        part = PART_WIDE(PART_PTR + first + i);
                    else
#endif
                    {
                        VAL lane[VL];
                        for (int k = 0; k < VL; k++)
                            lane[k] = i + k < INNER ? PART(o, n, r, i + k) : 0;
                        part = vload16(0, lane);
                    }
                    if (i + VL <= INNER) {
                        #pragma unroll
                        for (int f = 0; f < FOLDS; f++)
                            #pragma unroll
                            for (int g = 0; g < GOLDS; g++)
                                sum[f * GOLDS + g] = FMA(WINDOW_TAP(rows + i * SI, f, g), part, sum[f * GOLDS + g]);
                    } else {
                        part = inside ? part : (VT)(0);
                        #pragma unroll
                        for (int f = 0; f < FOLDS; f++)
                            #pragma unroll
                            for (int g = 0; g < GOLDS; g++) {
                                const VT v = WINDOW_TAP(rows + i * SI, f, g);
                                sum[f * GOLDS + g] = FMA(inside ? v : (VT)(0), part, sum[f * GOLDS + g]);
                            }
                    }
                }
            }
        }
        #pragma unroll
        for (int f = 0; f < FOLDS; f++)
            #pragma unroll
            for (int g = 0; g < GOLDS; g++) {
                VAL lane[VL];
                vstore16(sum[f * GOLDS + g], 0, lane);
                #pragma unroll
                for (int w = VL / 2; w > 0; w /= 2)
                    for (int k = 0; k < w; k++)
                        lane[k] += lane[k + w];
                STORE((o * FOLDS + f) * GOLDS + g, EPILOGUE(o, f, g, lane[0]));
            }
    }
}
