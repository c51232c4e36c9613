// scan/any_sums.cl: sums that carry their rounding errors, and running sums of 16 lanes or of a work-group
//
// macros  ACC    type of the sums, unsigned for integers, which wrap    VT  16 of them
//         EXACT  1: the rounding error is kept beside the sum and added with the next value, so that the
//                error does not grow with the length: see COMPENSATE in lib/prelude.cl
//         WG     work-items of a group, a power of two, where scan_group is used
// source  Hillis and Steele, Data Parallel Algorithms (1986)

INLINE void scan_add(ACC *sum, ACC *rest, const ACC v) {
#if EXACT
    COMPENSATE(ACC, *sum, *rest, v)
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
        STREAM_VECTOR(VT, v, p);
        return;
    }
#endif
    *(__global ANYWHERE *)p = v;
}

// Each lane takes the one before it.
INLINE VT scan_shift(const VT v) { return (VT)(0, v.s0, v.s12, v.s3456, v.s789abcde); }
#endif

#ifdef WG
// The sums of v over the items before this one; all of them in *total. Two copies take turns, so that
// a step needs one barrier. Shared memory has 2 * WG, and may be written again after a barrier.
INLINE ACC scan_group(ACC v, __local ACC *shared, ACC *total) {
    const int me = (int)get_local_id(0);
    int at = 0;
    shared[me] = v;
    for (int d = 1; d < WG; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        v += me >= d ? shared[at + me - d] : 0;
        at = WG - at;
        shared[at + me] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *total = shared[at + WG - 1];
    return me > 0 ? shared[at + me - 1] : 0; // v less its own would round
}
#endif
