// contract/gpu_wgmma_emulated.cl: the products of contract/gpu_wgmma_ptx.cl by plain arithmetic, on any device
//
// Elements are found by their descriptors alone, as the instruction finds them, so that layouts and edges are checked
// everywhere. Addresses are counted from the beginning of an operand's local memory.
//
// macros  those of contract/gpu_wgmma_ptx.cl
// source  NVIDIA, PTX ISA: matrix descriptors and swizzling modes of wgmma

#define ADDRESS(share, p) ((uint)((__local const char *)(p) - (__local const char *)(share)))
#if BF16
#define SHARED_VALUE(share, at) as_float((uint)*(__local const ushort *)((__local const char *)(share) + (at)) << 16)
#else
#define SHARED_VALUE(share, at) vload_half(0, (__local const half *)((__local const char *)(share) + (at)))
#endif

// The byte of element (own, k), own counting rows of A or columns of B.
uint described(ulong d, int by_k, uint own, uint k)
{
    const uint swizzle = d >> 62, leading = (uint)(d >> 16 & 0x3fff) << 4, stride = (uint)(d >> 32 & 0x3fff) << 4;
    const uint row = 256 >> swizzle;
    uint at = (uint)(d & 0x3fff) << 4;
    at += by_k ? own / 8 * stride + own % 8 * row + 2 * k : own / 64 * leading + k / 8 * stride + k % 8 * 128 + own % 64 * 2;
    return at ^ (at >> 7 & ((8 >> (swizzle - 1)) - 1)) << 4;
}

#define WGMMA_STEP(c, a, b) { \
    for (int i_ = 0; i_ < TK / 16; i_++) \
        for (int j_ = 0; j_ < TN / 8; j_++) \
            for (int v_ = 0; v_ < 4; v_++) \
                for (int k_ = 0; k_ < 16; k_++) \
                    (c)[j_][v_] += \
                        SHARED_VALUE(shareA, described((a) + i_ * NEXT_A, A_BY_K, id % 128 / 32 * 16 + id % 32 / 4 + v_ / 2 * 8, k_)) \
                        * SHARED_VALUE(shareB, described((b) + i_ * NEXT_B, B_BY_K, j_ * 8 + id % 4 * 2 + v_ % 2, k_)); \
}
