// transpose.cl: squares of vectors turned in registers
//
// macros  VL  lanes, a power of two    VT  a vector of them

// Riffling the two halves of VL rows log2(VL) times exchanges rows and columns.
static inline void transpose(VT *r) {
    #pragma unroll
    for (int stage = 1; stage < VL; stage *= 2) {
        VT t[VL];
        #pragma unroll
        for (int i = 0; i < VL / 2; i++) {
            t[2 * i].even = r[i].lo;
            t[2 * i].odd = r[i + VL / 2].lo;
            t[2 * i + 1].even = r[i].hi;
            t[2 * i + 1].odd = r[i + VL / 2].hi;
        }
        #pragma unroll
        for (int i = 0; i < VL; i++)
            r[i] = t[i];
    }
}
