// factor/any_qr.cl: Householder reflectors of narrow panels, and what comes before and after
//
//     (I - V T Vᵀ)ᵀ A = R for the M - FROM rows and W <= 16 columns of the matrix from row and column FROM on
//
// A work-group has one matrix of the batch, each of its items some rows. In one pass over the rows an item applies the reflector of a
// column and sums what the next one needs: x·row, of the next column x, is at once the square of its norm, its products with
// the columns behind and, of the reflectors before, the products of which T is made.
//
// In scratch memory S, from matrix to matrix STEP: F, a copy of a whose rows lie LD apart; from V_AT on V, V_LD apart; from T_AT on
// the T of each block of NB columns, NB apart; from Q_AT on Q.
//
// hooks   IN  where a starts    S    PART  extremes    PUT_Q(i, v)  PUT_R(i, v)  store results where somebody reads them
// macros  ACC  float or double    WG  items of a group    LARGE SMALL  elements beyond are scaled, or their squares were lost
//         LOST  a sum of squares below this has lost some    UP_MOST  the largest power of two
//         CHUNKS  parts of a matrix whose extremes are looked for apart
// sizes   M N K C  rows, columns, reflectors, columns of Q    FROM W    T_FROM  where T of the panel lies
// launch  qr_measure  global {WG, CHUNKS, batch}  local {WG, 1, 1}
//         qr_begin    global {WG, max(M, K), batch}  local {WG, 1, 1}
//         qr_panel    global {WG, batch}  local {WG, 1}
//         qr_end      global {WG, max(M, C), batch}  local {WG, 1, 1}
// source  Golub and Van Loan, Matrix Computations (2013), sections 5.1 and 5.2; Schreiber and Van Loan, A Storage-Efficient WY
//         Representation for Products of Householder Transformations (1989)

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
typedef GLUE(ACC, 16) ROW16;
typedef ROW16 __attribute__((aligned(sizeof(ACC)))) ROW16_ANYWHERE;
#define ROW_AT(p) (*(__global ROW16_ANYWHERE *)(p))
#define CONST_ROW_AT(p) (*(__global const ROW16_ANYWHERE *)(p))

// PART holds the largest magnitude of each part of each matrix, and then NaN or 0 for each: whether something is not finite.
__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void qr_measure(PARAMS) {
    __local ROW16 larges[WG], odds[WG];
    WIDE_VECTORS
    const int id = get_local_id(0);
    const IDX c = get_global_id(1), b = get_global_id(2);
    const long all = (long)M * N, span = (all + CHUNKS - 1) / CHUNKS, begin = min(c * span, all), end = min(begin + span, all);
    __global const ACC *x = IN + b * all;
    ROW16 large = 0, odd = 0;
    long i = begin + id * 16;
    for (; i + 16 <= end; i += WG * 16) {
        const ROW16 v = CONST_ROW_AT(x + i);
        large = fmax(large, fabs(v));
        odd += v - v;
    }
    for (; i < end; i++) {
        large.s0 = fmax(large.s0, fabs(x[i]));
        odd.s0 += x[i] - x[i];
    }
    larges[id] = large;
    odds[id] = odd;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        __local const ACC *l = (__local const ACC *)larges, *o = (__local const ACC *)odds;
        ACC most = 0, sum = 0;
        for (int k = 0; k < WG * 16; k++) {
            most = fmax(most, l[k]);
            sum += o[k];
        }
        PART[(b * CHUNKS + c) * 2] = most;
        PART[(b * CHUNKS + c) * 2 + 1] = sum;
    }
}

// A power of two by which matrix b is multiplied: 1 for most, NaN where something is not finite.
static inline ACC scale_of(__global const ACC *part) {
    ACC most = 0, odd = 0;
    for (int c = 0; c < CHUNKS; c++) {
        most = fmax(most, part[2 * c]);
        odd += part[2 * c + 1];
    }
    if (odd != 0)
        return NAN;
    return most > LARGE || most < SMALL && most > 0 ? ldexp((ACC)1, -ilogb(most)) : (ACC)1;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void qr_begin(PARAMS) {
    const int id = get_local_id(0);
    const IDX i = get_global_id(1), b = get_global_id(2);
    const ACC scale = scale_of(PART + b * CHUNKS * 2);
    __global ACC *s = S + (long)b * STEP;
    if (i < M) {
        for (IDX j = id; j < LD; j += WG)
            s[(long)i * LD + j] = j < N ? IN[((long)b * M + i) * N + j] * scale : (ACC)0;
        for (IDX j = id; j < V_LD; j += WG)
            s[V_AT + (long)i * V_LD + j] = 0;
        for (IDX j = id; j < C; j += WG)
            s[Q_AT + (long)i * C + j] = i == j ? (ACC)1 : (ACC)0;
    }
    if (i < K)
        for (IDX j = id; j < NB; j += WG)
            s[T_AT + (long)i * NB + j] = 0;
}

// Leaves in sums[0] what the items' sums are together.
static inline void add_up(__local ROW16 *sums, int id, ROW16 sum) {
    sums[id] = sum;
    for (int reach = WG / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < reach)
            sums[id] += sums[id + reach];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// A power of two that brings the largest of the items' elements, and of one more, near 1: 1 where all of the items' are 0.
static inline ACC scale_up(__local ROW16 *room, int id, ACC most, ACC one) {
    __local ACC *all = (__local ACC *)room;
    barrier(CLK_LOCAL_MEM_FENCE);
    all[id] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    most = 0;
    for (int i = 0; i < WG; i++)
        most = fmax(most, all[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return most > 0 ? ldexp((ACC)1, min(-ilogb(fmax(most, one)), UP_MOST)) : (ACC)1;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void qr_panel(PARAMS) {
    __local ROW16 sums[WG];
    WIDE_VECTORS
    const int id = get_local_id(0), width = W, rows = M - FROM;
    const IDX b = get_global_id(1);
    __global ACC *s = S + (long)b * STEP, *f = s + ((long)FROM * LD + FROM), *t = s + T_FROM;
    const long ld = LD;
    const ROW16 lane = (ROW16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    ROW16 sum = 0;
    for (int i = 1 + id; i < rows; i += WG)
        sum += f[i * ld] * ROW_AT(f + i * ld);
    for (int j = 0; j < width; j++) {
        add_up(sums, id, sum);
        ACC square = ((__local const ACC *)sums)[j], up = 1;
        const ROW16 mine = ROW_AT(f + j * ld);
        const ACC own = f[j * ld + j];
        if (square < LOST) { // squares of small elements were lost: again, of larger ones
            ACC most = 0;
            for (int i = j + 1 + id; i < rows; i += WG)
                most = fmax(most, fabs(f[i * ld + j]));
            up = scale_up(sums, id, most, fabs(own));
            sum = 0;
            for (int i = j + 1 + id; i < rows; i += WG) {
                const ROW16 row = ROW_AT(f + i * ld);
                sum += f[i * ld + j] * up * (lane == (ACC)j ? row * up : row);
            }
            add_up(sums, id, sum);
            square = ((__local const ACC *)sums)[j];
        }
        const ACC alpha = own * up;
        ACC beta = alpha, tau = 0, inverse = 0;
        if (square != 0) {
            beta = -copysign(sqrt(alpha * alpha + square), alpha);
            tau = (beta - alpha) / beta;
            inverse = 1 / (alpha - beta);
        }
        const ACC scale = inverse * up;
        const ROW16 w = mine + inverse * sums[0];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (id == 0) {
            ACC z[16] __attribute__((aligned(128)));
            *(ROW16 *)z = w;
            for (int q = 0; q < j; q++) {
                ACC v = 0;
                for (int p = q; p < j; p++)
                    v -= t[q * NB + p] * z[p];
                t[q * NB + j] = tau * v;
            }
            t[j * NB + j] = tau;
            ROW16 r = mine - tau * w;
            r = lane > (ACC)j && lane < (ACC)width ? r : mine;
            ROW_AT(f + j * ld) = r;
            f[j * ld + j] = beta / up;
        }
        sum = 0;
        const int next = min(j + 1, 15);
        for (int i = j + 1 + id; i < rows; i += WG) {
            __global ACC *row = f + i * ld;
            const ACC l = row[j] * scale;
            const ROW16 old = ROW_AT(row);
            ROW16 v = old - l * tau * w;
            v = lane > (ACC)j && lane < (ACC)width ? v : old;
            ROW_AT(row) = v;
            row[j] = l;
            v = lane == (ACC)j ? (ROW16)(l) : v;
            const ROW16 more = sum + row[next] * v;
            sum = i > j + 1 ? more : sum;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    __global ACC *v = s + V_AT + (long)FROM * V_LD + FROM;
    for (int i = id; i < rows; i += WG) {
        ROW16 x = ROW_AT(f + i * ld);
        x = lane < (ACC)i ? x : lane == (ACC)i ? (ROW16)(1) : (ROW16)(0);
        ROW_AT(v + (long)i * V_LD) = lane < (ACC)width ? x : (ROW16)(0);
    }
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void qr_end(PARAMS) {
    const int id = get_local_id(0);
    const IDX i = get_global_id(1), b = get_global_id(2);
    const ACC scale = scale_of(PART + b * CHUNKS * 2);
    const bool odd = scale != scale;
    __global const ACC *s = S + (long)b * STEP;
    if (i < M)
        for (IDX j = id; j < C; j += WG)
            PUT_Q(((long)b * M + i) * C + j, odd ? (ACC)NAN : s[Q_AT + (long)i * C + j]);
    if (i < C)
        for (IDX j = id; j < N; j += WG)
            PUT_R(((long)b * C + i) * N + j, odd ? (ACC)NAN : j < i ? (ACC)0 : s[(long)i * LD + j] / scale);
}
