// contract/gpu_mma_ptx.cl: matrix multiply-accumulate by the matrix units of NVIDIA GPUs, in inline PTX
//
// The 32 lanes of a warp hold matrices together, as the fragments of mma.m16n8k16. With
// g = lane / 4 and t = lane % 4, two values a uint:
//
//     a[0] row g, columns 2t 2t+1    a[1] row g+8    a[2] row g, columns + 8    a[3] row g+8, columns + 8
//     b[0] rows 2t 2t+1, column g    b[1] rows + 8
//     c[0] c[1] row g, columns 2t 2t+1    c[2] c[3] row g+8
//
// UNITS_LOCAL               what a kernel declares
// MULTIPLY(c, a, b)         c += a·b; c is float[4], a uint[4], b uint[2]
// LOAD_ROWS(r, p)           r[i] = two values of row g of matrix i, from column 2t on; lane 8i + j
//                           points to row j of matrix i, 8 values
// LOAD_COLUMNS(r, p)        the same of the matrices transposed
// COPY(to, from, bytes)     16 bytes from global to local memory, those past bytes as zeros
// COPY_ALL(to, from)        16 bytes, none of them past an edge
// COPIES_END, COPIES_WAIT(n)   all copies but those before the last n ends have arrived, for the item itself
// PACK(x, y)                two floats as values, x the lower one
// UNROLL                    before loops whose steps are best written out
//
// MULTIPLY, LOAD, COPY and COPIES are whole statements.
//
// macros  MMA_SM  80, or 75 for devices that have neither bfloat16 nor copies in the background
//         BF16  1 where values are bfloat16, 0 float16
// source  NVIDIA, PTX ISA: mma.sync, ldmatrix, cp.async, cvt

#if BF16
#define OPERAND "bf16"
#else
#define OPERAND "f16"
#endif

#define UNROLL _Pragma("unroll")
#define UNITS_LOCAL
#define SHARED(p) ((uint)(size_t)(p))

#if MMA_SM >= 80
#define MULTIPLY(c, a, b) \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." OPERAND "." OPERAND ".f32 " \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
        : "=f"((c)[0]), "=f"((c)[1]), "=f"((c)[2]), "=f"((c)[3]) \
        : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]), \
          "f"((c)[0]), "f"((c)[1]), "f"((c)[2]), "f"((c)[3]));
#else
#define MULTIPLY_8(c, a0, a1, b) \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
        : "=f"((c)[0]), "=f"((c)[1]), "=f"((c)[2]), "=f"((c)[3]) \
        : "r"(a0), "r"(a1), "r"(b), "f"((c)[0]), "f"((c)[1]), "f"((c)[2]), "f"((c)[3]))
#define MULTIPLY(c, a, b) { MULTIPLY_8(c, (a)[0], (a)[1], (b)[0]); MULTIPLY_8(c, (a)[2], (a)[3], (b)[1]); }
#endif

#define LOAD_AS(r, p, turned) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" turned ".shared.b16 {%0, %1, %2, %3}, [%4];" \
        : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3]) : "r"(SHARED(p)) : "memory")
#define LOAD_ROWS(r, p) LOAD_AS(r, p, "");
#define LOAD_COLUMNS(r, p) LOAD_AS(r, p, ".trans");

#if MMA_SM >= 80
#define COPY(to, from, bytes) \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(SHARED(to)), "l"(from), "r"(bytes) : "memory");
#define COPY_ALL(to, from) \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(SHARED(to)), "l"(from) : "memory");
#define COPIES_END asm volatile("cp.async.commit_group;" : : : "memory");
#define COPIES_WAIT(n) asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory");
#define PACK_INTO(r, x, y) asm("cvt.rn." OPERAND "x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x))
#else
#define COPY(to, from, bytes) { \
    if ((bytes) == 16) \
        *(to) = *(__global const uint4 *)(from); \
    else \
        for (int j_ = 0; j_ < 8; j_++) \
            ((__local ushort *)(to))[j_] = 2 * j_ < (bytes) ? ((__global const ushort *)(from))[j_] : (ushort)0; \
}
#define COPY_ALL(to, from) *(to) = *(__global const uint4 *)(from);
#define COPIES_END
#define COPIES_WAIT(n)
#define PACK_INTO(r, x, y) \
    asm("{ .reg .b16 x, y; cvt.rn.f16.f32 x, %1; cvt.rn.f16.f32 y, %2; mov.b32 %0, {x, y}; }" : "=r"(r) : "f"(x), "f"(y))
#endif
