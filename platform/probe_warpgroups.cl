// probe_warpgroups.cl: does one step of contract/gpu_mma.cl by warpgroups multiply as it should?
//
// A, 64 x TK, and Bt, TN x TK, lie in in, half types; out becomes A·B, 64 x TN.
//
// macros  TN TK A_BY_K B_BY_K BF16  see contract/gpu_mma.cl
// launch  one group of 128 items

#define MMA_SM 90
#define TM 64
#include "contract/gpu_mma_ptx.cl"
#include "contract/gpu_wgmma_ptx.cl"
#include "contract/gpu_mma_tile.cl"
#include "contract/gpu_wgmma.cl"

kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void warpgroups(global const ushort *in, global float *out)
{
    __local uint4 shareA[1][TM * TK / 8] __attribute__((aligned(SHARED_ALIGN)));
    __local uint4 shareB[1][TN * TK / 8] __attribute__((aligned(SHARED_ALIGN)));
    const int id = get_local_id(0), lane = id % 32, warp = id / 32, stage = 0;
    for (int e = id; e < (TM + TN) * TK; e += 128) {
        const int own = e / TK, k = e % TK, n = own - TM;
        const int at = own < TM ? A_BY_K ? PLACE(own, k / 8, CHUNKS_A) * 8 + k % 8 : PLACE(k, own / 8, CHUNKS_A) * 8 + own % 8
                                : B_BY_K ? PLACE(n, k / 8, CHUNKS_B) * 8 + k % 8 : PLACE(k, n / 8, CHUNKS_B) * 8 + n % 8;
        (own < TM ? (__local ushort *)shareA : (__local ushort *)shareB)[at] = in[e];
    }
    float acc[TN / 8][4];
    for (int j = 0; j < TN / 8; j++)
        for (int v = 0; v < 4; v++)
            acc[j][v] = 0;
    COPIES_WAIT(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    WGMMA_STEP(acc, STEP_A, STEP_B)
    for (int j = 0; j < TN / 8; j++)
        for (int v = 0; v < 4; v++)
            out[(warp * 16 + v / 2 * 8 + lane / 4) * TN + j * 8 + lane % 4 * 2 + v % 2] = acc[j][v];
}
