// lib/block_sums.cl: sums of very many terms, block by block
//
// Added one after the other, K terms err by up to K·u of the sum of their magnitudes, u = 2^-24 for
// float: that is all of the sum where K is some millions. Where K is large, kernels add TERMS
// terms in registers, then BLOCKS such sums, and these to a total whose rounding errors are
// carried along (Kahan), so that the whole errs by up to (TERMS + BLOCKS + 2)·u at any length.
//
//     BLOCK_SUMS(T, n)        declares n sums of type T, which may be a vector
//     ADD_BLOCK(T, n, acc)    adds acc[0..n) to them, and makes acc 0
//     END_BLOCKS(T, n, acc)   adds acc too, and makes acc the n sums
//     KAHAN(T, total, rest, v)  adds v to total, whose rounding error is in rest; the sum is total + rest
//
// macros  LEVELS 0: acc is the whole sum, and the first three are nothing; 1: sums of blocks;
//         2: also totals    TERMS  of a block, for the kernel    BLOCKS  that are added to a total at once
//         SUMS_FROM  on GPUs: an expression that is 0, which no compiler can tell
// note    what is not finite passes through: its rounding error counts as 0, where Inf - Inf would be NaN.
//         The sums lie in memory, because in registers they would push out those of the inner loop, which touches
//         them once in TERMS steps: on CPU drivers as volatile; on GPUs, where such accesses go past the
//         caches, one after the other, at places in private memory that the compiler does not know
// source  Kahan, Further remarks on reducing truncation errors (1965); Higham, The Accuracy of
//         Floating Point Summation (1993)

#define KAHAN(T, total, rest, v) do { \
    const T before_ = (total), more_ = (v) + (rest), after_ = before_ + more_; \
    const T lost_ = more_ - (after_ - before_), zero_ = lost_ - lost_; \
    (total) = after_; \
    (rest) = zero_ == (T)(0) ? lost_ : (T)(0); \
} while (0)

#ifdef SUMS_FROM
#define IN_MEMORY
#define SUM_AT(i) ((i) + sums_from_)
#define SUMS_PLACE const int sums_from_ = (SUMS_FROM);
#else
#define IN_MEMORY volatile
#define SUM_AT(i) (i)
#define SUMS_PLACE
#endif
#define ALL_SUMS _Pragma("unroll")
#if LEVELS == 0
#define BLOCK_SUMS(T, n)
#define ADD_BLOCK(T, n, acc) {}
#define END_BLOCKS(T, n, acc)
#else
// The first block is the sum itself: zeros would have to be stored and read again.
#define ADD_BLOCK(T, n, acc) { \
    if (full_ == 0) { \
        ALL_SUMS \
        for (int i_ = 0; i_ < (n); i_++) \
            blocks_[SUM_AT(i_)] = ((T *)(acc))[i_]; \
    } else { \
        ALL_SUMS \
        for (int i_ = 0; i_ < (n); i_++) \
            blocks_[SUM_AT(i_)] = blocks_[SUM_AT(i_)] + ((T *)(acc))[i_]; \
    } \
    ALL_SUMS \
    for (int i_ = 0; i_ < (n); i_++) \
        ((T *)(acc))[i_] = (T)(0); \
    full_++; \
    TO_TOTALS_(T, n) \
}
#if LEVELS == 1
#define BLOCK_SUMS(T, n) \
    SUMS_PLACE \
    IN_MEMORY T blocks_[n]; \
    int full_ = 0;
#define TO_TOTALS_(T, n)
#define END_BLOCKS(T, n, acc) { \
    if (full_ > 0) { \
        ALL_SUMS \
        for (int i_ = 0; i_ < (n); i_++) \
            ((T *)(acc))[i_] = blocks_[SUM_AT(i_)] + ((T *)(acc))[i_]; \
    } \
}
#else
#define BLOCK_SUMS(T, n) \
    SUMS_PLACE \
    IN_MEMORY T blocks_[n], totals_[n], rests_[n]; \
    int full_ = 0; \
    for (int i_ = 0; i_ < (n); i_++) \
        totals_[SUM_AT(i_)] = rests_[SUM_AT(i_)] = (T)(0);
#define TO_TOTALS_(T, n) \
    if (full_ == BLOCKS) { \
        full_ = 0; \
        for (int i_ = 0; i_ < (n); i_++) \
            KAHAN(T, totals_[SUM_AT(i_)], rests_[SUM_AT(i_)], blocks_[SUM_AT(i_)]); \
    }
#define END_BLOCKS(T, n, acc) { \
    ALL_SUMS \
    for (int i_ = 0; i_ < (n); i_++) { \
        KAHAN(T, totals_[SUM_AT(i_)], rests_[SUM_AT(i_)], full_ > 0 ? blocks_[SUM_AT(i_)] + ((T *)(acc))[i_] : ((T *)(acc))[i_]); \
        ((T *)(acc))[i_] = totals_[SUM_AT(i_)] + rests_[SUM_AT(i_)]; \
    } \
}
#endif
#endif
