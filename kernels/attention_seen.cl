// attention_seen.cl: which keys the attention kernels for GPUs let a row see
//
// hooks   MASK(b, r, n)  with HAS_MASK: what is added to a score, times log2(e)
// macros  BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH

#define ROOM_E (E > 0 ? E : 1)

// Row r of a group of WG rows from first on sees keys from low to high; from and to bound what
// all of them see, where they are of one group of queries.
#if BANDED
#define SEEN(first, r) \
    const IDX last_ = min((first) + WG, (IDX)ROWS) - 1, near_ = (first) - (first) / M * M; \
    const int one_ = (first) / M == last_ / M; \
    const IDX low = (r) - (r) / M * M + LOW, high = low - LOW + HIGH; \
    const IDX from = one_ ? max(near_ + LOW, (IDX)0) : (IDX)0; \
    const IDX to = one_ ? min(near_ + (last_ - (first)) + HIGH + 1, (IDX)N) : (IDX)N;
#define BAND(s, n) if ((n) < low || (n) > high) (s) = -INFINITY;
#else
#define SEEN(first, r) const IDX from = 0, to = N;
#define BAND(s, n)
#endif
#if HAS_MASK
#define HIDE(s, b, r, n) (s) += MASK(b, r, n); BAND(s, n)
#else
#define HIDE(s, b, r, n) BAND(s, n)
#endif
