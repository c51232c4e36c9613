// step.cl: discrete Fourier transforms of m complex numbers, many side by side.
//
//     y[k] = turn[k, l / inner] * sum over j of x[a, j, l] * exp(-2 pi i jk/m)   for a of batch, l of lines
//
// goes to [a, k, l], or turned to [a, l / inner, k, l % inner]; only then there is a factor turn. A product of such steps is a transform
// of a longer row (Cooley and Tukey). Within a step, passes of radix 2, 3, 4, 5, 8 or an odd number go from one buffer to another so that the last has
// its elements in order (Stockham).
//
// entry   step_vectors   CPUs: an item has each blocks of LANES transforms, which are lanes of vectors
//         step_group     GPUs: a group has cols transforms in local memory
//         unpack, pack   from the transform of pairs of real numbers to half of the one of the numbers, and back
//         scale          rows times numbers of their own, cut or continued by zeros
// macros  T  float or double    CPUs: V  a vector of LANES of them    GPUs: WG items of a group, ROOM numbers of a buffer
// operands  roots  exp(-2 pi i k/m), pairs    turns  real parts [m, lines / inner], then imaginary ones, each with PAD more
//         where there is one line, transforms of several rows of the batch are side by side
// args    radices  one in each byte, the first pass in the lowest    conjugate  transforms of the other sign
//         whole  an item has all lines of a, of which there are at least LANES
// source  Van Loan, Computational Frameworks for the Fast Fourier Transform (1992), sections 1.7 and 2.1
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifdef LANES
#define MEM
#define EACH(R) for (int p = 0; p < n / (R); p++) for (int q = 0; q < side; q++)
#define ITEM
#define ITEM_ARG
#else
#define V T
#define MEM local
#define EACH(R) for (int t = id, p = t / side, q = t % side; t < n / (R) * side; t += WG, p = t / side, q = t % side)
#define ITEM , const int id
#define ITEM_ARG , id
#endif

// Variables have names and no loops go over them, so that every compiler has them in registers.
static void two(V *r0, V *i0, V *r1, V *i1) {
    const V r = *r0 - *r1, i = *i0 - *i1;
    *r0 += *r1, *i0 += *i1;
    *r1 = r, *i1 = i;
}

static void three(V *r0, V *i0, V *r1, V *i1, V *r2, V *i2) {
    const T half_root3 = (T)0.86602540378443864676;
    const V tr = *r1 + *r2, ti = *i1 + *i2, mr = *r0 - tr * (T)0.5, mi = *i0 - ti * (T)0.5;
    const V dr = (*r1 - *r2) * half_root3, di = (*i1 - *i2) * half_root3;
    *r0 += tr, *i0 += ti;
    *r1 = mr + di, *i1 = mi - dr;
    *r2 = mr - di, *i2 = mi + dr;
}

static void four(V *r0, V *i0, V *r1, V *i1, V *r2, V *i2, V *r3, V *i3) {
    const V ar = *r0 + *r2, ai = *i0 + *i2, br = *r0 - *r2, bi = *i0 - *i2;
    const V cr = *r1 + *r3, ci = *i1 + *i3, dr = *r1 - *r3, di = *i1 - *i3;
    *r0 = ar + cr, *i0 = ai + ci;
    *r1 = br + di, *i1 = bi - dr;
    *r2 = ar - cr, *i2 = ai - ci;
    *r3 = br - di, *i3 = bi + dr;
}

// A pass takes transforms of n numbers that lie side numbers apart to radix transforms of n / radix, as s of each there are already.
#define BUFFERS const MEM V *xr, const MEM V *xi, MEM V *yr, MEM V *yi, const int n, const int s, const int side, global const T *w ITEM
#define GET(j, r, i) V r = xr[from + apart * j], i = xi[from + apart * j]
#define PUT(k, r, i) tor[side * k] = r, toi[side * k] = i
#define TURN(k, r, i) tor[side * k] = r * w[2 * k * at] - i * w[2 * k * at + 1], toi[side * k] = r * w[2 * k * at + 1] + i * w[2 * k * at]
#define PLACES(R) \
    const int from = q + side * p, apart = side * (n / R), at = p * s; \
    MEM V *tor = yr + q + side * R * p, *toi = yi + q + side * R * p

static void pass2(BUFFERS) {
    EACH(2) {
        PLACES(2);
        GET(0, r0, i0);
        GET(1, r1, i1);
        two(&r0, &i0, &r1, &i1);
        PUT(0, r0, i0);
        TURN(1, r1, i1);
    }
}

static void pass3(BUFFERS) {
    EACH(3) {
        PLACES(3);
        GET(0, r0, i0);
        GET(1, r1, i1);
        GET(2, r2, i2);
        three(&r0, &i0, &r1, &i1, &r2, &i2);
        PUT(0, r0, i0);
        TURN(1, r1, i1);
        TURN(2, r2, i2);
    }
}

static void pass4(BUFFERS) {
    EACH(4) {
        PLACES(4);
        GET(0, r0, i0);
        GET(1, r1, i1);
        GET(2, r2, i2);
        GET(3, r3, i3);
        four(&r0, &i0, &r1, &i1, &r2, &i2, &r3, &i3);
        PUT(0, r0, i0);
        if (p == 0) {
            PUT(1, r1, i1);
            PUT(2, r2, i2);
            PUT(3, r3, i3);
        } else {
            TURN(1, r1, i1);
            TURN(2, r2, i2);
            TURN(3, r3, i3);
        }
    }
}

static void pass5(BUFFERS) {
    const T c1 = (T)0.30901699437494742410, c2 = (T)-0.80901699437494742410, s1 = (T)0.95105651629515357212, s2 = (T)0.58778525229247312917;
    EACH(5) {
        PLACES(5);
        GET(0, r0, i0);
        GET(1, r1, i1);
        GET(2, r2, i2);
        GET(3, r3, i3);
        GET(4, r4, i4);
        const V ar = r1 + r4, ai = i1 + i4, br = r2 + r3, bi = i2 + i3;
        const V cr = r1 - r4, ci = i1 - i4, dr = r2 - r3, di = i2 - i3;
        const V mr = r0 + ar * c1 + br * c2, mi = i0 + ai * c1 + bi * c2, nr = r0 + ar * c2 + br * c1, ni = i0 + ai * c2 + bi * c1;
        const V er = cr * s1 + dr * s2, ei = ci * s1 + di * s2, fr = cr * s2 - dr * s1, fi = ci * s2 - di * s1;
        PUT(0, r0 + ar + br, i0 + ai + bi);
        r1 = mr + ei, i1 = mi - er;
        r2 = nr + fi, i2 = ni - fr;
        r3 = nr - fi, i3 = ni + fr;
        r4 = mr - ei, i4 = mi + er;
        TURN(1, r1, i1);
        TURN(2, r2, i2);
        TURN(3, r3, i3);
        TURN(4, r4, i4);
    }
}

static void pass8(BUFFERS) {
    const T h = (T)0.70710678118654752440;
    EACH(8) {
        PLACES(8);
        GET(0, r0, i0);
        GET(4, r4, i4);
        GET(2, r2, i2);
        GET(6, r6, i6);
        four(&r0, &i0, &r2, &i2, &r4, &i4, &r6, &i6);
        GET(1, r1, i1);
        GET(5, r5, i5);
        GET(3, r3, i3);
        GET(7, r7, i7);
        four(&r1, &i1, &r3, &i3, &r5, &i5, &r7, &i7);
        const V ar = (r3 + i3) * h, ai = (i3 - r3) * h, br = i5, bi = -r5, cr = (i7 - r7) * h, ci = (r7 + i7) * -h;
        const V e1r = r2 + ar, e1i = i2 + ai, e5r = r2 - ar, e5i = i2 - ai, e2r = r4 + br, e2i = i4 + bi, e6r = r4 - br, e6i = i4 - bi;
        const V e3r = r6 + cr, e3i = i6 + ci, e7r = r6 - cr, e7i = i6 - ci, e4r = r0 - r1, e4i = i0 - i1;
        PUT(0, r0 + r1, i0 + i1);
        if (p == 0) {
            PUT(1, e1r, e1i);
            PUT(2, e2r, e2i);
            PUT(3, e3r, e3i);
            PUT(4, e4r, e4i);
            PUT(5, e5r, e5i);
            PUT(6, e6r, e6i);
            PUT(7, e7r, e7i);
        } else {
            TURN(1, e1r, e1i);
            TURN(2, e2r, e2i);
            TURN(3, e3r, e3i);
            TURN(4, e4r, e4i);
            TURN(5, e5r, e5i);
            TURN(6, e6r, e6i);
            TURN(7, e7r, e7i);
        }
    }
}

// Of an odd radix, elements j and radix - j are taken together, and so are the results.
#define ODD_MOST 127
static inline void odd(const int radix, BUFFERS) {
    V tr[ODD_MOST / 2], ti[ODD_MOST / 2], ur[ODD_MOST / 2], ui[ODD_MOST / 2];
    const int h = radix / 2, apart = side * (n / radix), step = n * s / radix;
    EACH(radix) {
        const MEM V *fromr = xr + q + side * p, *fromi = xi + q + side * p;
        const V zr = fromr[0], zi = fromi[0];
        V sr = zr, si = zi;
        for (int j = 1; j <= h; j++) {
            const V ar = fromr[apart * j], ai = fromi[apart * j], br = fromr[apart * (radix - j)], bi = fromi[apart * (radix - j)];
            sr += tr[j - 1] = ar + br, si += ti[j - 1] = ai + bi;
            ur[j - 1] = ar - br, ui[j - 1] = ai - bi;
        }
        MEM V *tor = yr + q + side * radix * p, *toi = yi + q + side * radix * p;
        tor[0] = sr, toi[0] = si;
        for (int k = 1; k <= h; k++) {
            V mr = zr, mi = zi, nr = 0, ni = 0;
            for (int j = 1, at = k; j <= h; j++, at += at + k >= radix ? k - radix : k) {
                const T c = w[2 * at * step], d = w[2 * at * step + 1];
                mr += tr[j - 1] * c, mi += ti[j - 1] * c;
                nr += ur[j - 1] * d, ni += ui[j - 1] * d;
            }
            const V ar = mr - ni, ai = mi + nr, br = mr + ni, bi = mi - nr;
            const int a = p * k * s, b = p * (radix - k) * s;
            tor[side * k] = ar * w[2 * a] - ai * w[2 * a + 1], toi[side * k] = ar * w[2 * a + 1] + ai * w[2 * a];
            tor[side * (radix - k)] = br * w[2 * b] - bi * w[2 * b + 1], toi[side * (radix - k)] = br * w[2 * b + 1] + bi * w[2 * b];
        }
    }
}

static void pass(const int radix, BUFFERS) {
    switch (radix) {
    case 2: pass2(xr, xi, yr, yi, n, s, side, w ITEM_ARG); break;
    case 3: pass3(xr, xi, yr, yi, n, s, side, w ITEM_ARG); break;
    case 4: pass4(xr, xi, yr, yi, n, s, side, w ITEM_ARG); break;
    case 5: pass5(xr, xi, yr, yi, n, s, side, w ITEM_ARG); break;
    case 8: pass8(xr, xi, yr, yi, n, s, side, w ITEM_ARG); break;
#ifdef LANES // registers for each
    case 7: odd(7, xr, xi, yr, yi, n, s, side, w); break;
    case 11: odd(11, xr, xi, yr, yi, n, s, side, w); break;
    case 13: odd(13, xr, xi, yr, yi, n, s, side, w); break;
#endif
    default: odd(radix, xr, xi, yr, yi, n, s, side, w ITEM_ARG);
    }
}

#define OPERANDS global const T *restrict x, global const T *restrict roots, global const T *restrict turns, global T *restrict y, \
    const int batch, const int m, const int lines, const int inner, const int turned, const ulong radices, const int conjugate, \
    const int blocks, const int each, const int whole, const int cols
#define SCALE_OPERANDS global const T *restrict x, global const T *restrict roots, global T *restrict y, \
    const int count, const int from, const int to, const int parts
#define HALF_OPERANDS global const T *restrict x, global const T *restrict roots, global T *restrict y, \
    const int batch, const int h, const int conjugate, const int parts

#ifdef LANES
#if LANES == 16
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

// Pairs that adjoin become real parts and imaginary ones.
static void split(global const T *from, V *r, V *i) {
    const V a = LOAD(0, from), b = LOAD(1, from);
    *r = (V)(a.even, b.even), *i = (V)(a.odd, b.odd);
}

static void join(global T *to, const V r, const V i) {
    STORE(LOW(r, i), 0, to);
    STORE(HIGH(r, i), 1, to);
}

static void load_columns(global const T *from, const size_t stride, const int m, const int lanes, V *r, V *i) {
    if (lanes == LANES) {
        for (int j = 0; j < m; j++)
            split(from + 2 * stride * j, r + j, i + j);
        return;
    }
    for (int j = 0; j < m; j++) {
        r[j] = 0, i[j] = 0;
        for (int l = 0; l < lanes; l++)
            ((T *)(r + j))[l] = from[2 * (stride * j + l)], ((T *)(i + j))[l] = from[2 * (stride * j + l) + 1];
    }
}

static void store_columns(global T *to, const size_t stride, const int m, const int lanes, const V *r, const V *i) {
    if (lanes == LANES) {
        for (int k = 0; k < m; k++)
            join(to + 2 * stride * k, r[k], i[k]);
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

// Eight pairs of each of 16 rows, m pairs apart.
#define ROW(l) as_ulong8(LOAD(0, from + 2 * (size_t)(l) * m))
static void load_tile(global const T *from, const int m, V *r, V *i) {
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
#define STORE_ROW(l, a) STORE(as_float16(a), 0, to + 2 * (size_t)(l) * m)
static void store_tile(global T *to, const int m, const V *r, const V *i) {
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
// Four pairs of each of 8 rows, m pairs apart.
#define ROW(l) LOAD(0, from + 2 * (size_t)(l) * m)
#define COLUMN(k, PAIR) { \
    const V lo = (V)(a0.PAIR, a1.PAIR, a2.PAIR, a3.PAIR), hi = (V)(a4.PAIR, a5.PAIR, a6.PAIR, a7.PAIR); \
    r[k] = (V)(lo.even, hi.even), i[k] = (V)(lo.odd, hi.odd); \
}
static void load_tile(global const T *from, const int m, V *r, V *i) {
    const V a0 = ROW(0), a1 = ROW(1), a2 = ROW(2), a3 = ROW(3), a4 = ROW(4), a5 = ROW(5), a6 = ROW(6), a7 = ROW(7);
    COLUMN(0, s01)
    COLUMN(1, s23)
    COLUMN(2, s45)
    COLUMN(3, s67)
}

static void store_tile(global T *to, const int m, const V *r, const V *i) {
    const V r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3], i0 = i[0], i1 = i[1], i2 = i[2], i3 = i[3];
    const V a0 = LOW(r0, i0), a1 = LOW(r1, i1), a2 = LOW(r2, i2), a3 = LOW(r3, i3);
    const V b0 = HIGH(r0, i0), b1 = HIGH(r1, i1), b2 = HIGH(r2, i2), b3 = HIGH(r3, i3);
    STORE((V)(a0.s01, a1.s01, a2.s01, a3.s01), 0, to);
    STORE((V)(a0.s23, a1.s23, a2.s23, a3.s23), 0, to + 2 * (size_t)m);
    STORE((V)(a0.s45, a1.s45, a2.s45, a3.s45), 0, to + 4 * (size_t)m);
    STORE((V)(a0.s67, a1.s67, a2.s67, a3.s67), 0, to + 6 * (size_t)m);
    STORE((V)(b0.s01, b1.s01, b2.s01, b3.s01), 0, to + 8 * (size_t)m);
    STORE((V)(b0.s23, b1.s23, b2.s23, b3.s23), 0, to + 10 * (size_t)m);
    STORE((V)(b0.s45, b1.s45, b2.s45, b3.s45), 0, to + 12 * (size_t)m);
    STORE((V)(b0.s67, b1.s67, b2.s67, b3.s67), 0, to + 14 * (size_t)m);
}
#endif
#define TILE (LANES / 2) // pairs of a tile's rows

// Lanes are rows of m pairs.
static void load_rows(global const T *from, const int m, const int lanes, V *r, V *i) {
    int j = 0;
    for (; lanes == LANES && j + TILE <= m; j += TILE)
        load_tile(from + 2 * j, m, r + j, i + j);
    for (; j < m; j++) {
        r[j] = 0, i[j] = 0;
        for (int l = 0; l < lanes; l++)
            ((T *)(r + j))[l] = from[2 * ((size_t)l * m + j)], ((T *)(i + j))[l] = from[2 * ((size_t)l * m + j) + 1];
    }
}

static void store_rows(global T *to, const int m, const int lanes, const V *r, const V *i) {
    int k = 0;
    for (; lanes == LANES && k + TILE <= m; k += TILE)
        store_tile(to + 2 * k, m, r + k, i + k);
    for (; k < m; k++)
        for (int l = 0; l < lanes; l++)
            to[2 * ((size_t)l * m + k)] = ((const T *)(r + k))[l], to[2 * ((size_t)l * m + k) + 1] = ((const T *)(i + k))[l];
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

kernel void step_vectors(OPERANDS) {
    V buffers[4][MOST];
    const int first = get_global_id(0) * each, end = min(first + each, blocks);
    const int across = (lines + LANES - 1) / LANES, others = lines / inner;
    for (int b = first; b < end; b++) {
        V *r = buffers[0], *i = buffers[1], *tor = buffers[2], *toi = buffers[3];
        const int a = lines == 1 ? b * LANES : b / across;
        int l = lines == 1 ? 0 : b % across * LANES;
        if (whole && l + LANES > lines) // some once more
            l = lines - LANES;
        const int lanes = min(lines == 1 ? batch - a : lines - l, LANES);
        if (lines == 1)
            load_rows(x + 2 * (size_t)a * m, m, lanes, conjugate ? i : r, conjugate ? r : i);
        else
            load_columns(x + 2 * ((size_t)a * m * lines + l), lines, m, lanes, conjugate ? i : r, conjugate ? r : i);
        int n = m, s = 1;
        for (ulong rest = radices; rest != 0; rest >>= 8) {
            const int radix = rest & 255;
            pass(radix, r, i, tor, toi, n, s, s, roots);
            V *const wasr = r, *const wasi = i;
            r = tor, i = toi, tor = wasr, toi = wasi;
            n /= radix, s *= radix;
        }
        if (turned)
            turn(turns, m, l, lanes, inner, others, r, i);
        const V *const outr = conjugate ? i : r, *const outi = conjugate ? r : i;
        if (lines == 1)
            store_rows(y + 2 * (size_t)a * m, m, lanes, outr, outi);
        else if (!turned)
            store_columns(y + 2 * ((size_t)a * m * lines + l), lines, m, lanes, outr, outi);
        else if (inner == 1)
            store_rows(y + 2 * ((size_t)a * lines + l) * m, m, lanes, outr, outi);
        else if (l / inner == (l + lanes - 1) / inner)
            store_columns(y + 2 * (((size_t)a * others + l / inner) * m * inner + l % inner), inner, m, lanes, outr, outi);
        else
            for (int k = 0; k < m; k++)
                for (int e = 0; e < lanes; e++) {
                    global T *const to = y + 2 * ((((size_t)a * others + (l + e) / inner) * m + k) * inner + (l + e) % inner);
                    to[0] = ((const T *)(outr + k))[e], to[1] = ((const T *)(outi + k))[e];
                }
    }
}

// y[a, k] = x[a, k] * roots[k] for k < count, else 0; rows of x have from pairs, and those of y have to.
kernel void scale(SCALE_OPERANDS) {
    const int a = get_global_id(1), part = get_global_id(0), first = (long)to * part / parts, end = (long)to * (part + 1) / parts;
    global const T *const imaginary = roots + count + PAD;
    global const T *const z = x + 2 * (size_t)a * from;
    global T *const row = y + 2 * (size_t)a * to;
    int k = first;
    for (; k + LANES <= min(end, count); k += LANES) {
        V r, i;
        split(z + 2 * k, &r, &i);
        const V c = LOAD(0, roots + k), d = LOAD(0, imaginary + k);
        join(row + 2 * k, r * c - i * d, r * d + i * c);
    }
    for (; k < min(end, count); k++) {
        const T r = z[2 * k], i = z[2 * k + 1], c = roots[k], d = imaginary[k];
        row[2 * k] = r * c - i * d, row[2 * k + 1] = r * d + i * c;
    }
    for (; k < end; k++)
        row[2 * k] = 0, row[2 * k + 1] = 0;
}

// With Z[h] = Z[0]: X[k] = (Z[k] + conj Z[h-k])/2 - i/2 root[k] (Z[k] - conj Z[h-k]).
kernel void unpack(HALF_OPERANDS) {
    const int a = get_global_id(1), part = get_global_id(0), end = 1 + (long)(h - 1) * (part + 1) / parts;
    const T sign = conjugate ? -1 : 1;
    global const T *const imaginary = roots + h + 1;
    global const T *const z = x + 2 * (size_t)a * h;
    global T *const to = y + 2 * (size_t)a * (h + 1);
    if (part == 0) {
        to[0] = z[0] + z[1], to[1] = 0;
        to[2 * h] = z[0] - z[1], to[2 * h + 1] = 0;
    }
    int k = 1 + (long)(h - 1) * part / parts;
    for (; k + LANES <= end; k += LANES) {
        V ar, ai, br, bi;
        split(z + 2 * k, &ar, &ai);
        split(z + 2 * (h - k - LANES + 1), &br, &bi);
        br = BACKWARD(br), bi = BACKWARD(bi);
        const V c = LOAD(0, roots + k), d = LOAD(0, imaginary + k), er = ar - br, ei = ai + bi;
        join(to + 2 * k, (ar + br + (er * d + ei * c)) * (T)0.5, (ai - bi + (ei * d - er * c)) * (sign * (T)0.5));
    }
    for (; k < end; k++) {
        const T ar = z[2 * k], ai = z[2 * k + 1], br = z[2 * (h - k)], bi = z[2 * (h - k) + 1], c = roots[k], d = imaginary[k], er = ar - br, ei = ai + bi;
        to[2 * k] = (ar + br + (er * d + ei * c)) * (T)0.5, to[2 * k + 1] = (ai - bi + (ei * d - er * c)) * (sign * (T)0.5);
    }
}

// Z[k] = X[k] + conj X[h-k] + i conj root[k] (X[k] - conj X[h-k]), of the conjugate of X where the sign of the transform is the other.
kernel void pack(HALF_OPERANDS) {
    const int a = get_global_id(1), part = get_global_id(0), end = 1 + (long)(h - 1) * (part + 1) / parts;
    const T sign = conjugate ? 1 : -1;
    global const T *const imaginary = roots + h + 1;
    global const T *const z = x + 2 * (size_t)a * (h + 1);
    global T *const to = y + 2 * (size_t)a * h;
    if (part == 0)
        to[0] = z[0] + z[2 * h], to[1] = z[0] - z[2 * h];
    int k = 1 + (long)(h - 1) * part / parts;
    for (; k + LANES <= end; k += LANES) {
        V ar, ai, br, bi;
        split(z + 2 * k, &ar, &ai);
        split(z + 2 * (h - k - LANES + 1), &br, &bi);
        br = BACKWARD(br), bi = BACKWARD(bi);
        const V c = LOAD(0, roots + k), d = LOAD(0, imaginary + k), er = ar - br, ei = (ai + bi) * sign;
        join(to + 2 * k, ar + br + (er * d - ei * c), (ai - bi) * sign + (er * c + ei * d));
    }
    for (; k < end; k++) {
        const T ar = z[2 * k], ai = z[2 * k + 1], br = z[2 * (h - k)], bi = z[2 * (h - k) + 1], c = roots[k], d = imaginary[k], er = ar - br, ei = (ai + bi) * sign;
        to[2 * k] = ar + br + (er * d - ei * c), to[2 * k + 1] = (ai - bi) * sign + (er * c + ei * d);
    }
}
#endif

#ifndef LANES
kernel void scale(SCALE_OPERANDS) {
    const int k = get_global_id(0), a = get_global_id(1);
    T r = 0, i = 0;
    if (k < count) {
        const size_t at = 2 * ((size_t)a * from + k);
        const T c = roots[k], d = roots[count + PAD + k];
        r = x[at] * c - x[at + 1] * d, i = x[at] * d + x[at + 1] * c;
    }
    y[2 * ((size_t)a * to + k)] = r, y[2 * ((size_t)a * to + k) + 1] = i;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void step_group(OPERANDS) {
    local T buffers[4 * ROOM];
    local T *r = buffers, *i = buffers + ROOM, *tor = buffers + 2 * ROOM, *toi = buffers + 3 * ROOM;
    const int id = get_local_id(0), b = get_group_id(0), across = (lines + cols - 1) / cols, others = lines / inner;
    const int a = lines == 1 ? b * cols : b / across, l = lines == 1 ? 0 : b % across * cols;
    const int lanes = min(lines == 1 ? batch - a : lines - l, cols), in_rows = lines == 1;
    for (int t = id; t < m * lanes; t += WG) {
        const int j = in_rows ? t % m : t / lanes, e = in_rows ? t / m : t % lanes, at = j * cols + e;
        const size_t from = in_rows ? (size_t)(a + e) * m + j : ((size_t)a * m + j) * lines + l + e;
        (conjugate ? i : r)[at] = x[2 * from];
        (conjugate ? r : i)[at] = x[2 * from + 1];
    }
    for (int t = id; t < m * (cols - lanes); t += WG)
        r[t / (cols - lanes) * cols + lanes + t % (cols - lanes)] = i[t / (cols - lanes) * cols + lanes + t % (cols - lanes)] = 0;
    int n = m, s = 1;
    for (ulong rest = radices; rest != 0; rest >>= 8) {
        const int radix = rest & 255;
        barrier(CLK_LOCAL_MEM_FENCE);
        pass(radix, r, i, tor, toi, n, s, s * cols, roots, id);
        local T *const wasr = r, *const wasi = i;
        r = tor, i = toi, tor = wasr, toi = wasi;
        n /= radix, s *= radix;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int by_rows = in_rows || turned && inner == 1;
    for (int t = id; t < m * lanes; t += WG) {
        const int k = by_rows ? t % m : t / lanes, e = by_rows ? t / m : t % lanes, at = k * cols + e, line = l + e;
        T vr = r[at], vi = i[at];
        size_t to = in_rows ? (size_t)(a + e) * m + k : ((size_t)a * m + k) * lines + line;
        if (turned) {
            const size_t of = (size_t)k * others + line / inner;
            const T c = turns[of], d = turns[(size_t)m * others + PAD + of], was = vr;
            vr = was * c - vi * d, vi = was * d + vi * c;
            to = (((size_t)a * others + line / inner) * m + k) * inner + line % inner;
        }
        y[2 * to] = conjugate ? vi : vr;
        y[2 * to + 1] = conjugate ? vr : vi;
    }
}

kernel void unpack(HALF_OPERANDS) {
    const int k = get_global_id(0), a = get_global_id(1), other = k == 0 ? 0 : h - k;
    global const T *const z = x + 2 * (size_t)a * h;
    const int own = k == h ? 0 : k;
    const T ar = z[2 * own], ai = z[2 * own + 1], br = z[2 * other], bi = z[2 * other + 1], c = roots[k], d = roots[h + 1 + k], er = ar - br, ei = ai + bi;
    global T *const to = y + 2 * ((size_t)a * (h + 1) + k);
    to[0] = (ar + br + (er * d + ei * c)) * (T)0.5;
    to[1] = k == 0 || k == h ? (T)0 : (ai - bi + (ei * d - er * c)) * (conjugate ? (T)-0.5 : (T)0.5);
}

kernel void pack(HALF_OPERANDS) {
    const int k = get_global_id(0), a = get_global_id(1), edge = k == 0;
    global const T *const z = x + 2 * (size_t)a * (h + 1);
    const T sign = edge ? (T)0 : conjugate ? (T)1 : (T)-1;
    const T ar = z[2 * k], ai = z[2 * k + 1], br = z[2 * (h - k)], bi = z[2 * (h - k) + 1], c = roots[k], d = roots[h + 1 + k], er = ar - br;
    const T ei = edge ? (T)0 : (ai + bi) * sign;
    global T *const to = y + 2 * ((size_t)a * h + k);
    to[0] = ar + br + (er * d - ei * c);
    to[1] = (edge ? (T)0 : (ai - bi) * sign) + (er * c + ei * d);
}
#endif
