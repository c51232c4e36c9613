// group parts=6 of 2x100000x1: a work-group sums a part of a row
// launch scan_group_sums global [1536 2] local [256 1]
// options -cl-single-precision-constant
// arguments LENGTH=100000 PARTS=6 SPAN=16672
#define ACC float
#define VT float16
#define EXACT 1
#define EXCLUSIVE 0
#define REVERSE 0
#define SPLIT 1
#define TAKE(i) ((__global const float *)(p0_) + o_p0)[i]
#define PUT(i, v) ((__global float *)(y0_) + o_y0)[i] = (v)
#define WG 256
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict SUMS, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN
#define FN_PARAMS , __global const float *p0
#define FN_ARGS , p0_ + o_p0

// ---- scan.cl ----
// scan.cl: what running sums are made of: a sum that carries its rounding error, and the running
// sums of 16 lanes or of a work-group.
//
// macros  ACC    type of the sums, unsigned for integers, which wrap    VT  16 of them
//         EXACT  1: rounding errors are added up beside the sum, so that its error does not grow with
//                the length. An infinity has none
//         WG     work-items of a group, a power of two, where scan_group is used
// source  Hillis and Steele, Data Parallel Algorithms (1986); Knuth, The Art of Computer Programming 2
//         (1998), section 4.2.2 (the error of an addition)

INLINE void scan_add(ACC *sum, ACC *rest, const ACC v) {
#if EXACT
    const ACC s = *sum + v, b = s - *sum, e = (*sum - (s - b)) + (v - b);
    *rest += e == e ? e : 0;
    *sum = s;
#else
    *sum += v;
#endif
}

#ifdef VT
INLINE VT scan_lanes(VT v) {
    v += (VT)(0, v.s0, v.s12, v.s3456, v.s789abcde);
    v += (VT)(0, 0, v.s01, v.s2345, v.s6789abcd);
    v += (VT)(0, 0, 0, 0, v.s0123, v.s456789ab);
    v += (VT)(0, 0, 0, 0, 0, 0, 0, 0, v.lo);
    return v;
}

typedef VT __attribute__((aligned(sizeof(ACC)))) ANYWHERE;

INLINE void scan_put(__global ACC *p, const VT v) {
#if STREAMED
    if (((size_t)p & (LINE - 1)) == 0) {
        STREAM(v, (__global VT *)p);
        return;
    }
#endif
    *(__global ANYWHERE *)p = v;
}

// Each lane takes the one before it.
INLINE VT scan_shift(const VT v) { return (VT)(0, v.s0, v.s12, v.s3456, v.s789abcde); }
#endif

#ifdef WG
// The sums of v over the items up to this one; all of them in *total.
INLINE ACC scan_group(ACC v, __local ACC *shared, ACC *total) {
    const int me = (int)get_local_id(0);
    shared[me] = v;
    for (int d = 1; d < WG; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const ACC before = me >= d ? shared[me - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        v += before;
        shared[me] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *total = shared[WG - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
}
#endif
// ---- scan_group.cl ----
// scan_group.cl: running sums of rows that are dense in memory, on a GPU: a work-group takes a part of a row.
//
//     y[r, i] = sum over j <= i of x[r, j]
//
// hooks   TAKE(i)  element i of x    PUT(i, v)
// macros  ACC, EXACT, WG  see scan.cl      EXCLUSIVE  1: j < i      REVERSE  1: from the end of the row on
//         SPLIT  1: scan_group_sums has summed the parts of a row, and each goes on from those before
// sizes   LENGTH    PARTS of SPAN elements of a row
// launch  scan_group_sums  global {WG * PARTS, ROWS}  local {WG, 1}    where SPLIT
//         scan_group_rows  the same
// note    neighbours are read by neighbours; an item then sums EACH elements side by side in local memory,
//         whose rows are one longer so that items meet different banks. No atomics: results repeat
// source  Blelloch, Prefix Sums and Their Applications (1990): sums of parts, then each part from its sum on

#define EACH 8
#define TILE (WG * EACH)
#if REVERSE
#define AT(r, j) (((r) + 1) * LENGTH - 1 - (j))
#else
#define AT(r, j) ((r) * LENGTH + (j))
#endif
#define SPOT(k) ((k) + (k) / EACH)

kernel void scan_group_sums(PARAMS) {
    __local ACC shared[WG];
    const int me = (int)get_local_id(0);
    const IDX part = (IDX)get_group_id(0), r = (IDX)get_global_id(1), from = part * SPAN, to = min(from + SPAN, LENGTH);
    ACC sum = 0, rest = 0;
    for (IDX b = from; b < to; b += TILE) {
        ACC own = 0, total;
        for (int k = me; k < TILE && b + k < to; k += WG) own += TAKE(AT(r, b + k));
        scan_group(own, shared, &total);
        scan_add(&sum, &rest, total);
    }
    if (me == 0) {
        SUMS[2 * (r * PARTS + part)] = sum;
        SUMS[2 * (r * PARTS + part) + 1] = rest;
    }
}

kernel void scan_group_rows(PARAMS) {
    __local ACC shared[WG], tile[SPOT(TILE)];
    const int me = (int)get_local_id(0);
    const IDX part = (IDX)get_group_id(0), r = (IDX)get_global_id(1), from = part * SPAN, to = min(from + SPAN, LENGTH);
    ACC sum = 0, rest = 0;
#if SPLIT
    for (IDX k = r * PARTS; k < r * PARTS + part; k++) {
        scan_add(&sum, &rest, SUMS[2 * k]);
        rest += SUMS[2 * k + 1];
    }
#endif
    for (IDX b = from; b < to; b += TILE) {
        for (int k = me; k < TILE; k += WG) tile[SPOT(k)] = b + k < to ? TAKE(AT(r, b + k)) : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        ACC own = 0, total;
        for (int k = 0; k < EACH; k++) own += tile[SPOT(me * EACH + k)];
        ACC run = scan_group(own, shared, &total);
        // What is before this item: taken from the item before, since run - own would round.
        shared[me] = run;
        barrier(CLK_LOCAL_MEM_FENCE);
        run = me > 0 ? shared[me - 1] : 0;
        const ACC before = sum + rest;
        for (int k = 0; k < EACH; k++) {
            const ACC v = tile[SPOT(me * EACH + k)];
#if EXCLUSIVE
            tile[SPOT(me * EACH + k)] = before + run;
            run += v;
#else
            run += v;
            tile[SPOT(me * EACH + k)] = before + run;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = me; k < TILE && b + k < to; k += WG) PUT(AT(r, b + k), tile[SPOT(k)]);
        barrier(CLK_LOCAL_MEM_FENCE);
        scan_add(&sum, &rest, total);
    }
}
// launch scan_group_rows global [1536 2] local [256 1]
