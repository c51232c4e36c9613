// contract/any_item.cl: the contraction of anything, one work-item an output
//
//     out[b,m,n] = EPILOGUE(b, m, n, sum over k of A(b,m,k)·B(b,n,k))
//
// hooks   LOAD_A(b, m, k)  LOAD_B(b, k, n)  values in their register types
//         OUT(b, m, n, v)  the epilogue and the store
// macros  ACC  accumulator type    MAC(a, b, c)  a·b + c in it
//         LEVELS TERMS BLOCKS  how sums of many terms are taken: see lib/block_sums.cl
// sizes   M N K    COUNT  outputs
// launch  contract_item  global {outputs, padded}  local {any}

__kernel void contract_item(PARAMS) {
    const IDX o = get_global_id(0);
    if (o < COUNT) {
        const IDX row = o / N, n = o - row * N, b = row / M, m = row - b * M;
        ACC acc = 0;
#if LEVELS
        BLOCK_SUMS(ACC, 1)
        for (IDX first = 0; first < K; first += TERMS) {
            const IDX end = min(first + TERMS, (IDX)K);
            for (IDX k = first; k < end; k++)
                acc = MAC((ACC)LOAD_A(b, m, k), (ACC)LOAD_B(b, k, n), acc);
            ADD_BLOCK(ACC, 1, &acc)
        }
        END_BLOCKS(ACC, 1, &acc)
#else
        for (IDX k = 0; k < K; k++)
            acc = MAC((ACC)LOAD_A(b, m, k), (ACC)LOAD_B(b, k, n), acc);
#endif
        OUT(b, m, n, acc);
    }
}
