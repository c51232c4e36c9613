// attention/gpu_weight.cl: the weight of a key where the logarithm of its row is known, of the backward attention kernels for GPUs
//
// macros  ACC  float or double

// weight is 2^(score - whole), at most 1: large scores may round otherwise than they did for the logarithm whole.
static inline ACC weight(const ACC score, const ACC whole) {
    const ACC d = score - whole;
    return exp2(d > 0 ? (ACC)0 : d);
}
