// rows.cl: rows that are transformed one by one, and on GPUs those that are longer than a step
//
// On CPUs lanes are every LANES-th element of a row, which are transformed side by side. Then LANES of the results at a time are
// transposed in registers, so that lanes are results, multiplied by roots, and transformed across the registers. What a row needs
// between its passes is twice as long as the row, where rows that are lanes need LANES times as much.
//
// On GPUs a group transforms a row [cols, m / cols] in the two steps of step.cl, of which the second one's results go where its operands
// were.
//
// macros  CPUs: ROWS, LANES  8 floats or 4 doubles    GPUs: LONG_ROWS
// args    those of step.cl. m is a power of two of at least LANES * LANES, lines and inner are 1, radices are 4 or 8, the last LANES
//         turns  CPUs: roots[jk] for j of 1 to LANES - 1 and LANES results k, in the order of lanes: real parts, imaginary ones, for each
//         j; then for the next k. The last k are those from m / LANES - LANES on
// note    names made by ## would keep launches of all kernels of the program from being divided among threads
// files   passes.cl, lanes.cl and step.cl come before this one
// source  Bailey, FFTs in External or Hierarchical Memory (1990)
#if defined LANES && defined ROWS
// A vector of chosen lanes of two, in one piece: some compilers load and insert by pairs what (V)(a.s02, b.s02...) names.
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef PICK
#define PICK(a, b, ...) shuffle2(a, b, (PICKED)(__VA_ARGS__))
#endif

// Halves of a register of 32 bytes keep what they have, so that one instruction parts pairs that adjoin, or joins them. So lanes are in the
// order 0, 1, 4, 5, 2, 3, 6, 7, or 0, 2, 1, 3.
#undef LOW
#undef HIGH
#if LANES == 8
#define PICKED uint8
#define HALF float4
#define LOW(r, i) PICK(r, i, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(r, i) PICK(r, i, 2, 10, 3, 11, 6, 14, 7, 15)
#define REAL(a, b) PICK(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
#define IMAGINARY(a, b) PICK(a, b, 1, 3, 9, 11, 5, 7, 13, 15)
#define LOWER(a, b) PICK(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGHER(a, b) PICK(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define PICKED ulong4
#define HALF double2
#define LOW(r, i) PICK(r, i, 0, 4, 2, 6)
#define HIGH(r, i) PICK(r, i, 1, 5, 3, 7)
#define REAL(a, b) LOW(a, b)
#define IMAGINARY(a, b) HIGH(a, b)
#endif

static void part(global const T *from, const T sign, V *r, V *i) {
    const V a = LOAD(0, from), b = LOAD(1, from);
    *r = REAL(a, b), *i = IMAGINARY(a, b) * sign;
}

#undef GET
#define GET(j, r, i) V r, i; part(of + 2 * LANES * apart * j, sign, &r, &i)
#define FIRST(R) \
    const int apart = n / (R), side = 1; \
    for (int p = 0; p < apart; p++) { \
        const int at = p * s; \
        global const T *const of = x + 2 * LANES * p; \
        V *const to = y + STEP * (R) * p;

static void first4(global const T *x, V *y, const int n, const int s, const T sign, global const T *w) {
    FIRST(4)
        FOUR;
        TURNS4;
    }
}

static void first8(global const T *x, V *y, const int n, const int s, const T sign, global const T *w) {
    HALF_ROOT2;
    FIRST(8)
        EIGHT;
        if (p == 0) {
            PUTS8;
        } else {
            TURNS8;
        }
    }
}

// Halves of numbers k and l, the lower or the higher of each.
#define HALVES(k, l) (V)(((const HALF *)(of + STEP * (k)))[half_of], ((const HALF *)(of + STEP * (l)))[half_of])
#if LANES == 8
static void transposed(const V *of, const int half_of, V *t0, V *t1, V *t2, V *t3) {
    const V a = HALVES(0, 2), b = HALVES(1, 3), c = HALVES(4, 6), d = HALVES(5, 7);
    const V e = LOW(a, b), f = HIGH(a, b), g = LOW(c, d), h = HIGH(c, d);
    *t0 = LOWER(e, g), *t1 = HIGHER(e, g), *t2 = LOWER(f, h), *t3 = HIGHER(f, h);
}
#define TRANSPOSED \
    V r0, r1, r2, r3, r4, r5, r6, r7, i0, i1, i2, i3, i4, i5, i6, i7; \
    transposed(of, 0, &r0, &r1, &r4, &r5); \
    transposed(of, 1, &r2, &r3, &r6, &r7); \
    transposed(of + 1, 0, &i0, &i1, &i4, &i5); \
    transposed(of + 1, 1, &i2, &i3, &i6, &i7)
#else
static void transposed(const V *of, const int half_of, V *t0, V *t1) {
    const V a = HALVES(0, 1), b = HALVES(2, 3);
    *t0 = LOW(a, b), *t1 = HIGH(a, b);
}
#define TRANSPOSED \
    V r0, r1, r2, r3, i0, i1, i2, i3; \
    transposed(of, 0, &r0, &r2); \
    transposed(of, 1, &r1, &r3); \
    transposed(of + 1, 0, &i0, &i2); \
    transposed(of + 1, 1, &i1, &i3)
#endif

#undef GET
#define GET(j, r, i)
#undef PUT
#define PUT(k, r, i) { \
    const V re = r, im = (i) * sign; \
    KEEP(LOW(re, im), to + 2 * n * k); \
    KEEP(HIGH(re, im), to + 2 * n * k + LANES); \
}
#define ROOT(k, r, i) { \
    const V c = LOAD(2 * k - 2, w), d = LOAD(2 * k - 1, w), was = r; \
    r = was * c - i * d, i = was * d + i * c; \
}
#if LANES == 8
#define ACROSS \
    HALF_ROOT2; \
    TRANSPOSED; \
    ROOT(1, r1, i1) \
    ROOT(2, r2, i2) \
    ROOT(3, r3, i3) \
    ROOT(4, r4, i4) \
    ROOT(5, r5, i5) \
    ROOT(6, r6, i6) \
    ROOT(7, r7, i7) \
    EIGHT; \
    PUTS8
#else
#define ACROSS \
    TRANSPOSED; \
    ROOT(1, r1, i1) \
    ROOT(2, r2, i2) \
    ROOT(3, r3, i3) \
    FOUR; \
    PUTS4
#endif
#define LAST \
    for (int k = 0; k < n; k += LANES) { \
        const int from = min(k, n - LANES); \
        global const T *const w = turns + 2 * (LANES - 1) * k; \
        global T *const to = y + 2 * from; \
        const V *const of = x + STEP * from; \
        ACROSS; \
    }

// Two functions: of calls of one with a constant, compilers make one call again.
static void last(const V *x, global T *y, const int n, const T sign, global const T *turns) {
#define KEEP(v, to) STORE(v, 0, to)
    LAST
#undef KEEP
}

static void last_past(const V *x, global T *y, const int n, const T sign, global const T *turns) {
#define KEEP(v, to) STORE_PAST((v), to)
    LAST
#undef KEEP
}

static void transform_row(global const T *x, global T *y, const int m, const ulong radices, const T sign, const int past,
    global const T *roots, global const T *turns, V *b, V *to) {
    const int first = radices & 255;
    int n = m / LANES, s = first;
    if (first == 4)
        first4(x, b, n, LANES, sign, roots);
    else
        first8(x, b, n, LANES, sign, roots);
    n /= first;
    for (ulong rest = radices >> 8; rest >= 256; rest >>= 8) {
        const int radix = rest & 255;
        if (radix == 4)
            pass4(b, b, to, to, n, s * LANES, s, roots);
        else
            pass8(b, b, to, to, n, s * LANES, s, roots);
        V *const was = b;
        b = to, to = was;
        n /= radix, s *= radix;
    }
    if (past)
        last_past(b, y, m / LANES, sign, turns);
    else
        last(b, y, m / LANES, sign, turns);
}

kernel void step_vectors(OPERANDS) {
    V buffers[2 * (STEP * MOST / LANES + SKEW)]; // as far from each other as do not share sets of a cache
    const int past = large && in_lines(y, m / LANES), items = get_global_size(0), item = get_global_id(0);
    const int end = (long)batch * (item + 1) / items;
    for (int a = (long)batch * item / items; a < end; a++) {
        const size_t at = 2 * (size_t)a * m;
        transform_row(x + at, y + at, m, radices, conjugate ? -1 : 1, past, roots, turns, buffers, buffers + STEP * m / LANES + SKEW);
    }
}
#endif

#ifdef LONG_ROWS
static int next_radix(const int n) { return n % 8 == 0 && n != 16 ? 8 : n % 4 == 0 ? 4 : 2; }

// A step of row x, [m, lines], to y, which is turned, or else may be x. roots are those of the whole row.
static void group_step(global const T *x, global T *y, const int m, const int lines, const int turned, const int conjugate,
    global const T *roots, local T *buffers, const int id) {
    local T *r = buffers, *i = buffers + ROOM, *tor = buffers + 2 * ROOM, *toi = buffers + 3 * ROOM;
    const int cols = min(min(ROOM / m, 32), lines);
    for (int l = 0; l < lines; l += cols) {
        const int lanes = min(cols, lines - l);
        for (int t = id; t < m * cols; t += WG) {
            const int j = t / cols, e = t % cols, of = j * lines + l + e;
            (conjugate ? i : r)[t] = e < lanes ? x[2 * of] : 0;
            (conjugate ? r : i)[t] = e < lanes ? x[2 * of + 1] : 0;
        }
        for (int n = m, s = 1; n > 1;) {
            const int radix = next_radix(n);
            barrier(CLK_LOCAL_MEM_FENCE);
            pass(radix, r, i, tor, toi, n, s * lines, s * cols, roots, id);
            local T *const wasr = r, *const wasi = i;
            r = tor, i = toi, tor = wasr, toi = wasi;
            n /= radix, s *= radix;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int t = id; t < m * lanes; t += WG) {
            const int k = turned ? t % m : t / lanes, e = turned ? t / m : t % lanes, at = k * cols + e, line = l + e;
            T vr = (conjugate ? i : r)[at], vi = (conjugate ? r : i)[at];
            int element = k * lines + line;
            if (turned) {
                const T c = roots[2 * k * line], d = (conjugate ? -1 : 1) * roots[2 * k * line + 1], was = vr;
                vr = was * c - vi * d, vi = was * d + vi * c;
                element = line * m + k;
            }
            y[2 * element] = vr;
            y[2 * element + 1] = vi;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void row_group(OPERANDS) {
    local T buffers[4 * ROOM];
    const int id = get_local_id(0), others = m / cols;
    const size_t at = 2 * (size_t)get_group_id(0) * m;
    group_step(x + at, y + at, cols, others, 1, conjugate, roots, buffers, id);
    barrier(CLK_GLOBAL_MEM_FENCE);
    group_step(y + at, y + at, others, cols, 0, conjugate, roots, buffers, id);
}
#endif
