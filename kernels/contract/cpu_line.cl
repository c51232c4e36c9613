// contract/cpu_line.cl: elements along a line of an image, as vectors
//
// macros  ACC  what elements are widened to    VT  VL of them    STEP  1, 2 or more: how far
//         apart the wanted elements lie    LINE_TYPE  of elements in memory
//         LINE_LOAD(p) widens VL neighbours, LINE_ONE(p, i) one

// Vectors at any address: vload of 16 is two or four loads for some compilers.
typedef VT __attribute__((aligned(sizeof(ACC)))) VT_ANYWHERE;

static inline VT line_load(__global const LINE_TYPE *p) {
#if STEP == 1
    return LINE_LOAD(p);
#elif STEP == 2 // no element beyond the last one is read
    const VT lo = LINE_LOAD(p), hi = LINE_LOAD(p + VL - 1);
    return (VT)(lo.even, hi.odd);
#else
    ACC lane[VL] __attribute__((aligned(128)));
    for (int j = 0; j < VL; j++)
        lane[j] = LINE_ONE(p, j * STEP);
    return *(VT *)lane;
#endif
}
