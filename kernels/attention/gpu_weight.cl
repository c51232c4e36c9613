// attention/gpu_weight.cl: the weight of a key where the largest score of its row is known, of the backward attention kernels for GPUs
//
// macros  ACC  float or double

// weight is 2^(score - top), at most 1: where scores are large, top is less than the largest of a row.
static inline ACC weight(const ACC score, const ACC top) {
    const ACC d = score - top;
    return exp2(d > 0 ? (ACC)0 : d);
}
