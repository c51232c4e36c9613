// factor/cpu_jacobi.cl: singular values and eigenvalues of many small matrices, each in a lane of vectors
//
//     A V = U diag(s), for matrices A of LONG x SHORT, LONG >= SHORT, as factor/any_jacobi.cl has it
//
// A work-item has SIDE matrices, and element (i, j) of all of them is a vector: rotations are arithmetic of whole vectors, with nothing
// to add across lanes. It goes on until the last of its matrices is done; what a lane does not need is a rotation by 0. Columns have LD
// vectors, a multiple of 4, so that four sums run at a time.
//
// hooks   IN    PUT_VALUE(i, v)  PUT_LONG(i, v)  PUT_SHORT(i, v)  S  RANKS  as in factor/any_jacobi.cl
// macros  ACC    SIDE  matrices of an item    MANY MASK  a vector of their elements, and of comparisons    WG  1
//         ROOM  vectors of local memory for the matrices of an item, 0: they are in S    EIGEN SECOND UNIT NULL_LENGTH SCALE_MOST  as there
// sizes   BATCH  matrices    STEP LD  in vectors, and those of factor/any_jacobi.cl
// launch  jacobi_lanes  global {ceil(batch / SIDE)}  local {1}
// source  that of factor/any_jacobi.cl

#if ROOM
#define LANE_MEM __local
#else
#define LANE_MEM __global
#endif
#define LANE_SWEEPS 40

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void jacobi_lanes(PARAMS) {
#if ROOM
    __local MANY room[ROOM];
    LANE_MEM MANY *w = room;
#else
    LANE_MEM MANY *w = (__global MANY *)S + (long)get_global_id(0) * STEP;
#endif
    WIDE_VECTORS
    const IDX from = get_global_id(0) * SIDE, all = min((IDX)SIDE, BATCH - from);
    const int m = LONG, n = SHORT, ld = LD;
    LANE_MEM MANY *second = w + n * ld, *norms = second + SECOND * n * ld;
    LANE_MEM ACC *flat = (LANE_MEM ACC *)w;

    for (int l = 0; l < SIDE; l++) { // lanes without a matrix have the last one
        __global const ACC *in = IN + (long)min(from + l, BATCH - 1) * LONG * SHORT;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
#if EIGEN
                flat[(j * ld + i) * SIDE + l] = in[max(i, j) * LONG_STEP + min(i, j) * SHORT_STEP];
#else
                flat[(j * ld + i) * SIDE + l] = in[i * LONG_STEP + j * SHORT_STEP];
#endif
            }
    }
    for (int j = 0; j < n; j++)
        for (int i = m; i < ld; i++)
            w[j * ld + i] = 0;

    MANY most = 0, odd = 0;
    for (int k = 0; k < n * ld; k++) {
        most = fmax(most, fabs(w[k]));
        odd += w[k] - w[k];
    }
    const MASK lost = odd != 0;
    ACC scales[SIDE] __attribute__((aligned(128)));
    for (int l = 0; l < SIDE; l++) {
        const ACC v = ((ACC *)&most)[l];
        scales[l] = v > 0 && v < INFINITY ? ldexp((ACC)1, -clamp(ilogb(v), -SCALE_MOST, SCALE_MOST)) : (ACC)1;
    }
    const MANY scale = *(MANY *)scales;
    for (int k = 0; k < n * ld; k++)
        w[k] = lost ? (MANY)(0) : w[k] * scale;
#if EIGEN
    MANY squares = 0, sums = 0;
    for (int j = 0; j < n; j++) {
        MANY sum = 0;
        for (int k = 0; k < ld; k++) {
            const MANY v = w[j * ld + k];
            second[j * ld + k] = v;
            sum += fabs(v);
            squares += v * v;
        }
        sums = fmax(sums, sum);
    }
    const MANY shift = squares > 0 ? 2 * fmin(sqrt(squares), sums) : (MANY)(1);
    for (int j = 0; j < n; j++)
        w[j * ld + j] += shift;
#elif SECOND
    for (int k = 0; k < n * ld; k++)
        second[k] = 0;
    for (int j = 0; j < n; j++)
        second[j * ld + j] = 1;
#endif

    const ACC tolerance = UNIT * fmax(sqrt((ACC)m), (ACC)4);
    for (int sweep = 0; sweep < LANE_SWEEPS; sweep++) {
        for (int j = 0; j < n; j++) {
            MANY s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            for (int k = j * ld; k < j * ld + ld; k += 4) {
                s0 += w[k] * w[k];
                s1 += w[k + 1] * w[k + 1];
                s2 += w[k + 2] * w[k + 2];
                s3 += w[k + 3] * w[k + 3];
            }
            norms[j] = (s0 + s1) + (s2 + s3);
        }
        bool turned = false;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                LANE_MEM MANY *x = w + p * ld, *y = w + q * ld;
                MANY s0 = 0, s1 = 0, s2 = 0, s3 = 0;
                for (int k = 0; k < ld; k += 4) {
                    s0 += x[k] * y[k];
                    s1 += x[k + 1] * y[k + 1];
                    s2 += x[k + 2] * y[k + 2];
                    s3 += x[k + 3] * y[k + 3];
                }
                const MANY xy = (s0 + s1) + (s2 + s3), xx = norms[p], yy = norms[q];
                const MASK turn = (fabs(xy) > tolerance * sqrt(xx) * sqrt(yy)) & (fmin(xx, yy) > NULL_LENGTH * NULL_LENGTH);
                if (!any(turn))
                    continue;
                turned = true;
                const MANY d = yy - xx, r = sqrt(d * d + 4 * xy * xy);
                const MANY t = turn ? 2 * xy / (d < 0 ? d - r : d + r) : (MANY)(0), c = 1 / sqrt(1 + t * t), s = c * t, u = s / (1 + c);
                for (int k = 0; k < ld; k++) {
                    const MANY g = x[k], h = y[k];
                    x[k] = g - s * (h + u * g);
                    y[k] = h + s * (g - u * h);
                }
#if SECOND && !EIGEN
                LANE_MEM MANY *other_x = second + p * ld, *other_y = second + q * ld;
                for (int k = 0; k < n; k++) {
                    const MANY g = other_x[k], h = other_y[k];
                    other_x[k] = g - s * (h + u * g);
                    other_y[k] = h + s * (g - u * h);
                }
#endif
                norms[p] = xx - t * xy;
                norms[q] = yy + t * xy;
            }
        if (!turned)
            break;
    }

    for (int j = 0; j < n; j++) {
        MANY sum = 0;
        for (int k = j * ld; k < j * ld + ld; k++)
            sum += w[k] * w[k];
        const MANY length = sqrt(sum), by = length > NULL_LENGTH ? length : (MANY)(1);
        for (int k = j * ld; k < j * ld + ld; k++)
            w[k] /= by;
#if EIGEN
        sum = 0;
        for (int i = 0; i < n; i++) {
            MANY s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            for (int k = 0; k < ld; k += 4) {
                s0 += second[i * ld + k] * w[j * ld + k];
                s1 += second[i * ld + k + 1] * w[j * ld + k + 1];
                s2 += second[i * ld + k + 2] * w[j * ld + k + 2];
                s3 += second[i * ld + k + 3] * w[j * ld + k + 3];
            }
            sum += ((s0 + s1) + (s2 + s3)) * w[j * ld + i];
        }
        norms[j] = sum;
#else
        norms[j] = length;
#endif
    }
    LANE_MEM const ACC *values = (LANE_MEM const ACC *)norms, *flat2 = (LANE_MEM const ACC *)second;
    for (int l = 0; l < all; l++) {
        const IDX b = from + l;
        const bool gone = ((const ACC *)&odd)[l] != 0;
        int there = 0;
        for (int j = 0; j < n; j++) {
            const ACC own = values[j * SIDE + l];
            there += own > NULL_LENGTH;
            int rank = 0;
            for (int k = 0; k < n; k++) {
                const ACC other = values[k * SIDE + l];
#if EIGEN
                rank += other < own || other == own && k < j;
#else
                rank += other > own || other == own && k < j;
#endif
            }
            PUT_VALUE((long)b * n + rank, gone ? (ACC)NAN : own / scales[l]);
            for (int i = 0; i < m; i++)
                PUT_LONG((long)b * LONGS_ALL + i * LONGS_I + rank * LONGS_J, gone ? (ACC)NAN : flat[(j * ld + i) * SIDE + l]);
#if SECOND && !EIGEN
            for (int i = 0; i < n; i++)
                PUT_SHORT((long)b * n * n + i * SHORTS_I + rank * SHORTS_J, gone ? (ACC)NAN : flat2[(j * ld + i) * SIDE + l]);
#endif
        }
#if !EIGEN
        RANKS[b] = gone ? -1 : there;
#endif
    }
}
