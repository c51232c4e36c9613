// reduce/cpu_window_stage.cl: a copy in local memory of the part of an image over which windows slide
//
// A plane's rows [a0, a1) come to lie PITCH apart with what stands beyond their edge around them,
// so that whoever slides windows over them asks for no edge. SOURCE is read once for every position
// instead of once for every window that covers it.
//
// hooks   SOURCE(o, n, a, b)   the value at row a, column b of plane o, n, in steps of SPREAD
//         GUARDED 1: only rows where ROW_INSIDE(o, n, a) holds have values; else all have
//         PLAIN   1: values lie side by side from SOURCE_PTR + SOURCE_AT(o, n, a) on, SOURCE_LEN
//                 elements in all; LOAD_WIDE(p) widens VL of them, LOAD_HALF(p) half as many
// macros  VAL  type of a value    VT  VL = 16 of them    VH  half as many    BEYOND  beyond the edge
//         STAGE   values of local memory    SPREAD  b is column b * SPREAD + PHASE, with BEYOND
//                 between: a window that meets every so manyth value only
//         SI      columns a window moves on for the next lane
// sizes   BLO, BHI  columns that have values    PITCH  a multiple of VL, VL more than what is read

// Vectors at any address: vload and vstore of 16 are four of 4 for some compilers.
typedef VT __attribute__((aligned(sizeof(VAL)))) VU;

static inline void window_stage(__local VAL *stage, const IDX o, const IDX n, const IDX a0, const IDX a1, PARAMS) {
    for (IDX a = a0; a < a1; a++) {
        // Vectors reach beyond what they are for, into columns that are filled after them.
        __local VAL *row = stage + (a - a0) * PITCH;
        IDX end = 0;
#if GUARDED
        if (ROW_INSIDE(o, n, a))
#endif
        {
            IDX b = BLO;
            end = SPREAD > 1 ? PITCH : BHI;
            for (IDX at = 0; at < (SPREAD > 1 ? PITCH : BLO); at += VL)
                *(__local VU *)(row + at) = (VT)(BEYOND);
#if PLAIN && SPREAD == 1
            const IDX first = SOURCE_AT(o, n, a);
            __global const SOURCE_TYPE *p = SOURCE_PTR + first;
            for (; b < BHI && first + b + VL <= SOURCE_LEN; b += VL)
                *(__local VU *)(row + b) = LOAD_WIDE(p + b);
#elif PLAIN && SPREAD == 2
            __global const SOURCE_TYPE *p = SOURCE_PTR + SOURCE_AT(o, n, a);
            for (; b + VL / 2 <= BHI; b += VL / 2) {
                VT v = (VT)(BEYOND);
                v.even = LOAD_HALF(p + b);
                *(__local VU *)(row + b * 2 + PHASE) = v;
            }
#endif
            for (; b < BHI; b++)
                row[b * SPREAD + PHASE] = SOURCE(o, n, a, b);
        }
        for (; end < PITCH; end += VL)
            *(__local VU *)(row + end) = (VT)(BEYOND);
    }
}

// The values of tap f, g for the windows of VL lanes, of which the first starts at p.
#define WINDOW_TAP(p, f, g) window_lanes((p) + TAP(f, FOLDS, DR) * PITCH, TAP(g, GOLDS, DI))
#define TAP(k, count, step) ((k) * (step) - ((step) < 0 ? ((count) - 1) * (step) : 0))

static inline VT window_lanes(__local const VAL *p, const int at) {
#if SI == 1
    return *(__local const VU *)(p + at);
#elif SI == 2 // two neighbouring taps are made of the same two vectors
    const VT a = *(__local const VU *)(p + at / 2 * 2), b = *(__local const VU *)(p + at / 2 * 2 + VL);
    return at % 2 ? (VT)(a.odd, b.odd) : (VT)(a.even, b.even);
#else
    VAL lane[VL];
    for (int k = 0; k < VL; k++)
        lane[k] = p[at + k * SI];
    return vload16(0, lane);
#endif
}
