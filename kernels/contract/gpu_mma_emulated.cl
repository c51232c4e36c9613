// contract/gpu_mma_emulated.cl: the matrix multiply-accumulate of contract/gpu_mma_ptx.cl by plain arithmetic, on any device
//
// Lanes show one another what they hold in local memory. Nothing here is fast: it lets every
// device run, and so check, the kernels that are written for matrix units.
//
// macros  BF16  1 where values are bfloat16, 0 float16    WG  work-items of a group, all of which
//         take part in every MULTIPLY and LOAD
// source  NVIDIA, PTX ISA: the fragments of mma.m16n8k16, ldmatrix

#define UNROLL
#define UNITS_LOCAL __local uint4 shown[2 * WG];
#define SHOWN(lane, i) (((__local uint *)(shown + 2 * (id / 32 * 32 + (lane))))[i])
#define HALF_OF(u, i) ((i) % 2 ? (u) >> 16 : (u) & 0xffffu)

#if BF16
#define FLOAT_OF(u, i) as_float((uint)((__local const ushort *)&(u))[(i) % 2] << 16)
#else
#define FLOAT_OF(u, i) vload_half((i) % 2, (__local const half *)&(u))
#endif

#define MULTIPLY(c, a, b) { \
    for (int i_ = 0; i_ < 4; i_++) \
        SHOWN(id % 32, i_) = (a)[i_]; \
    SHOWN(id % 32, 4) = (b)[0]; \
    SHOWN(id % 32, 5) = (b)[1]; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    for (int v_ = 0; v_ < 4; v_++) \
        for (int k_ = 0; k_ < 16; k_++) \
            (c)[v_] += FLOAT_OF(SHOWN(id % 32 / 4 * 4 + k_ % 8 / 2, k_ / 8 * 2 + v_ / 2), k_) \
                * FLOAT_OF(SHOWN((id % 4 * 2 + v_ % 2) * 4 + k_ % 8 / 2, 4 + k_ / 8), k_); \
    barrier(CLK_LOCAL_MEM_FENCE); \
}

#define LOAD_ROWS(r, p) { \
    shown[2 * id] = *(p); \
    barrier(CLK_LOCAL_MEM_FENCE); \
    for (int i_ = 0; i_ < 4; i_++) \
        (r)[i_] = SHOWN(8 * i_ + id % 32 / 4, id % 4); \
    barrier(CLK_LOCAL_MEM_FENCE); \
}
#define LOAD_COLUMNS(r, p) { \
    shown[2 * id] = *(p); \
    barrier(CLK_LOCAL_MEM_FENCE); \
    for (int i_ = 0; i_ < 4; i_++) { \
        const uint x_ = SHOWN(8 * i_ + id % 4 * 2, id % 32 / 8), y_ = SHOWN(8 * i_ + id % 4 * 2 + 1, id % 32 / 8); \
        (r)[i_] = HALF_OF(x_, id % 32 / 4) | HALF_OF(y_, id % 32 / 4) << 16; \
    } \
    barrier(CLK_LOCAL_MEM_FENCE); \
}

#define COPY(to, from, bytes) { \
    for (int j_ = 0; j_ < 8; j_++) \
        ((__local ushort *)(to))[j_] = 2 * j_ < (bytes) ? ((__global const ushort *)(from))[j_] : (ushort)0; \
}
#define COPY_ALL(to, from) *(to) = *(__global const uint4 *)(from);
#define COPIES_END
#define COPIES_WAIT(n)
#if BF16
#define PACK_INTO(r, x, y) r = bfloat16_bits(x) | bfloat16_bits(y) << 16
#else
#define PACK_INTO(r, x, y) r = half_bits(x) | (uint)half_bits(y) << 16
#endif
