// factor/any_jacobi.cl: singular values and eigenvalues by rotations of columns, a work-group for each matrix
//
//     A V = U diag(s), for matrices A of LONG x SHORT, LONG >= SHORT
//
// One-sided Jacobi: pairs of columns are rotated until all are orthogonal. Then they are those of U times the singular values, and V
// is the product of the rotations. A symmetric matrix gets a multiple c of the identity added, c twice a bound of its norm. That makes
// it positive definite and well conditioned: its columns end as those of V = U, nothing else is rotated, and eigenvalues are vᵀ A v.
//
// A round rotates SHORT / 2 pairs of different columns, and SHORT - 1 rounds, a sweep, meet every pair once (the circle method of
// tournaments). LANES items take a pair. Columns lie one after another, LD vectors apart, those of V or of a copy of A LD2.
// Matrices are scaled by a power of two, so that the largest element is near 1. What is orthogonal to a few UNITs stays. Columns shorter
// than NULL_LENGTH are lost in rounding; factor/any_complete.cl finds those of U.
//
// hooks   IN  where a starts    PUT_VALUE(i, v)  PUT_LONG(i, v)  PUT_SHORT(i, v)  store s or w, U or eigenvectors, and V
//         S  memory for matrices, STEP vectors each    RANKS  how many columns of U there are, -1: NaN
// macros  ACC  float or double    VEC WIDTH  a vector of ACC and its elements    WG  items of a group    LANES  of a pair
//         ROOM  vectors of local memory for a matrix, 0: they are in S    MOST  the largest SHORT
//         EIGEN  symmetric matrices    SECOND  there is V, or a copy of A
//         UNIT NULL_LENGTH SCALE_MOST  half the distance from 1 to the next number; a length; the largest exponent of a scale
// sizes   LONG SHORT    LONG_STEP SHORT_STEP  in a, from row to row and from column to column of A; for EIGEN from a larger coordinate
//         to the next, and from a smaller one
//         LONGS_I LONGS_J LONGS_ALL  in results of PUT_LONG, from row to row, column to column and matrix to matrix
//         SHORTS_I SHORTS_J  in those of PUT_SHORT    STEP LD LD2
// launch  jacobi_group  global {WG, batch}  local {WG, 1}
// source  Drmač and Veselić, New Fast and Accurate Jacobi SVD Algorithm: I, II (2008); Golub and Van Loan, Matrix Computations (2013),
//         sections 8.5 and 8.6.4; Brent and Luk, The Solution of Singular-Value and Symmetric Eigenvalue Problems on Multiprocessor
//         Arrays (1985)

#if ROOM
#define MEM __local
#else
#define MEM __global
#endif
#define PAIRS (WG / LANES)
#define SWEEPS 40

#if WIDTH == 1
#define SUM_OF(v) (v)
#elif WIDTH == 8
#define SUM_OF(v) sum_of8(v)
#else
#define SUM_OF(v) sum_of8((v).lo + (v).hi)
#endif

#if WIDTH > 1
#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
static inline ACC sum_of8(GLUE(ACC, 8) v) {
    const GLUE(ACC, 4) w = v.lo + v.hi;
    const GLUE(ACC, 2) x = w.lo + w.hi;
    return x.s0 + x.s1;
}
#endif

// The sums of the lanes of each pair.
static inline ACC lanes_sum(__local ACC *part, int id, ACC v) {
#if LANES == 1
    return v;
#else
    part[id] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    ACC s = 0;
    for (int k = id / LANES * LANES; k < id / LANES * LANES + LANES; k++)
        s += part[k];
    return s;
#endif
}

// The sum of all items' a, and the largest b.
static inline void group_sum(__local ACC *part, int id, ACC *a, ACC *b) {
    part[id] = *a;
    part[WG + id] = *b;
    barrier(CLK_LOCAL_MEM_FENCE);
    ACC s = 0, most = 0;
    for (int k = 0; k < WG; k++) {
        s += part[k];
        most = fmax(most, part[WG + k]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *a = s;
    *b = most;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void jacobi_group(PARAMS) {
    __local ACC norms[MOST], part[2 * WG];
    __local int turned[2];
#if ROOM
    __local VEC room[ROOM];
#endif
    WIDE_VECTORS
    const int id = get_local_id(0), lane = id % LANES, slot = id / LANES, m = LONG, n = SHORT, ld = LD, ld2 = LD2;
    const IDX b = get_global_id(1);
    __global const ACC *in = IN + (long)b * LONG * SHORT;
#if ROOM
    MEM VEC *w = room;
#else
    MEM VEC *w = (__global VEC *)S + (long)b * STEP;
#endif
    MEM VEC *second = w + (long)n * ld;
    MEM ACC *wide = (MEM ACC *)w, *wide2 = (MEM ACC *)second;

    ACC odd = 0, most = 0;
    for (int j = 0; j < n; j++)
        for (int i = id; i < ld * WIDTH; i += WG) {
#if EIGEN
            const ACC v = i < m ? in[(long)max(i, j) * LONG_STEP + (long)min(i, j) * SHORT_STEP] : (ACC)0;
#else
            const ACC v = i < m ? in[(long)i * LONG_STEP + (long)j * SHORT_STEP] : (ACC)0;
#endif
            odd += v - v;
            most = fmax(most, fabs(v));
            wide[(long)j * ld * WIDTH + i] = v;
        }
    group_sum(part, id, &odd, &most);
    const bool lost = odd != 0;
    const ACC scale = lost || most == 0 ? (ACC)1 : ldexp((ACC)1, -clamp(ilogb(most), -SCALE_MOST, SCALE_MOST));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int k = id; k < n * ld; k += WG)
        w[k] = lost ? (VEC)(0) : w[k] * scale;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if EIGEN
    ACC squares = 0, sums = 0;
    for (int j = id; j < n; j += WG) {
        VEC sum = 0, square = 0;
        for (int k = 0; k < ld; k++) {
            const VEC v = w[(long)j * ld + k];
            second[(long)j * ld + k] = v;
            sum += fabs(v);
            square += v * v;
        }
        squares += SUM_OF(square);
        sums = fmax(sums, SUM_OF(sum));
    }
    group_sum(part, id, &squares, &sums);
    const ACC shift = squares > 0 ? 2 * fmin(sqrt(squares), sums) : (ACC)1;
    for (int j = id; j < n; j += WG)
        wide[(long)j * ld * WIDTH + j] += shift;
#elif SECOND
    for (int j = 0; j < n; j++)
        for (int i = id; i < ld2 * WIDTH; i += WG)
            wide2[(long)j * ld2 * WIDTH + i] = i == j ? (ACC)1 : (ACC)0;
#endif

    const ACC tolerance = UNIT * fmax(sqrt((ACC)m), (ACC)4);
    const int last = (n + 1) / 2 * 2 - 1; // the player who keeps his place, who is not there if SHORT is odd
    for (int sweep = 0; n > 1 && sweep < SWEEPS; sweep++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (id == 0)
            turned[sweep & 1] = 0;
        for (int j0 = 0; j0 < n; j0 += PAIRS) {
            const int j = j0 + slot;
            VEC sum = 0;
            if (j < n)
                for (int k = lane; k < ld; k += LANES)
                    sum += w[(long)j * ld + k] * w[(long)j * ld + k];
            const ACC s = lanes_sum(part, id, SUM_OF(sum));
            if (j < n && lane == 0)
                norms[j] = s;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        for (int round = 0; round < last; round++)
            for (int i0 = 0; i0 <= last / 2; i0 += PAIRS) {
                const int i = i0 + slot;
                int p = i == 0 ? last : round + i, q = i == 0 ? round : round - i + last;
                p = i > 0 && p >= last ? p - last : p;
                q = q >= last ? q - last : q;
                const bool there = i <= last / 2 && p < n && q < n;
                VEC sum = 0;
                MEM VEC *x = w + (long)p * ld, *y = w + (long)q * ld;
                if (there)
                    for (int k = lane; k < ld; k += LANES)
                        sum += x[k] * y[k];
                const ACC xy = lanes_sum(part, id, SUM_OF(sum));
                const ACC xx = there ? norms[p] : (ACC)0, yy = there ? norms[q] : (ACC)0;
                const bool turn = there && fmin(xx, yy) > NULL_LENGTH * NULL_LENGTH && fabs(xy) > tolerance * sqrt(xx) * sqrt(yy);
#if LANES > 1
                barrier(CLK_LOCAL_MEM_FENCE); // all have read norms and sums
#endif
                if (turn) {
                    const ACC d = yy - xx, r = sqrt(d * d + 4 * xy * xy);
                    const ACC t = 2 * xy / (d < 0 ? d - r : d + r), c = 1 / sqrt(1 + t * t), s = c * t, u = s / (1 + c);
                    for (int k = lane; k < ld; k += LANES) {
                        const VEC g = x[k], h = y[k];
                        x[k] = g - s * (h + u * g);
                        y[k] = h + s * (g - u * h);
                    }
#if SECOND && !EIGEN
                    MEM VEC *other_x = second + (long)p * ld2, *other_y = second + (long)q * ld2;
                    for (int k = lane; k < ld2; k += LANES) {
                        const VEC g = other_x[k], h = other_y[k];
                        other_x[k] = g - s * (h + u * g);
                        other_y[k] = h + s * (g - u * h);
                    }
#endif
                    if (lane == 0) {
                        norms[p] = xx - t * xy;
                        norms[q] = yy + t * xy;
                        turned[sweep & 1] = 1;
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            }
        if (!turned[sweep & 1])
            break;
    }

    // Values take the place of norms.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int j0 = 0; j0 < n; j0 += PAIRS) {
        const int j = j0 + slot;
        VEC sum = 0;
        if (j < n)
            for (int k = lane; k < ld; k += LANES)
                sum += w[(long)j * ld + k] * w[(long)j * ld + k];
        const ACC square = lanes_sum(part, id, SUM_OF(sum)), length = sqrt(square);
        if (j < n) {
#if !EIGEN
            if (lane == 0)
                norms[j] = length;
#endif
            for (int k = lane; k < ld; k += LANES)
                w[(long)j * ld + k] /= length > NULL_LENGTH ? length : (ACC)1;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if EIGEN
        sum = 0;
        if (j < n)
            for (int k = lane; k < ld; k += LANES) {
                VEC y = 0;
                for (int i = 0; i < n; i++)
                    y += second[(long)i * ld + k] * wide[(long)j * ld * WIDTH + i];
                sum += y * w[(long)j * ld + k];
            }
        const ACC value = lanes_sum(part, id, SUM_OF(sum));
        if (j < n && lane == 0)
            norms[j] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    for (int j0 = 0; j0 < n; j0 += PAIRS) {
        const int j = j0 + slot;
        if (j >= n)
            continue;
        const ACC own = norms[j];
        int rank = 0;
        for (int k = 0; k < n; k++) {
            const ACC other = norms[k];
#if EIGEN
            rank += other < own || other == own && k < j;
#else
            rank += other > own || other == own && k < j;
#endif
        }
        if (lane == 0)
            PUT_VALUE((long)b * n + rank, lost ? (ACC)NAN : own / scale);
        for (int i = lane; i < m; i += LANES)
            PUT_LONG((long)b * LONGS_ALL + (long)i * LONGS_I + (long)rank * LONGS_J, lost ? (ACC)NAN : wide[(long)j * ld * WIDTH + i]);
#if SECOND && !EIGEN
        for (int i = lane; i < n; i += LANES)
            PUT_SHORT((long)b * n * n + (long)i * SHORTS_I + (long)rank * SHORTS_J, lost ? (ACC)NAN : wide2[(long)j * ld2 * WIDTH + i]);
#endif
    }
#if !EIGEN
    if (id == 0) {
        int there = 0;
        for (int k = 0; k < n; k++)
            there += norms[k] > NULL_LENGTH;
        RANKS[b] = lost ? -1 : there;
    }
#endif
}
