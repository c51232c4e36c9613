// contract_pack_b.cl: lay columns of B out as contract_panel.cl reads them
//
//     B_PACK[lot][panel][k][j] = B(b, k, N_FROM + panel·NR + j), 0 past the last column
//
// hooks   LOAD_B(b, k, n)  the value in its register type: a producer fuses in here
// macros  ACC  type of the pack    NR  columns of a panel    PACK_K  values of k a work-item
// sizes   N    K_FROM K_TO    N_FROM    B_FROM    B_PLANE  elements of a batch of the pack
// launch  global {ceil((K_TO - K_FROM) / PACK_K), panels, batches}  local {1, 1, 1}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_pack_b(PARAMS) {
    const IDX k0 = K_FROM + (IDX)get_global_id(0) * PACK_K, k1 = min(k0 + PACK_K, (IDX)K_TO);
    const IDX panel = get_global_id(1), lot = get_global_id(2);
    const IDX firstN = N_FROM + panel * NR, b = B_FROM + lot;
    __global ACC *out = B_PACK + (size_t)lot * B_PLANE + ((size_t)panel * (K_TO - K_FROM) + (k0 - K_FROM)) * NR;
    if (firstN + NR <= N) {
        for (IDX k = k0; k < k1; k++, out += NR)
            for (int j = 0; j < NR; j++)
                out[j] = (ACC)LOAD_B(b, k, firstN + j);
    } else {
        const int have = N - firstN;
        for (IDX k = k0; k < k1; k++, out += NR) {
            for (int j = 0; j < have; j++)
                out[j] = (ACC)LOAD_B(b, k, firstN + j);
            for (int j = have; j < NR; j++)
                out[j] = 0;
        }
    }
}
