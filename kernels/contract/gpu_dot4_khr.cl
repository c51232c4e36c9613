// contract/gpu_dot4_khr.cl: dot products of four bytes by cl_khr_integer_dot_product
//
// The functions of contract/any_dot4_emulated.cl, for scalars; compilers make one instruction of product and sum.
// source  Khronos, OpenCL Extensions: cl_khr_integer_dot_product

#define DOT_SS(a, b, c) ((uint)dot_4x8packed_ss_int(a, b) + (c))
#define DOT_SU(a, b, c) ((uint)dot_4x8packed_su_int(a, b) + (c))
#define DOT_US(a, b, c) ((uint)dot_4x8packed_us_int(a, b) + (c))
#define DOT_UU(a, b, c) ((uint)dot_4x8packed_uu_uint(a, b) + (c))
