// contract/cpu_pack_b.cl: pack columns of B for contract/cpu_panel.cl
//
//     B_PACK[lot][panel][k][j] = B(b, k, N_FROM + panel·NR + j), 0 past the last column
//
// hooks   LOAD_B(b, k, n)  the value in its register type: a producer fuses in here
//         ALONG_K 1: B_PTR + B_COLUMN(b, n) + k is element (b, k, n), and B_LOAD(p) widens VL
//                    of them: squares of VL x VL are then read along k and transposed in
//                    registers, by lib/cpu_transpose.cl
//         WORDS 4: words of four bytes, see contract/cpu_block.cl; B_WHOLE of them can be read in place
// macros  ACC  type of the pack    NR  columns of a panel, a multiple of VL
//         PACK_K  values of k a work-item    VL VT VSTORE  where ALONG_K: lanes, the vector of
//         them, its vstore
// sizes   N    K_FROM K_TO    N_FROM    B_FROM    B_PLANE  elements of a batch of the pack
// launch  contract_pack_b  global {ceil((K_TO - K_FROM) / PACK_K), panels, batches}  local {1, 1, 1}

// The last panel is a small part of the work: its loops written out would be most of what is compiled.
#if WIDE_LOOPS
#define ROLLED PRAGMA(clang loop unroll(disable) interleave(disable))
#else
#define ROLLED
#endif

#ifndef WORDS
#define WORDS 1
#define B_WHOLE K_TO
#endif

BODY void pack_b(const IDX span, const IDX panel, const IDX lot, PARAMS) {
    const IDX k0 = K_FROM + span * PACK_K, k1 = min(k0 + PACK_K, (IDX)K_TO);
    const IDX firstN = N_FROM + panel * NR, b = B_FROM + lot;
    __global ACC *out = B_PACK + (size_t)lot * B_PLANE + ((size_t)panel * (K_TO - K_FROM) + (k0 - K_FROM)) * NR;
    IDX k = k0;
    if (firstN + NR <= N) {
#if ALONG_K
        for (; k + VL <= min(k1, (IDX)B_WHOLE); k += VL, out += VL * NR)
            for (int v = 0; v < NR; v += VL) {
                VT r[VL];
                #pragma unroll
                for (int j = 0; j < VL; j++)
                    r[j] = B_LOAD(B_PTR + B_COLUMN(b, firstN + v + j) + k * WORDS);
                transpose(r);
                #pragma unroll
                for (int i = 0; i < VL; i++)
                    VSTORE(r[i], 0, out + i * NR + v);
            }
#endif
        for (; k < k1; k++, out += NR)
            for (int j = 0; j < NR; j++)
                out[j] = (ACC)LOAD_B(b, k, firstN + j);
    } else {
        const int have = N - firstN;
        for (; k < k1; k++, out += NR) {
            ROLLED
            for (int j = 0; j < have; j++)
                out[j] = (ACC)LOAD_B(b, k, firstN + j);
            ROLLED
            for (int j = have; j < NR; j++)
                out[j] = 0;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void contract_pack_b(PARAMS) {
    pack_b(get_global_id(0), get_global_id(1), get_global_id(2), ARGS);
}
