// contract/gpu_mma_tile.cl: the order of elements in the tiles of contract/gpu_mma.cl
//
// macros  TM TN TK A_BY_K B_BY_K  see there
// source  NVIDIA, PTX ISA: swizzling modes of wgmma, whose order this is

// Chunk c of row r of a tile whose rows have CHUNKS of them; the rows of a panel are TK.
#define PLACE(r, c, CHUNKS) \
    ((CHUNKS) < 8 ? (r) * (CHUNKS) + ((c) ^ (r) / (8 / min(CHUNKS, 8)) % (CHUNKS)) : ((c) / 8 * TK + (r)) * 8 + ((c) ^ (r)) % 8)
#define CHUNKS_A ((A_BY_K ? TK : TM) / 8)
#define CHUNKS_B ((B_BY_K ? TK : TN) / 8)
