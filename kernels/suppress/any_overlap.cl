// suppress/any_overlap.cl: order of scores, corners and overlap of boxes, for non-maximum suppression
//
//     two boxes overlap where  intersection > limit * union
//
// note    every operation rounds by itself, as on the CPU path: where products were contracted with sums, another box
//         would be selected here and there. No division, which devices may round as they like. A comparison with NaN
//         is false: a box with one has no area, and overlaps nothing
// source  Felzenszwalb et al., Object Detection with Discriminatively Trained Part-Based Models (2010), section 6.2

// Ascends as the score of these bits falls. UINT_MAX: the score is NaN, or its key, as rank_key has it, is not above least.
INLINE uint suppress_key(const uint b, const uint least) {
    const uint m = b & 0x7fffffffu, k = m == 0 ? 0x80000000u : b ^ (b >> 31 ? 0xffffffffu : 0x80000000u);
    return m <= 0x7f800000u && k > least ? ~k : UINT_MAX;
}

// The corners of a box, the smaller coordinates first: y, x, y, x.
INLINE float4 suppress_corners(const float4 b, const int centre) {
#pragma OPENCL FP_CONTRACT OFF
    const float h = b.s3 * 0.5f, w = b.s2 * 0.5f;
    const float4 c = centre ? (float4)(b.s1 - h, b.s0 - w, b.s1 + h, b.s0 + w) : b;
    const int down = c.s0 > c.s2, left = c.s1 > c.s3;
    return (float4)(down ? c.s2 : c.s0, left ? c.s3 : c.s1, down ? c.s0 : c.s2, left ? c.s1 : c.s3);
}

INLINE float suppress_area(const float4 c) { return (c.s2 - c.s0) * (c.s3 - c.s1); }

INLINE int suppress_overlap(const float4 a, const float area, const float4 b, const float other, const float limit) {
#pragma OPENCL FP_CONTRACT OFF
    const float h = (a.s2 < b.s2 ? a.s2 : b.s2) - (a.s0 > b.s0 ? a.s0 : b.s0);
    const float w = (a.s3 < b.s3 ? a.s3 : b.s3) - (a.s1 > b.s1 ? a.s1 : b.s1);
    const float both = h * w;
    const float sum = area + other;
    const float all = sum - both;
    const float most = limit * all;
    return h > 0 && w > 0 && area > 0 && other > 0 && all > 0 && both > most;
}

// The same of 16 others, whose coordinates and areas lie in planes.
INLINE int16 suppress_overlaps(
    const float4 a, const float area, const float16 top, const float16 left, const float16 bottom, const float16 right, const float16 other,
    const float limit
) {
#pragma OPENCL FP_CONTRACT OFF
    const float16 top_a = a.s0, left_a = a.s1, bottom_a = a.s2, right_a = a.s3;
    const float16 h = (bottom < bottom_a ? bottom : bottom_a) - (top > top_a ? top : top_a);
    const float16 w = (right < right_a ? right : right_a) - (left > left_a ? left : left_a);
    const float16 both = h * w;
    const float16 sum = other + area;
    const float16 all = sum - both;
    const float16 most = all * limit;
    return (h > 0) & (w > 0) & (other > 0) & (all > 0) & (both > most);
}
