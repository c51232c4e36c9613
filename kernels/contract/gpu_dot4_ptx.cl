// contract/gpu_dot4_ptx.cl: dot products of four bytes by NVIDIA GPUs, in inline PTX
//
// The functions of contract/any_dot4_emulated.cl, for scalars.
// source  NVIDIA, PTX ISA: dp4a

#define DP4A(name, types) \
    static inline uint name(const uint a, const uint b, const uint c) { \
        uint d; \
        asm("dp4a." types " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
        return d; \
    }
DP4A(dot_ss, "s32.s32")
DP4A(dot_su, "s32.u32")
DP4A(dot_us, "u32.s32")
DP4A(dot_uu, "u32.u32")
#define DOT_SS(a, b, c) dot_ss(a, b, c)
#define DOT_SU(a, b, c) dot_su(a, b, c)
#define DOT_US(a, b, c) dot_us(a, b, c)
#define DOT_UU(a, b, c) dot_uu(a, b, c)
