// column parts=4 of 2x100000x20: an axis that is not the last: columns side by side
// launch scan_column_sums global [1 4 2] local [1 1 1]
// options -cl-single-precision-constant
// arguments LENGTH=100000 PARTS=4 SPAN=25008 OUTER=2 INNER=20
#define ACC uchar
#define VT uchar16
#define EXACT 0
#define EXCLUSIVE 1
#define REVERSE 1
#define SPLIT 1
#define TAKE(i) ((__global const uchar *)(p0_) + o_p0)[i]
#define PUT(i, v) ((__global uchar *)(y0_) + o_y0)[i] = (v)
#define COLUMNS 32
#define PARAMS __global const char *restrict p0_, \
    const ulong o_p0, \
    __global char *restrict y0_, \
    const ulong o_y0, \
    __global uchar *restrict SUMS, \
    const IDX LENGTH, \
    const IDX PARTS, \
    const IDX SPAN, \
    const IDX OUTER, \
    const IDX INNER
#define FN_PARAMS , __global const char *p0
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
// ---- scan_column.cl ----
// scan_column.cl: running sums along an axis that is not the last.
//
//     y[o, i, n] = sum over j <= i of x[o, j, n]
//
// hooks   TAKE(i)  element i of x    PUT(i, v)
// macros  ACC, EXACT  see scan.cl      EXCLUSIVE  1: j < i      REVERSE  1: from the end of the axis on
//         COLUMNS  of an item: many on CPU drivers, whose loop over them becomes vectors, 1 on GPUs
//         SPLIT  1: scan_column_sums has summed the parts of the axis, and each goes on from those before
// sizes   OUTER, LENGTH, INNER    PARTS of SPAN steps of the axis
// launch  scan_column_sums  global {INNER / COLUMNS padded, PARTS, OUTER}  local {WG, 1, 1}    where SPLIT
//         scan_column       the same
// note    parts are fixed, so results repeat

#if REVERSE
#define AT(o, j) (((o) * LENGTH + LENGTH - 1 - (j)) * INNER)
#else
#define AT(o, j) (((o) * LENGTH + (j)) * INNER)
#endif

kernel void scan_column_sums(PARAMS) {
    WIDE_VECTORS
    const IDX c0 = (IDX)get_global_id(0) * COLUMNS, part = (IDX)get_global_id(1), o = (IDX)get_global_id(2);
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    const int n = (int)min((IDX)COLUMNS, INNER - c0);
    ACC sum[COLUMNS], rest[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) sum[c] = rest[c] = 0;
    for (IDX j = from; j < to; j++) {
        const IDX at = AT(o, j) + c0;
        WIDE for (int c = 0; c < n; c++) scan_add(sum + c, rest + c, TAKE(at + c));
    }
    const IDX to_sums = ((o * PARTS + part) * INNER + c0) * 2;
    for (int c = 0; c < n; c++) {
        SUMS[to_sums + 2 * c] = sum[c];
        SUMS[to_sums + 2 * c + 1] = rest[c];
    }
}

kernel void scan_column(PARAMS) {
    WIDE_VECTORS
    const IDX c0 = (IDX)get_global_id(0) * COLUMNS, part = (IDX)get_global_id(1), o = (IDX)get_global_id(2);
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    const int n = (int)min((IDX)COLUMNS, INNER - c0);
    ACC sum[COLUMNS], rest[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) sum[c] = rest[c] = 0;
#if SPLIT
    for (IDX p = 0; p < part; p++) {
        const IDX at = ((o * PARTS + p) * INNER + c0) * 2;
        for (int c = 0; c < n; c++) {
            scan_add(sum + c, rest + c, SUMS[at + 2 * c]);
            rest[c] += SUMS[at + 2 * c + 1];
        }
    }
#endif
    for (IDX j = from; j < to; j++) {
        const IDX at = AT(o, j) + c0;
        WIDE for (int c = 0; c < n; c++) {
            const ACC v = TAKE(at + c);
#if EXCLUSIVE
            PUT(at + c, sum[c] + rest[c]);
            scan_add(sum + c, rest + c, v);
#else
            scan_add(sum + c, rest + c, v);
            PUT(at + c, sum[c] + rest[c]);
#endif
        }
    }
}
// launch scan_column global [1 4 2] local [1 1 1]
