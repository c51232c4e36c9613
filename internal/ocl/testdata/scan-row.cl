// row parts=4 of 2x100000x1: a CPU driver: sixteen elements at a time
// launch scan_sums global [4 2] local [1 1]
// options -cl-single-precision-constant
// arguments LENGTH=100000 PARTS=4 SPAN=25008 ROWS=2 RSPAN=1
#define ACC float
#define VT float16
#define EXACT 1
#define EXCLUSIVE 0
#define REVERSE 0
#define SPLIT 1
#define TAKE(i) ((__global const float *)(p0_) + o_p0)[i]
#define PUT(i, v) ((__global float *)(y0_) + o_y0)[i] = (v)
#define STREAMED 0
#define TAKES(i) (*(__global const ANYWHERE *)(((__global const float *)(p0_) + o_p0) + (i)))
#define PUTS(i, v) scan_put(((__global float *)(y0_) + o_y0) + (i), v)
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict SUMS, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN, \
    const IDX ROWS, \
    const IDX RSPAN
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
// ---- scan_row.cl ----
// scan_row.cl: running sums of rows that are dense in memory, on a CPU driver.
//
//     y[r, i] = sum over j <= i of x[r, j]
//
// hooks   TAKE(i)  element i of x    TAKES(i)  16 from i on    PUT(i, v)   PUTS(i, v)
// macros  ACC, VT, EXACT  see scan.cl      EXCLUSIVE  1: j < i      REVERSE  1: from the end of the row on
//         SPLIT  1: scan_sums has summed the parts of a row, and each goes on from those before
//         STREAMED  1: no cache holds the result: lines are stored past them where they begin at one
// sizes   ROWS, LENGTH    PARTS of SPAN elements of a row    RSPAN  rows an item
// launch  scan_sums  global {PARTS, ROWS / RSPAN}  local {1, 1}    where SPLIT
//         scan_row   the same
// note    a block of 1024 is summed by itself before it is added to what came before: short sums have
//         small errors. Parts are fixed, so results repeat

#define BLOCK 1024
#if REVERSE
#define AT(r, j) (((r) + 1) * LENGTH - 1 - (j)) // of step j
#define VECTOR(r, j) TAKES(AT(r, j) - 15).sfedcba9876543210
#define TURNED(v) (v).sfedcba9876543210
#define FIRST(r, j) (AT(r, j) - 15)
#else
#define AT(r, j) ((r) * LENGTH + (j))
#define VECTOR(r, j) TAKES(AT(r, j))
#define TURNED(v) (v)
#define FIRST(r, j) AT(r, j)
#endif

kernel void scan_sums(PARAMS) {
    WIDE_VECTORS
    const IDX part = (IDX)get_global_id(0), from = part * SPAN, to = min(from + SPAN, LENGTH);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    for (IDX r = r0; r < r1; r++) {
        ACC sum = 0, rest = 0;
        for (IDX b = from; b < to; b += BLOCK) {
            const IDX end = min(b + BLOCK, to);
            VT v = 0, w = 0;
            ACC own = 0;
            IDX j = b;
            for (; j + 31 < end; j += 32) {
                v += VECTOR(r, j);
                w += VECTOR(r, j + 16);
            }
            for (; j < end; j++) own += TAKE(AT(r, j));
            v = scan_lanes(v + w);
            scan_add(&sum, &rest, v.sf + own);
        }
        SUMS[2 * (r * PARTS + part)] = sum;
        SUMS[2 * (r * PARTS + part) + 1] = rest;
    }
}

kernel void scan_row(PARAMS) {
    WIDE_VECTORS
    const IDX part = (IDX)get_global_id(0), from = part * SPAN, to = min(from + SPAN, LENGTH);
    const IDX r0 = (IDX)get_global_id(1) * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    for (IDX r = r0; r < r1; r++) {
        ACC sum = 0, rest = 0;
#if SPLIT
        for (IDX k = r * PARTS; k < r * PARTS + part; k++) {
            scan_add(&sum, &rest, SUMS[2 * k]);
            rest += SUMS[2 * k + 1];
        }
#endif
        for (IDX b = from; b < to; b += BLOCK) {
            const IDX end = min(b + BLOCK, to);
            const ACC before = sum + rest;
            ACC own = 0; // of this block
            IDX j = b;
            for (; j + 15 < end; j += 16) {
                const VT v = scan_lanes(VECTOR(r, j));
#if EXCLUSIVE
                const VT y = before + (own + scan_shift(v));
#else
                const VT y = before + (own + v);
#endif
                PUTS(FIRST(r, j), TURNED(y));
                own += v.sf;
            }
            for (; j < end; j++) {
                const ACC v = TAKE(AT(r, j));
#if EXCLUSIVE
                PUT(AT(r, j), before + own);
                own += v;
#else
                own += v;
                PUT(AT(r, j), before + own);
#endif
            }
            scan_add(&sum, &rest, own);
        }
    }
}
// launch scan_row global [4 2] local [1 1]
