// contract/any_dot4_emulated.cl: dot products of four bytes by plain arithmetic, on any device
//
//     DOT_SS(a, b, c)   c + a0·b0 + a1·b1 + a2·b2 + a3·b3, modulo 2^32
//
// a and b hold four bytes each, signed (S) or not (U): the first letter is a's. All three are
// uint, or vectors of it. cpu_dot4_x86.cl, gpu_dot4_ptx.cl and their like beside this file do the
// same by instructions; nothing here is fast.

#define BYTE_U(x, i) ((x) >> 8 * (i) & 0xffu)
#define BYTE_S(x, i) ((BYTE_U(x, i) ^ 0x80u) - 0x80u)
#define DOT_OF(A, B, a, b, c) \
    (A(a, 0) * B(b, 0) + A(a, 1) * B(b, 1) + A(a, 2) * B(b, 2) + A(a, 3) * B(b, 3) + (c))
#define DOT_SS(a, b, c) DOT_OF(BYTE_S, BYTE_S, a, b, c)
#define DOT_SU(a, b, c) DOT_OF(BYTE_S, BYTE_U, a, b, c)
#define DOT_US(a, b, c) DOT_OF(BYTE_U, BYTE_S, a, b, c)
#define DOT_UU(a, b, c) DOT_OF(BYTE_U, BYTE_U, a, b, c)
