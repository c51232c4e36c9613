// attention/any_sums.cl: compensated sums over very many positions, for the attention kernels
//
// Where the other side is LONG, sums of STEPS blocks of positions are added to totals whose rounding
// errors are carried along, as lib/block_sums.cl does: added one after the other, those of some millions
// would lose most digits.
//
//     TOTALS(T, name, n)          declares n totals, all 0
//     TO_TOTALS(T, name, n, of, factor)  multiplies them by factor (i_), adds of[i_] and makes that 0
//     FROM_TOTALS(T, name, n, of, factor)  makes of[i_] the whole sums
//     STEPPED                     whether STEPS blocks are full, which starts over
//
// macros  LONG 0 or 1    STEPS    SUMS_FROM  where totals lie in memory: see lib/block_sums.cl, which stands before
// source  Kahan, Further remarks on reducing truncation errors (1965)

#ifdef SUMS_FROM
#define TOTAL_AT(name, i) ((i) + name##_from)
#define TOTALS_FROM(name) const int name##_from = (SUMS_FROM);
#else
#define TOTAL_AT(name, i) (i)
#define TOTALS_FROM(name)
#endif
#if LONG
#define TOTALS(T, name, n) \
    TOTALS_FROM(name) \
    IN_MEMORY T name##_total[n], name##_lost[n]; \
    for (int i_ = 0; i_ < (n); i_++) \
        name##_total[TOTAL_AT(name, i_)] = name##_lost[TOTAL_AT(name, i_)] = (T)(0);
#define TO_TOTALS(T, name, n, of, factor) \
    _Pragma("unroll") \
    for (int i_ = 0; i_ < (n); i_++) { \
        const T fade_ = (factor); \
        T sum_ = name##_total[TOTAL_AT(name, i_)] * fade_, lost_of_ = name##_lost[TOTAL_AT(name, i_)] * fade_; \
        KAHAN(T, sum_, lost_of_, (of)[i_]); \
        name##_total[TOTAL_AT(name, i_)] = sum_; \
        name##_lost[TOTAL_AT(name, i_)] = lost_of_; \
        (of)[i_] = (T)(0); \
    }
#define FROM_TOTALS(T, name, n, of, factor) \
    TO_TOTALS(T, name, n, of, factor) \
    _Pragma("unroll") \
    for (int i_ = 0; i_ < (n); i_++) \
        (of)[i_] = name##_total[TOTAL_AT(name, i_)] + name##_lost[TOTAL_AT(name, i_)];
#define STEPPED (++steps == STEPS ? (steps = 0, 1) : 0)
#else
#define TOTALS(T, name, n)
#define TO_TOTALS(T, name, n, of, factor)
#define FROM_TOTALS(T, name, n, of, factor)
#endif
