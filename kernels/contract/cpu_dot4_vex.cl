// contract/cpu_dot4_vex.cl: dot products of four bytes by x86 CPUs with AVX-VNNI alone
//
// The functions of contract/cpu_dot4_x86.cl, for vectors of 8 words.
// source  Intel, Architecture Instruction Set Extensions Programming Reference: VPDPBUSD

static inline uint8 __attribute__((always_inline)) dot_vex(const uint8 a, const uint8 b, uint8 c) {
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
    return c;
}
#define DOT_US(a, b, c) dot_vex(a, b, c)
#define DOT_SU(a, b, c) dot_vex(b, a, c)
