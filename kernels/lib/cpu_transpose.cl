// lib/cpu_transpose.cl: transposes of squares of vectors in registers
//
// macros  VL  lanes, a power of two    VT  a vector of them
// note    interleaves (riffle) are named as such where the compiler offers it: written by elements, LLVM 15 takes
//         them apart and puts other ones together, of halves of vectors

// The lower halves of a and b, and the upper ones, with elements that take turns.
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#if VL == 4
#define RIFFLE_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define RIFFLE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#elif VL == 8
#define RIFFLE_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define RIFFLE_HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif VL == 16
#define RIFFLE_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define RIFFLE_HIGH(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#endif
#endif
#endif

#ifndef RIFFLE_LOW
static inline VT riffle(const VT a, const VT b, const int high) {
    VT t;
    t.even = high ? a.hi : a.lo;
    t.odd = high ? b.hi : b.lo;
    return t;
}
#define RIFFLE_LOW(a, b) riffle(a, b, 0)
#define RIFFLE_HIGH(a, b) riffle(a, b, 1)
#endif

// Riffling the two halves of so many rows, a power of two up to VL, log2(rows) times leaves their
// columns, one after the other: VL / rows of them to a vector.
static inline void transpose_rows(VT *r, const int rows) {
    #pragma unroll
    for (int stage = 1; stage < rows; stage *= 2) {
        VT t[VL];
        #pragma unroll
        for (int i = 0; i < rows / 2; i++) {
            t[2 * i] = RIFFLE_LOW(r[i], r[i + rows / 2]);
            t[2 * i + 1] = RIFFLE_HIGH(r[i], r[i + rows / 2]);
        }
        #pragma unroll
        for (int i = 0; i < rows; i++)
            r[i] = t[i];
    }
}

// Rows and columns of VL rows are exchanged.
static inline void transpose(VT *r) { transpose_rows(r, VL); }
