// attention/gpu_shared.cl: masks, and the features that each work-item keeps, of the attention kernels for GPUs
//
// hooks   MASK(b, r, n)  with HAS_MASK: what is added to a score, times log2(e)
// macros  BANDED 1: row r sees only keys from r % M + LOW to r % M + HIGH
//         PARTS  items of a position: each keeps a part of its features in registers
//         LANES  positions of a group    BN  positions of the other side at once
//         LEAVES  sums of features that a score is added up of, pairs first: PARTS or a power of two times it
// note    what a position needs of all features is added up in local memory, in one order; where all passes have the same LEAVES,
//         scores are the same to the last bit in each, whatever their PARTS

#define WG (LANES * PARTS)
#define LEAF ((D + LEAVES - 1) / LEAVES)
#define OWN_LEAVES (LEAVES / PARTS)
#define D_PART (LEAF * OWN_LEAVES)
#define E_PART (E > 0 ? (E + PARTS - 1) / PARTS : 1)
#define D_ROW (D_PART * PARTS)
#define E_ROW (E_PART * PARTS)

// Before loops over features, whose values stay in registers only where the loops are written out.
#if (D + E) / PARTS <= 256
#define FEATURES _Pragma("unroll")
#else
#define FEATURES
#endif
// What item (part, lane) keeps of a position, LOAD(x) being feature x, and where it stores it.
#define KEEP(to, LOAD, COUNT, ITS) \
    FEATURES \
    for (int i = 0; i < ITS; i++) \
        (to)[i] = part * ITS + i < COUNT ? (ACC)LOAD(part * ITS + i) : (ACC)0;
#define GIVE(STORE, at, from, factor, COUNT, ITS) \
    FEATURES \
    for (int i = 0; i < ITS; i++) \
        if (part * ITS + i < COUNT) \
            STORE((at) * COUNT + part * ITS + i, (from)[i] * (factor));
// count positions of the other side to local memory; LOAD(p, x) is feature x of the p-th.
#define BRING(to, LOAD, COUNT, ROW) \
    for (int x = id; x < (COUNT > 0 ? count * ROW : 0); x += WG) \
        (to)[x] = x % ROW < COUNT ? (ACC)LOAD(x / ROW, x % ROW) : (ACC)0;
#define DOT(sum, own, other, j, ITS, ROW) \
    FEATURES \
    for (int i = 0; i < ITS; i++) \
        (sum) = FMA((own)[i], (other)[(j) * ROW + part * ITS + i], sum);
// sums[0] becomes the sum of n, a power of two: pairs are added, and then pairs of these.
#define PAIRWISE(sums, n) \
    _Pragma("unroll") \
    for (int step_ = 1; step_ < (n); step_ *= 2) \
        _Pragma("unroll") \
        for (int i_ = 0; i_ < (n); i_ += 2 * step_) \
            (sums)[i_] += (sums)[i_ + step_];
// The part of a score that an item has, of positions own and number j of the other side.
#define SCORE(sum, own, other, j) { \
        ACC leaves_[OWN_LEAVES]; \
        _Pragma("unroll") \
        for (int l_ = 0; l_ < OWN_LEAVES; l_++) { \
            ACC leaf_ = 0; \
            FEATURES \
            for (int i = 0; i < LEAF; i++) \
                leaf_ = FMA((own)[l_ * LEAF + i], (other)[(j) * D_ROW + part * D_PART + l_ * LEAF + i], leaf_); \
            leaves_[l_] = leaf_; \
        } \
        PAIRWISE(leaves_, OWN_LEAVES) \
        (sum) = leaves_[0]; \
    }
#define ADD(own, factor, other, j, ITS, ROW) \
    FEATURES \
    for (int i = 0; i < ITS; i++) \
        (own)[i] = FMA(factor, (other)[(j) * ROW + part * ITS + i], (own)[i]);

// Sum number k of the kernel for position j: PREPARE it for all j, or number 0, a score, by PREPARE_SCORES, and after a barrier TAKE it.
#if PARTS > 1
#define SHARES(sums) __local ACC shares[(sums) * PARTS * BN * LANES];
#define SHARE(k, p, j) shares[(((k) * PARTS + (p)) * BN + (j)) * LANES + lane]
// Four positions at a time: one sum would wait for each of its multiply-adds.
#define PREPARE(k, own, other, ITS, ROW) \
    for (int j = 0; j < count; j += 4) { \
        const int j1_ = min(j + 1, count - 1), j2_ = min(j + 2, count - 1), j3_ = min(j + 3, count - 1); \
        ACC s0_ = 0, s1_ = 0, s2_ = 0, s3_ = 0; \
        FEATURES \
        for (int i = 0; i < ITS; i++) { \
            s0_ = FMA((own)[i], (other)[j * ROW + part * ITS + i], s0_); \
            s1_ = FMA((own)[i], (other)[j1_ * ROW + part * ITS + i], s1_); \
            s2_ = FMA((own)[i], (other)[j2_ * ROW + part * ITS + i], s2_); \
            s3_ = FMA((own)[i], (other)[j3_ * ROW + part * ITS + i], s3_); \
        } \
        SHARE(k, part, j) = s0_; \
        SHARE(k, part, j1_) = s1_; \
        SHARE(k, part, j2_) = s2_; \
        SHARE(k, part, j3_) = s3_; \
    }
#if LEAVES == PARTS
#define PREPARE_SCORES(own, other) PREPARE(0, own, other, D_PART, D_ROW)
#else
#define PREPARE_SCORES(own, other) \
    for (int j = 0; j < count; j += 4) { \
        const int j1_ = min(j + 1, count - 1), j2_ = min(j + 2, count - 1), j3_ = min(j + 3, count - 1); \
        SCORE(SHARE(0, part, j), own, other, j) \
        SCORE(SHARE(0, part, j1_), own, other, j1_) \
        SCORE(SHARE(0, part, j2_), own, other, j2_) \
        SCORE(SHARE(0, part, j3_), own, other, j3_) \
    }
#endif
#define PREPARED barrier(CLK_LOCAL_MEM_FENCE);
#define TAKE(sum, k, own, other, j, ITS, ROW) { \
        ACC parts_[PARTS]; \
        _Pragma("unroll") \
        for (int p_ = 0; p_ < PARTS; p_++) \
            parts_[p_] = SHARE(k, p_, j); \
        PAIRWISE(parts_, PARTS) \
        (sum) = parts_[0]; \
    }
#define TAKE_SCORE(sum, own, other, j) TAKE(sum, 0, own, other, j, D_PART, D_ROW)
#else
#define SHARES(sums)
#define PREPARE(k, own, other, ITS, ROW)
#define PREPARE_SCORES(own, other)
#define PREPARED
#define TAKE(sum, k, own, other, j, ITS, ROW) DOT(sum, own, other, j, ITS, ROW)
#define TAKE_SCORE(sum, own, other, j) SCORE(sum, own, other, j)
#endif

// Row r of a group of LANES rows from first on sees keys from low to high; from and to bound what
// all of them see, where they are of one group of queries.
#if BANDED
#define SEEN(first, r) \
    const IDX last_ = min((first) + LANES, (IDX)ROWS) - 1, near_ = (first) - (first) / M * M; \
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
