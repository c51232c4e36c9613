// passes.cl: passes of small radices, which transforms of step.cl are made of
//
// A pass takes transforms of n numbers that lie side apart to radix transforms of n / radix, of which s of each are there already, and multiplies
// them by roots of unity. On CPUs numbers are vectors, whose lanes are different transforms; on GPUs the items of a group share a pass.
//
// macros  T  float or double    CPUs: LANES numbers of V, a vector    GPUs: WG items of a group
//         ROWS  CPUs: lanes are parts of a row, see rows.cl    SIDE_BY_SIDE  but different rows where vectors of 16 floats have registers
// source  Van Loan, Computational Frameworks for the Fast Fourier Transform (1992), sections 1.7 and 2.1
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#if defined ROWS && defined SIDE_BY_SIDE && defined __AVX512F__
#undef ROWS
#undef LANES
#undef V
#define LANES 16
#define V float16
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

#define BUFFERS const MEM V *xr, const MEM V *xi, MEM V *yr, MEM V *yi, const int n, const int s, const int side, global const T *w ITEM
#ifdef ROWS // imaginary parts lie beside real ones, at the same address with a displacement
#define STEP 2
#define PLACES(R) \
    const int apart = side * (n / R), at = p * s; \
    const V *const of = xr + STEP * (q + side * p); \
    V *const to = yr + STEP * (q + side * R * p)
#define GET(j, r, i) V r = of[STEP * apart * j], i = of[STEP * apart * j + 1]
#define PUT(k, r, i) to[STEP * side * k] = r, to[STEP * side * k + 1] = i
#define TURN(k, r, i) { \
    const T c = w[2 * k * at], d = w[2 * k * at + 1]; \
    const V turned_r = r * c - i * d, turned_i = r * d + i * c; \
    PUT(k, turned_r, turned_i); \
}
#else
#define PLACES(R) \
    const int from = q + side * p, apart = side * (n / R), at = p * s; \
    MEM V *tor = yr + q + side * R * p, *toi = yi + q + side * R * p
#define GET(j, r, i) V r = xr[from + apart * j], i = xi[from + apart * j]
#define PUT(k, r, i) tor[side * k] = r, toi[side * k] = i
#define TURN(k, r, i) tor[side * k] = r * w[2 * k * at] - i * w[2 * k * at + 1], toi[side * k] = r * w[2 * k * at + 1] + i * w[2 * k * at]
#endif

#ifndef ROWS
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
#endif

// What a pass does between GET and PUT, for those that get numbers from elsewhere too.
#define FOUR \
    GET(0, r0, i0); \
    GET(1, r1, i1); \
    GET(2, r2, i2); \
    GET(3, r3, i3); \
    four(&r0, &i0, &r1, &i1, &r2, &i2, &r3, &i3); \
    PUT(0, r0, i0)
#define PUTS4 \
    PUT(1, r1, i1); \
    PUT(2, r2, i2); \
    PUT(3, r3, i3)
#define TURNS4 \
    TURN(1, r1, i1); \
    TURN(2, r2, i2); \
    TURN(3, r3, i3)

static void pass4(BUFFERS) {
    EACH(4) {
        PLACES(4);
        FOUR;
        if (p == 0) {
            PUTS4;
        } else {
            TURNS4;
        }
    }
}

#ifndef ROWS
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
#endif

#define HALF_ROOT2 const T h = (T)0.70710678118654752440
#define EIGHT \
    GET(0, r0, i0); \
    GET(4, r4, i4); \
    GET(2, r2, i2); \
    GET(6, r6, i6); \
    four(&r0, &i0, &r2, &i2, &r4, &i4, &r6, &i6); \
    GET(1, r1, i1); \
    GET(5, r5, i5); \
    GET(3, r3, i3); \
    GET(7, r7, i7); \
    four(&r1, &i1, &r3, &i3, &r5, &i5, &r7, &i7); \
    const V ar = (r3 + i3) * h, ai = (i3 - r3) * h, br = i5, bi = -r5, cr = (i7 - r7) * h, ci = (r7 + i7) * -h; \
    const V e1r = r2 + ar, e1i = i2 + ai, e5r = r2 - ar, e5i = i2 - ai, e2r = r4 + br, e2i = i4 + bi, e6r = r4 - br, e6i = i4 - bi; \
    const V e3r = r6 + cr, e3i = i6 + ci, e7r = r6 - cr, e7i = i6 - ci, e4r = r0 - r1, e4i = i0 - i1; \
    PUT(0, r0 + r1, i0 + i1)
#define PUTS8 \
    PUT(1, e1r, e1i); \
    PUT(2, e2r, e2i); \
    PUT(3, e3r, e3i); \
    PUT(4, e4r, e4i); \
    PUT(5, e5r, e5i); \
    PUT(6, e6r, e6i); \
    PUT(7, e7r, e7i)
#define TURNS8 \
    TURN(1, e1r, e1i); \
    TURN(2, e2r, e2i); \
    TURN(3, e3r, e3i); \
    TURN(4, e4r, e4i); \
    TURN(5, e5r, e5i); \
    TURN(6, e6r, e6i); \
    TURN(7, e7r, e7i)

static void pass8(BUFFERS) {
    HALF_ROOT2;
    EACH(8) {
        PLACES(8);
        EIGHT;
        if (p == 0) {
            PUTS8;
        } else {
            TURNS8;
        }
    }
}

#ifndef ROWS
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
#endif
