// contract/gpu_dot4_amd.cl: dot products of four bytes by AMD GPUs, by builtins of the compiler
//
// The functions of contract/any_dot4_emulated.cl, for scalars. Before RDNA 3 both operands are signed or both are not:
// an unsigned one beside a signed one is taken as signed, 128 less, which is put right. The driver
// defines no macro that tells the GPU (ROCm 5.7 and 6.4), but its compiler knows what it has.
// source  LLVM, User Guide for AMDGPU Backend: dot1-insts, dot7-insts, dot8-insts

#ifdef __has_builtin
#if __has_builtin(__builtin_amdgcn_sudot4)
#define DOT_SIGNS(sa, a, sb, b, c) ((uint)__builtin_amdgcn_sudot4(sa, (int)(a), sb, (int)(b), (int)(c), false))
#define DOT_SS(a, b, c) DOT_SIGNS(true, a, true, b, c)
#define DOT_SU(a, b, c) DOT_SIGNS(true, a, false, b, c)
#define DOT_US(a, b, c) DOT_SIGNS(false, a, true, b, c)
#endif
#endif
#ifndef DOT_SIGNS
#define DOT_SS(a, b, c) ((uint)__builtin_amdgcn_sdot4((int)(a), (int)(b), (int)(c), false))
#define DOT_SU(a, b, c) DOT_SS(a, (b) ^ 0x80808080u, (c) + (DOT_SS(a, 0x01010101, 0) << 7))
#define DOT_US(a, b, c) DOT_SU(b, a, c)
#endif
#define DOT_UU(a, b, c) __builtin_amdgcn_udot4(a, b, c, false)
