// attention/any_top.cl: the largest score of a row, as the forward attention kernels leave it for the gradients
//
// macros  ACC  float or double

// rounded_down is top, or where rounding is some powers of two so much less that the same score, summed in another order by
// another kernel or device, is no less: its weight would be lost. Weights are cut at 1.
static inline ACC rounded_down(const ACC top) {
    const ACC rough = fabs(top) * (ACC)(sizeof(ACC) == 4 ? 0x1p-20f : 0x1p-49f) - 32;
    return rough > 0 && rough < (ACC)INFINITY ? top - rough : top;
}
