// contract/cpu_pack_a.cl: pack rows of A for contract/cpu_panel.cl
//
//     A_PACK[lot][tile][k][i] = A(b, M_FROM + tile·MR + i, k); the last row again past the end
//
// hooks   LOAD_A(b, m, k)  the value in its register type: a producer fuses in here
// macros  ACC  type of the pack    MR  rows of a tile    PACK_K  values of k a work-item
// sizes   M    K_FROM K_TO    M_FROM    B_FROM    A_PLANE  elements of a batch of the pack
// launch  contract_pack_a  global {tiles, ceil((K_TO - K_FROM) / PACK_K), batches}  local {1, 1, 1}: neighbours
//         read neighbouring rows, which share cache lines where A is transposed

BODY void pack_a(const IDX tile, const IDX span, const IDX lot, PARAMS) {
    const IDX k0 = K_FROM + span * PACK_K, k1 = min(k0 + PACK_K, (IDX)K_TO);
    const IDX firstM = M_FROM + tile * MR, b = B_FROM + lot;
    __global ACC *out = A_PACK + (size_t)lot * A_PLANE + ((size_t)tile * (K_TO - K_FROM) + (k0 - K_FROM)) * MR;
    for (IDX k = k0; k < k1; k++, out += MR)
        #pragma unroll
        for (int i = 0; i < MR; i++)
            out[i] = (ACC)LOAD_A(b, min(firstM + i, (IDX)M - 1), k);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_pack_a(PARAMS) {
    pack_a(get_global_id(0), get_global_id(1), get_global_id(2), ARGS);
}
