// trees/any_walk.cl: walk samples down an ensemble of decision trees and sum up the weights of the leaves they reach
//
//     node i goes on at LEFT(i) where key(x[feature]) <= NODE_KEY(i), else at LEFT(i) + 1; a leaf at itself
//
// hooks   X_BITS(i)  element i of x, as SBITS   PUT(i, v)  a result     WEIGHT(i)
//         NODES, ROOTS, STARTS, TARGET_OF  where these begin, as engine.Trees has them: int
// macros  SBITS     int or long: of an element, and of a key      INF  the bits of infinity     LARGEST  of a key
//         WIDE_KEY  1: a key has two words, and a node six
//         LANES     samples that walk side by side     BLOCK  samples of an item, a multiple of LANES
//         STAGED    1: keys of an item's samples lie in KEYS, feature by feature, for LANES samples each
//         SINGLE    1: sums, a leaf has one weight and a sample one number, and the sums of an item are in SUMS
//         FOLD      0: sum, 1: mean, 2: least, 3: largest
// sizes   SAMPLES, FEATURES, TARGETS, COUNT  trees
// launch  trees_walk  global {SAMPLES / BLOCK padded}  local {WG}
// scratch KEYS  2 * FEATURES for every sample, padded    SUMS  [SAMPLES padded, 2, TARGETS]  double: a number, and whether there is one
// note    sums are taken in the order of the trees, in double, by one item: results repeat and are those of the CPU path.
//         Ways side by side fill the wait for the next node, and no step is a jump that could be foretold wrongly
// source  Asadi, Lin and de Vries, Runtime Optimizations for Tree-Based Machine Learning Models (2014): predication

INLINE SBITS tree_key(const SBITS b) {
    const SBITS m = b & LARGEST, k = b ^ ((b >> (int)(8 * sizeof(SBITS) - 1)) & LARGEST);
    return m == 0 ? 0 : m > INF ? LARGEST : k;
}

// A node asks for a feature of the second half where it sends NaN left.
#define KEY_NAN_LEFT(k) ((k) == LARGEST ? -LARGEST - 1 : (k))
#if STAGED
#define KEY_OF(l, f) keys[(f) * LANES + (l)]
#else
#define KEY_OF(l, f) \
    ((f) < (int)FEATURES ? tree_key(X_BITS((s + (l)) * FEATURES + (f))) \
                         : KEY_NAN_LEFT(tree_key(X_BITS((s + (l)) * FEATURES + (f) - FEATURES))))
#endif

#if WIDE_KEY
#define WORDS 6
#define NODE(i) \
    __global const int *const at_ = NODES + (size_t)(i) * WORDS; \
    const SBITS key = (SBITS)((ulong)(uint)at_[1] << 32 | (uint)at_[0]); \
    const int feature = at_[2], left = at_[3];
#define LEAF(i) NODES[(size_t)(i) * WORDS + 4]
#else
#define NODE(i) \
    const int4 at_ = vload4(i, NODES); \
    const SBITS key = at_.x; \
    const int feature = at_.y, left = at_.z;
#define LEAF(i) NODES[(size_t)(i) * 4 + 3]
#endif

#if FOLD == 2
#define BETTER(a, b) ((a) < (b))
#else
#define BETTER(a, b) ((a) > (b))
#endif

INLINE void tree_enter(__global double *sum, const IDX target, const IDX targets, const double v) {
    __global double *const to = sum + target;
    if (FOLD <= 1)
        *to += v;
    else if (to[targets] == 0 || BETTER(v, *to))
        *to = v;
    to[targets] = 1;
}

kernel void trees_walk(PARAMS) {
    const IDX first = (IDX)get_global_id(0) * BLOCK, end = min(first + BLOCK, SAMPLES);
    if (first >= SAMPLES) return;
    __global double *const sums = SUMS + first * 2 * TARGETS;
    for (IDX i = 0; i < BLOCK * 2 * TARGETS; i++) sums[i] = 0;
#if STAGED
    for (IDX s = first; s < end; s += LANES) {
        __global SBITS *const keys = KEYS + s * 2 * FEATURES;
        for (int l = 0; l < LANES; l++) {
            const IDX row = min(s + l, end - 1) * FEATURES;
            for (int f = 0; f < (int)FEATURES; f++) {
                const SBITS k = tree_key(X_BITS(row + f));
                keys[f * LANES + l] = k;
                keys[(f + (int)FEATURES) * LANES + l] = KEY_NAN_LEFT(k);
            }
        }
    }
#endif
    for (IDX t = 0; t < COUNT; t++) {
        const int root = ROOTS[2 * t], depth = ROOTS[2 * t + 1];
        for (IDX s = first; s < end; s += LANES) {
#if STAGED
            __global const SBITS *const keys = KEYS + s * 2 * FEATURES;
#endif
            int at[LANES];
            #pragma unroll
            for (int l = 0; l < LANES; l++) at[l] = root;
            for (int d = 0; d < depth; d++) {
                #pragma unroll
                for (int l = 0; l < LANES; l++) {
                    NODE(at[l])
                    at[l] = left + (KEY_OF(l, feature) > key);
                }
            }
#if SINGLE
            #pragma unroll
            for (int l = 0; l < LANES; l++) sums[2 * (s - first + l)] += (double)WEIGHT(LEAF(at[l]));
#else
            for (int l = 0; l < LANES && s + l < end; l++) {
                const int leaf = LEAF(at[l]);
                for (int w = STARTS[leaf]; w < STARTS[leaf + 1]; w++)
                    tree_enter(sums + (s - first + l) * 2 * TARGETS, TARGET_OF[w], TARGETS, (double)WEIGHT(w));
            }
#endif
        }
    }
    for (IDX s = first; s < end; s++)
        for (IDX k = 0; k < TARGETS; k++) {
            double v = sums[(s - first) * 2 * TARGETS + k];
            if (FOLD == 1 && COUNT > 0) v /= (double)COUNT;
            PUT(s * TARGETS + k, v);
        }
}
