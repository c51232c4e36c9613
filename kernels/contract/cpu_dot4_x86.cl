// contract/cpu_dot4_x86.cl: dot products of four bytes by x86 CPUs with AVX512-VNNI
//
// The functions of contract/any_dot4_emulated.cl, for vectors of 8 or 16 words, where exactly one operand is signed: that
// is what the instruction takes. By inline assembly, because drivers compile for families of
// CPUs of which some members have it.
// source  Intel, Architecture Instruction Set Extensions Programming Reference: VPDPBUSD

#define DOT_SUM(vector) \
    static inline vector __attribute__((overloadable, always_inline)) dot_x86(const vector a, const vector b, vector c) { \
        __asm__("vpdpbusd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b)); \
        return c; \
    }
DOT_SUM(uint16)
DOT_SUM(uint8)
#define DOT_US(a, b, c) dot_x86(a, b, c)
#define DOT_SU(a, b, c) dot_x86(b, a, c)
