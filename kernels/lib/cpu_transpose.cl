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

// Registers of 32 bytes and less interleave rows within quarters of 16 bytes in one instruction, and exchange quarters in another,
// where a riffle of rows takes ten. LOW_n and HIGH_n exchange runs of n elements of two rows.
#if defined(__has_builtin) && !defined(__AVX512F__) && (VL == 8 || VL == 16)
#if __has_builtin(__builtin_shufflevector)
#define BY_QUARTERS 1
#if VL == 8
#define INTERLEAVE_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_1(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define HIGH_1(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define LOW_2(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define LOW_4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define INTERLEAVE_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOW_1(a, b) __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define HIGH_1(a, b) __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define LOW_2(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define LOW_4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define LOW_8(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define HIGH_8(a, b) __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#endif
#define EXCHANGE(n) \
    _Pragma("unroll") \
    for (int i_ = 0; i_ < VL; i_++) \
        if (!(i_ & n)) { \
            const VT a_ = r[i_], b_ = r[i_ + n]; \
            r[i_] = LOW_##n(a_, b_); \
            r[i_ + n] = HIGH_##n(a_, b_); \
        }
#endif
#endif

// Rows and columns of VL rows are exchanged.
#if BY_QUARTERS
static inline void transpose(VT *r) {
    if (sizeof(VT) == 4 * VL) {
        #pragma unroll
        for (int i = 0; i < VL; i += 4) {
            const VT a = INTERLEAVE_LOW(r[i], r[i + 1]), b = INTERLEAVE_HIGH(r[i], r[i + 1]);
            const VT c = INTERLEAVE_LOW(r[i + 2], r[i + 3]), d = INTERLEAVE_HIGH(r[i + 2], r[i + 3]);
            r[i] = LOW_2(a, c);
            r[i + 1] = HIGH_2(a, c);
            r[i + 2] = LOW_2(b, d);
            r[i + 3] = HIGH_2(b, d);
        }
    } else if (sizeof(VT) == 8 * VL) {
        EXCHANGE(1)
        EXCHANGE(2)
    } else {
        transpose_rows(r, VL);
        return;
    }
    EXCHANGE(4)
#if VL == 16
    EXCHANGE(8)
#endif
}
#else
static inline void transpose(VT *r) { transpose_rows(r, VL); }
#endif
