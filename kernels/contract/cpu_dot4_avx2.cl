// contract/cpu_dot4_avx2.cl: dot products of four bytes by x86 CPUs with AVX2
//
// The functions of contract/any_dot4_emulated.cl, for vectors of 8 words. Bytes are widened to 16 bits, even and odd ones apart, and
// an instruction multiplies these and adds neighbours. The one for bytes stops at the bounds of 16 bits, and would be wrong.
// Whatever is the same for several products, such as widening a row of an operand, the compiler does once.
// source  Intel, Instruction Set Extensions Programming Reference: VPMADDWD

#define EVEN_U(x) as_short16((x) & 0x00ff00ffu)
#define ODD_U(x) as_short16((x) >> 8 & 0x00ff00ffu)
#define EVEN_S(x) (as_short16(x) << (short16)(8) >> (short16)(8))
#define ODD_S(x) (as_short16(x) >> (short16)(8))
#define DOT_PAIRS(A, B) \
    static inline uint8 __attribute__((always_inline)) dot_avx2_##A##B(const uint8 a, const uint8 b, const uint8 c) { \
        const uint8 even = as_uint8(__builtin_ia32_pmaddwd256(EVEN_##A(a), EVEN_##B(b))); \
        const uint8 odd = as_uint8(__builtin_ia32_pmaddwd256(ODD_##A(a), ODD_##B(b))); \
        return c + even + odd; \
    }
DOT_PAIRS(S, S)
DOT_PAIRS(S, U)
DOT_PAIRS(U, S)
DOT_PAIRS(U, U)
#define DOT_SS(a, b, c) dot_avx2_SS(a, b, c)
#define DOT_SU(a, b, c) dot_avx2_SU(a, b, c)
#define DOT_US(a, b, c) dot_avx2_US(a, b, c)
#define DOT_UU(a, b, c) dot_avx2_UU(a, b, c)
