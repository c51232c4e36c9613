// contract/gpu_wgmma.cl: where the matrices of a step lie, for instructions that read them from local memory
//
// Four warps, a warpgroup, multiply 64 rows of A by all columns of a tile of B. The tiles of
// contract/gpu_mma.cl are in the order that the instruction calls a swizzle of 128, 64 or 32 bytes:
// along k rows of TK values, else panels of 64 rows or columns, each with TK rows of 128 bytes.
//
//     STEP_A, STEP_B       descriptors of this warpgroup's rows, and of the columns, for the first 16 values of k
//     NEXT_A, NEXT_B       what a descriptor grows by for the next 16
//
// macros  those of contract/gpu_wgmma_ptx.cl, or what stands in for it, which comes first
// source  NVIDIA, PTX ISA: matrix descriptors of wgmma

#define SWIZZLE(BY_K) ((ulong)((BY_K) && TK == 32 ? 2 : (BY_K) && TK == 16 ? 3 : 1) << 62)
// Of the fields, in units of 16 bytes, the leading offset goes from panel to panel, and the stride
// from eight rows to the next eight.
#define DESCRIPTOR(at, BY_K) \
    (SWIZZLE(BY_K) | (ulong)((BY_K) ? TK : 64) << 32 | (ulong)((BY_K) ? 1 : 8 * TK) << 16 | (ulong)(((at) & 0x3ffff) >> 4))
#define NEXT_A (A_BY_K ? 2 : 128)
#define NEXT_B (B_BY_K ? 2 : 128)
#define STEP_A DESCRIPTOR(ADDRESS(shareA, &shareA[stage][warp / 4 * (64 * TK / 8)]), A_BY_K)
#define STEP_B DESCRIPTOR(ADDRESS(shareB, &shareB[stage][0]), B_BY_K)
#define SHARED_ALIGN 1024
