// pairs.cl: sums over all pairs of a target and a source, in d dimensions
//
//     y[i]    = sum over j of w[j] / r^POWER                   r^2 = |s[., j] - x[i]|^2 + eps2
//     y[i, c] = sum over j of w[j] (s[c, j] - x[i, c]) / r^POWER   with VECTORS
//
// Pairs with r^2 below LEAST, the smallest normal number, or above MOST, the largest, count nothing. Sources are added up in blocks, and the sums
// of blocks with compensation (Kahan), so that errors do not grow with their number.
//
// operands  x  [n, D]    s  [D, m]    w  [m]    y  [parts, n] or [parts, n, D], of which part p has the sources from p * each on
// macros  T  float or double, with DOUBLE, of which LEAST and MOST are some    D  1, 2 or 3    POWER  at least 1    VECTORS  1: the second form
//         FAR  1: no r^2 is below LEAST
//         CPUs: LANES  targets of an item    GPUs: GROUP  items of a group, each with a target
// launch  CPUs: global {n / LANES, parts}    GPUs: global {n, parts}  local {GROUP, 1}
// source  Nyland, Harris and Prins, Fast N-Body Simulation with CUDA, GPU Gems 3 (2007), chapter 31
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifdef LANES
typedef T F __attribute__((ext_vector_type(LANES)));
#else
typedef T F;
#endif
#define SUMS (VECTORS ? D : 1)
#define BLOCK 256

// inverse_root is 1 / sqrt(x). Where ROUGH, it has 12 bits. With t = x y^2, which is nearly 1, x^(-POWER / 2) is y^POWER (1 + POWER / 2 (1 - t))
// but for terms of (1 - t)^2, one Newton step for all of the power. Of its factors POWER / 2 is SCALE, which sums of blocks are multiplied by.
#if defined(LANES) && LANES == 8 && !defined(DOUBLE) && defined(__AVX__) && POWER <= 3
#define ROUGH 1
#define SCALE (POWER / 2.0f)
static inline F inverse_root(const F x) { return __builtin_ia32_rsqrtps256(x); }
#elif defined(LANES) && LANES == 8 && !defined(DOUBLE) && defined(__AVX__)
static inline F inverse_root(const F x) {
    const F y = __builtin_ia32_rsqrtps256(x);
    return y * fma(-0.5f * x * y, y, (F)1.5f);
}
#elif defined(DOUBLE)
static inline F inverse_root(const F x) { return 1 / sqrt(x); }
#else
static inline F inverse_root(const F x) { return rsqrt(x); }
#endif

#ifndef ROUGH
#define ROUGH 0
#define SCALE (T)1
#endif

// add_pair adds what the source at s of weight w does to targets at x.
static inline void add_pair(F sum[SUMS], const F x[D], const T *const s, const T w, const T eps2) {
    F d[D], r2 = (F)eps2;
#pragma unroll
    for (int c = 0; c < D; c++) {
        d[c] = s[c] - x[c];
        r2 = fma(d[c], d[c], r2);
    }
#if ROUGH && POWER == 3 && FAR // what lies too far away is next to nothing at the largest distance
    r2 = (F)MOST < r2 ? (F)MOST : r2;
#endif
    const F root = inverse_root(r2);
    F p = w * root;
#if ROUGH && POWER == 3 // what is lost of the square is nothing beside such a power
    const F square = root * root;
    p *= square * fma(-r2, square, (F)(1 + 2.0f / POWER));
#else
#pragma unroll
    for (int k = 1; k < POWER; k++)
        p *= root;
#if ROUGH
    p *= fma(-r2 * root, root, (F)(1 + 2.0f / POWER));
#endif
#endif
#if !(ROUGH && POWER == 3 && FAR)
    p = r2 < (F)LEAST || r2 > (F)MOST ? (F)0 : p;
#endif
#pragma unroll
    for (int c = 0; c < SUMS; c++)
        sum[c] = VECTORS ? fma(p, d[c], sum[c]) : sum[c] + p;
}

// add_block adds the sum of a block to the sums of all, with what has been lost of these.
static inline void add_block(F sum[SUMS], F lost[SUMS], F block[SUMS]) {
#pragma unroll
    for (int c = 0; c < SUMS; c++) {
        const F more = block[c] * SCALE - lost[c], all = sum[c] + more;
        lost[c] = (all - sum[c]) - more;
        sum[c] = all;
        block[c] = 0;
    }
}

kernel void pairs(global const T *restrict x, global const T *restrict s, global const T *restrict w, global T *restrict y,
                  const int n, const int m, const int each, const T eps2) {
    const int part = get_global_id(1), begin = part * each, end = min(begin + each, m);
    F at[D], sum[SUMS], lost[SUMS], block[SUMS];
#pragma unroll
    for (int c = 0; c < SUMS; c++)
        sum[c] = lost[c] = block[c] = 0;
    y += (size_t)part * n * SUMS;
#ifdef LANES
    const int first = get_global_id(0) * LANES;
    for (int l = 0; l < LANES; l++) // those after the last are the last again
        for (int c = 0; c < D; c++)
            ((T *)(at + c))[l] = x[(size_t)min(first + l, n - 1) * D + c];
    for (int j = begin; j < end;) {
        for (const int last = min(j + BLOCK, end); j < last; j++) {
            T source[D];
#pragma unroll
            for (int c = 0; c < D; c++)
                source[c] = s[(size_t)c * m + j];
            add_pair(block, at, source, w[j], eps2);
        }
        add_block(sum, lost, block);
    }
    for (int l = 0; l < min(LANES, n - first); l++)
        for (int c = 0; c < SUMS; c++)
            y[(size_t)(first + l) * SUMS + c] = ((const T *)(sum + c))[l];
#else
    // A group reads sources together, and each of its items all of them from local memory.
    local T near[GROUP][D + 1];
    const int i = get_global_id(0), me = get_local_id(0);
    for (int c = 0; c < D; c++)
        at[c] = x[(size_t)min(i, n - 1) * D + c];
    for (int j = begin; j < end; j += GROUP) {
        if (j + me < end) {
            for (int c = 0; c < D; c++)
                near[me][c] = s[(size_t)c * m + j + me];
            near[me][D] = w[j + me];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < min(GROUP, end - j); k++) {
            T source[D];
#pragma unroll
            for (int c = 0; c < D; c++)
                source[c] = near[k][c];
            add_pair(block, at, source, near[k][D], eps2);
        }
        add_block(sum, lost, block);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        for (int c = 0; c < SUMS; c++)
            y[(size_t)i * SUMS + c] = sum[c];
#endif
}
