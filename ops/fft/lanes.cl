// lanes.cl: how the lanes of a CPU's vectors are loaded and stored, for step.cl
//
// In memory numbers are pairs, in vectors real parts and imaginary ones apart. Lanes are lines that lie side by side, so that a vector is
// what adjoins, or rows that lie apart, which are transposed in tiles of TILE pairs of LANES rows.
//
// macros  T    V    LANES  8 or 16, or of ROWS 4 or 8    PAD  numbers behind a table that may be read
// large   data that no cache holds: columns are fetched a block ahead, for which their distance is too long for the processor's own
//         prefetching, and whole lines are stored past the caches, where they would be read first
#ifdef LANES
#if LANES == 4
#define LOAD vload4
#define STORE vstore4
#elif LANES == 16
#define LOAD vload16
#define STORE vstore16
#define LOW(r, i) (V)(r.s0, i.s0, r.s1, i.s1, r.s2, i.s2, r.s3, i.s3, r.s4, i.s4, r.s5, i.s5, r.s6, i.s6, r.s7, i.s7)
#define HIGH(r, i) (V)(r.s8, i.s8, r.s9, i.s9, r.sa, i.sa, r.sb, i.sb, r.sc, i.sc, r.sd, i.sd, r.se, i.se, r.sf, i.sf)
#define BACKWARD(v) v.sfedcba9876543210
#else
#define LOAD vload8
#define STORE vstore8
#define LOW(r, i) (V)(r.s0, i.s0, r.s1, i.s1, r.s2, i.s2, r.s3, i.s3)
#define HIGH(r, i) (V)(r.s4, i.s4, r.s5, i.s5, r.s6, i.s6, r.s7, i.s7)
#define BACKWARD(v) v.s76543210
#endif

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STORE_PAST(v, to) __builtin_nontemporal_store(v, (global V *)(to))
#endif
#if __has_builtin(__builtin_prefetch)
#define FETCH(from) __builtin_prefetch(from, 0)
#endif
#endif
#ifndef STORE_PAST
#define STORE_PAST(v, to) STORE(v, 0, to)
#endif
#ifndef FETCH
#define FETCH(from)
#endif

// Whether all vectors are whole lines that begin at multiples of apart pairs behind to.
static int in_lines(global const T *to, const size_t apart) { return ((size_t)to | 2 * apart * sizeof(T)) % sizeof(V) == 0; }

static void keep(const V v, global T *to, const int past) {
    if (past)
        STORE_PAST(v, to);
    else
        STORE(v, 0, to);
}

#ifndef ROWS
// Pairs that adjoin become real parts and imaginary ones.
static void split(global const T *from, V *r, V *i) {
    const V a = LOAD(0, from), b = LOAD(1, from);
    *r = (V)(a.even, b.even), *i = (V)(a.odd, b.odd);
}

static void join(global T *to, const V r, const V i, const int past) {
    keep(LOW(r, i), to, past);
    keep(HIGH(r, i), to + LANES, past);
}

static void load_columns(global const T *from, const size_t stride, const int m, const int lanes, V *r, V *i, const int large) {
    if (lanes == LANES) {
        for (int j = 0; j < m; j++) {
            global const T *const at = from + 2 * stride * j;
            if (large) {
                FETCH(at + 2 * LANES);
                FETCH(at + 3 * LANES);
            }
            split(at, r + j, i + j);
        }
        return;
    }
    for (int j = 0; j < m; j++) {
        r[j] = 0, i[j] = 0;
        for (int l = 0; l < lanes; l++)
            ((T *)(r + j))[l] = from[2 * (stride * j + l)], ((T *)(i + j))[l] = from[2 * (stride * j + l) + 1];
    }
}

static void store_columns(global T *to, const size_t stride, const int m, const int lanes, const V *r, const V *i, const int large) {
    if (lanes == LANES) {
        const int past = large && in_lines(to, stride);
        for (int k = 0; k < m; k++)
            join(to + 2 * stride * k, r[k], i[k], past);
        return;
    }
    for (int k = 0; k < m; k++)
        for (int l = 0; l < lanes; l++)
            to[2 * (stride * k + l)] = ((const T *)(r + k))[l], to[2 * (stride * k + l) + 1] = ((const T *)(i + k))[l];
}

#if LANES == 16
// Eight rows of eight pairs become eight columns.
#define EVENS(a, b) (ulong8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6)
#define ODDS(a, b) (ulong8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7)
#define FIRSTS(a, b) (ulong8)(a.s01, b.s01, a.s45, b.s45)
#define LASTS(a, b) (ulong8)(a.s23, b.s23, a.s67, b.s67)
static void transpose8(ulong8 *a0, ulong8 *a1, ulong8 *a2, ulong8 *a3, ulong8 *a4, ulong8 *a5, ulong8 *a6, ulong8 *a7) {
    const ulong8 b0 = EVENS((*a0), (*a1)), b1 = ODDS((*a0), (*a1)), b2 = EVENS((*a2), (*a3)), b3 = ODDS((*a2), (*a3));
    const ulong8 b4 = EVENS((*a4), (*a5)), b5 = ODDS((*a4), (*a5)), b6 = EVENS((*a6), (*a7)), b7 = ODDS((*a6), (*a7));
    const ulong8 c0 = FIRSTS(b0, b2), c1 = FIRSTS(b1, b3), c2 = LASTS(b0, b2), c3 = LASTS(b1, b3);
    const ulong8 c4 = FIRSTS(b4, b6), c5 = FIRSTS(b5, b7), c6 = LASTS(b4, b6), c7 = LASTS(b5, b7);
    *a0 = (ulong8)(c0.lo, c4.lo), *a1 = (ulong8)(c1.lo, c5.lo), *a2 = (ulong8)(c2.lo, c6.lo), *a3 = (ulong8)(c3.lo, c7.lo);
    *a4 = (ulong8)(c0.hi, c4.hi), *a5 = (ulong8)(c1.hi, c5.hi), *a6 = (ulong8)(c2.hi, c6.hi), *a7 = (ulong8)(c3.hi, c7.hi);
}

// Eight pairs of each of 16 rows, apart pairs from each other.
#define ROW(l) as_ulong8(LOAD(0, from + 2 * (size_t)(l) * apart))
static void load_tile(global const T *from, const int apart, V *r, V *i) {
    ulong8 a0 = ROW(0), a1 = ROW(1), a2 = ROW(2), a3 = ROW(3), a4 = ROW(4), a5 = ROW(5), a6 = ROW(6), a7 = ROW(7);
    transpose8(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7);
    ulong8 b0 = ROW(8), b1 = ROW(9), b2 = ROW(10), b3 = ROW(11), b4 = ROW(12), b5 = ROW(13), b6 = ROW(14), b7 = ROW(15);
    transpose8(&b0, &b1, &b2, &b3, &b4, &b5, &b6, &b7);
#define COLUMN(k, a, b) r[k] = (V)(as_float16(a).even, as_float16(b).even), i[k] = (V)(as_float16(a).odd, as_float16(b).odd)
    COLUMN(0, a0, b0);
    COLUMN(1, a1, b1);
    COLUMN(2, a2, b2);
    COLUMN(3, a3, b3);
    COLUMN(4, a4, b4);
    COLUMN(5, a5, b5);
    COLUMN(6, a6, b6);
    COLUMN(7, a7, b7);
}

#define LOWS(k) as_ulong8(LOW(r[k], i[k]))
#define HIGHS(k) as_ulong8(HIGH(r[k], i[k]))
#define STORE_ROW(l, a) keep(as_float16(a), to + 2 * (size_t)(l) * apart, past)
static void store_tile(global T *to, const int apart, const V *r, const V *i, const int past) {
    ulong8 a0 = LOWS(0), a1 = LOWS(1), a2 = LOWS(2), a3 = LOWS(3), a4 = LOWS(4), a5 = LOWS(5), a6 = LOWS(6), a7 = LOWS(7);
    transpose8(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7);
    STORE_ROW(0, a0);
    STORE_ROW(1, a1);
    STORE_ROW(2, a2);
    STORE_ROW(3, a3);
    STORE_ROW(4, a4);
    STORE_ROW(5, a5);
    STORE_ROW(6, a6);
    STORE_ROW(7, a7);
    a0 = HIGHS(0), a1 = HIGHS(1), a2 = HIGHS(2), a3 = HIGHS(3), a4 = HIGHS(4), a5 = HIGHS(5), a6 = HIGHS(6), a7 = HIGHS(7);
    transpose8(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7);
    STORE_ROW(8, a0);
    STORE_ROW(9, a1);
    STORE_ROW(10, a2);
    STORE_ROW(11, a3);
    STORE_ROW(12, a4);
    STORE_ROW(13, a5);
    STORE_ROW(14, a6);
    STORE_ROW(15, a7);
}
#endif

#if LANES == 8
// Four pairs of each of 8 rows, apart pairs from each other.
#define ROW(l) LOAD(0, from + 2 * (size_t)(l) * apart)
#define COLUMN(k, PAIR) { \
    const V lo = (V)(a0.PAIR, a1.PAIR, a2.PAIR, a3.PAIR), hi = (V)(a4.PAIR, a5.PAIR, a6.PAIR, a7.PAIR); \
    r[k] = (V)(lo.even, hi.even), i[k] = (V)(lo.odd, hi.odd); \
}
static void load_tile(global const T *from, const int apart, V *r, V *i) {
    const V a0 = ROW(0), a1 = ROW(1), a2 = ROW(2), a3 = ROW(3), a4 = ROW(4), a5 = ROW(5), a6 = ROW(6), a7 = ROW(7);
    COLUMN(0, s01)
    COLUMN(1, s23)
    COLUMN(2, s45)
    COLUMN(3, s67)
}

static void store_tile(global T *to, const int apart, const V *r, const V *i, const int past) {
    const V r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3], i0 = i[0], i1 = i[1], i2 = i[2], i3 = i[3];
    const V a0 = LOW(r0, i0), a1 = LOW(r1, i1), a2 = LOW(r2, i2), a3 = LOW(r3, i3);
    const V b0 = HIGH(r0, i0), b1 = HIGH(r1, i1), b2 = HIGH(r2, i2), b3 = HIGH(r3, i3);
    keep((V)(a0.s01, a1.s01, a2.s01, a3.s01), to, past);
    keep((V)(a0.s23, a1.s23, a2.s23, a3.s23), to + 2 * (size_t)apart, past);
    keep((V)(a0.s45, a1.s45, a2.s45, a3.s45), to + 4 * (size_t)apart, past);
    keep((V)(a0.s67, a1.s67, a2.s67, a3.s67), to + 6 * (size_t)apart, past);
    keep((V)(b0.s01, b1.s01, b2.s01, b3.s01), to + 8 * (size_t)apart, past);
    keep((V)(b0.s23, b1.s23, b2.s23, b3.s23), to + 10 * (size_t)apart, past);
    keep((V)(b0.s45, b1.s45, b2.s45, b3.s45), to + 12 * (size_t)apart, past);
    keep((V)(b0.s67, b1.s67, b2.s67, b3.s67), to + 14 * (size_t)apart, past);
}
#endif
#define TILE (LANES / 2) // pairs of a tile's rows

// Lanes are rows, of which the first m pairs.
static void load_rows(global const T *from, const int apart, const int m, const int lanes, V *r, V *i) {
    int j = 0;
    for (; lanes == LANES && j + TILE <= m; j += TILE)
        load_tile(from + 2 * j, apart, r + j, i + j);
    for (; j < m; j++) {
        r[j] = 0, i[j] = 0;
        for (int l = 0; l < lanes; l++)
            ((T *)(r + j))[l] = from[2 * ((size_t)l * apart + j)], ((T *)(i + j))[l] = from[2 * ((size_t)l * apart + j) + 1];
    }
}

static void store_rows(global T *to, const int apart, const int m, const int lanes, const V *r, const V *i, const int large) {
    const int past = large && in_lines(to, apart);
    int k = 0;
    for (; lanes == LANES && k + TILE <= m; k += TILE)
        store_tile(to + 2 * k, apart, r + k, i + k, past);
    for (; k < m; k++)
        for (int l = 0; l < lanes; l++)
            to[2 * ((size_t)l * apart + k)] = ((const T *)(r + k))[l], to[2 * ((size_t)l * apart + k) + 1] = ((const T *)(i + k))[l];
}

// Lanes from line l on are multiplied by roots of unity.
static void turn(global const T *turns, const int m, const int l, const int lanes, const int inner, const int others, V *r, V *i) {
    global const T *const imaginary = turns + (size_t)m * others + PAD;
    for (int k = 0; k < m; k++) {
        const size_t at = (size_t)k * others + l / inner;
        V c, d;
        if (inner == 1) {
            c = LOAD(0, turns + at), d = LOAD(0, imaginary + at);
        } else if (l / inner == (l + lanes - 1) / inner) {
            c = (V)(turns[at]), d = (V)(imaginary[at]);
        } else {
            c = 0, d = 0;
            for (int e = 0; e < lanes; e++)
                ((T *)&c)[e] = turns[(size_t)k * others + (l + e) / inner], ((T *)&d)[e] = imaginary[(size_t)k * others + (l + e) / inner];
        }
        const V vr = r[k], vi = i[k];
        r[k] = vr * c - vi * d, i[k] = vr * d + vi * c;
    }
}

// How many rows of lines have all of lanes from line l on among the first count elements.
static int rows_within(const int count, const int lines, const int l, const int lanes) { return count < l + lanes ? 0 : (count - l - lanes) / lines + 1; }

// Completes what load_columns or load_rows has of a row of m * lines elements, of which the first count are there: columns that are there in
// part, and zeros.
static void load_rest(global const T *row, const int m, const int lines, const int l, const int lanes, const int count, V *r, V *i) {
    for (int j = lines == 1 ? count : rows_within(count, lines, l, lanes); j < m; j++) {
        r[j] = 0, i[j] = 0;
        for (int e = 0; lines > 1 && e < lanes && lines * j + l + e < count; e++) {
            const size_t at = (size_t)lines * j + e;
            ((T *)(r + j))[e] = row[2 * at], ((T *)(i + j))[e] = row[2 * at + 1];
        }
    }
}

// Columns are stored of which the elements are among the first count of a row.
static void store_first(global T *to, const int m, const int lines, const int l, const int lanes, const int count, const V *r, const V *i,
    const int large) {
    const int whole = min(m, rows_within(count, lines, l, lanes));
    store_columns(to, lines, whole, lanes, r, i, large);
    for (int k = whole; k < m && lines * k + l < count; k++)
        for (int e = 0; e < lanes && lines * k + l + e < count; e++) {
            const size_t at = (size_t)lines * k + e;
            to[2 * at] = ((const T *)(r + k))[e], to[2 * at + 1] = ((const T *)(i + k))[e];
        }
}
#endif
#endif
