// step.cl: discrete Fourier transforms of m complex numbers, many side by side.
//
//     y[k] = turn[k, l / inner] * sum over j of before[j, l] * x[a, j, l] * exp(-2 pi i jk/m)   for a of batch, l of lines
//
// goes to [a, k, l], or turned to [a, l / inner, k, l % inner]. There is a factor turn if it is turned, or scaled after the sum, where it is
// turn[k, l]; and a factor before if it is scaled before the sum. Of rows [m, lines] that are scaled, x has the first from elements, and the
// others are 0, or y has the first to. A product of such steps is a transform of a longer row (Cooley and Tukey). Within a step, passes of radix
// 2, 3, 4, 5, 8 or an odd number go from one buffer to another so that the last has its elements in order (Stockham).
//
// entry   step_vectors   CPUs: an item has each blocks of LANES transforms, which are lanes of vectors
//         step_group     GPUs: a group has cols transforms in local memory
//         unpack, pack   from the transform of pairs of real numbers to half of the one of the numbers, and back
// macros  T  float or double    CPUs: V  a vector of LANES of them    GPUs: WG items of a group, ROOM numbers of a buffer
// operands  roots  exp(-2 pi i k/m), pairs    turns  real parts [m, lines / inner], then imaginary ones, each with PAD more
//         before, and turns of a step that is scaled after the sum: the same of [m, lines]
//         where there is one line, transforms of several rows of the batch are side by side
// args    radices  one in each byte, the first pass in the lowest    conjugate  transforms of the other sign
//         scaled  1: before the sum, 2: after it, 3: both    from, to  elements of a row of x and y, m * lines if it is not scaled
//         whole  an item has all lines of a, of which there are at least LANES    large  x and y are larger than caches
// files   passes.cl and lanes.cl come before this one, and rows.cl after it
// source  Van Loan, Computational Frameworks for the Fast Fourier Transform (1992), sections 1.7 and 2.1
#define OPERANDS global const T *restrict x, global const T *restrict roots, global const T *restrict turns, global const T *restrict before, \
    global T *restrict y, const int batch, const int m, const int lines, const int inner, const int turned, const ulong radices, \
    const int conjugate, const int scaled, const int from, const int to, const int blocks, const int each, const int whole, \
    const int large, const int cols
#define HALF_OPERANDS global const T *restrict x, global const T *restrict roots, global T *restrict y, \
    const int batch, const int h, const int conjugate, const int parts

#define SKEW 5 // vectors between buffers
#if defined LANES && !defined ROWS
kernel void step_vectors(OPERANDS) {
    V buffers[4][MOST + SKEW]; // as far from each other as do not share sets of a cache where the radix is a power of two
    const int first = get_global_id(0) * each, end = min(first + each, blocks);
    const int across = (lines + LANES - 1) / LANES, others = lines / inner;
    const int alike = lines == 1 ? LANES : 1; // lanes that are rows are scaled by the same numbers
    for (int b = first; b < end; b++) {
        V *r = buffers[0], *i = buffers[1], *tor = buffers[2], *toi = buffers[3];
        const int a = lines == 1 ? b * LANES : b / across;
        int l = lines == 1 ? 0 : b % across * LANES;
        if (whole && l + LANES > lines) // some once more
            l = lines - LANES;
        const int lanes = min(lines == 1 ? batch - a : lines - l, LANES);
        V *const inr = conjugate ? i : r, *const ini = conjugate ? r : i;
        global const T *const row = x + 2 * ((size_t)a * from + l);
        if (lines == 1)
            load_rows(row, from, min(m, from), lanes, inr, ini);
        else
            load_columns(row, lines, min(m, rows_within(from, lines, l, lanes)), lanes, inr, ini, large);
        if (scaled & 1) {
            load_rest(row, m, lines, l, lanes, from, inr, ini);
            turn(before, m, l, lanes, alike, lines, inr, ini);
        }
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
        V *const outr = conjugate ? i : r, *const outi = conjugate ? r : i;
        if (scaled & 2)
            turn(turns, m, l, lanes, alike, lines, outr, outi);
        if (lines == 1)
            store_rows(y + 2 * (size_t)a * to, to, min(m, to), lanes, outr, outi, large);
        else if (!turned)
            store_first(y + 2 * ((size_t)a * to + l), m, lines, l, lanes, to, outr, outi, large);
        else if (inner == 1)
            store_rows(y + 2 * ((size_t)a * lines + l) * m, m, m, lanes, outr, outi, large);
        else if (l / inner == (l + lanes - 1) / inner)
            store_columns(y + 2 * (((size_t)a * others + l / inner) * m * inner + l % inner), inner, m, lanes, outr, outi, large);
        else
            for (int k = 0; k < m; k++)
                for (int e = 0; e < lanes; e++) {
                    global T *const to = y + 2 * ((((size_t)a * others + (l + e) / inner) * m + k) * inner + (l + e) % inner);
                    to[0] = ((const T *)(outr + k))[e], to[1] = ((const T *)(outi + k))[e];
                }
    }
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
        join(to + 2 * k, (ar + br + (er * d + ei * c)) * (T)0.5, (ai - bi + (ei * d - er * c)) * (sign * (T)0.5), 0);
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
        join(to + 2 * k, ar + br + (er * d - ei * c), (ai - bi) * sign + (er * c + ei * d), 0);
    }
    for (; k < end; k++) {
        const T ar = z[2 * k], ai = z[2 * k + 1], br = z[2 * (h - k)], bi = z[2 * (h - k) + 1], c = roots[k], d = imaginary[k], er = ar - br, ei = (ai + bi) * sign;
        to[2 * k] = ar + br + (er * d - ei * c), to[2 * k + 1] = (ai - bi) * sign + (er * c + ei * d);
    }
}
#endif

#ifndef LANES
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void step_group(OPERANDS) {
    local T buffers[4 * ROOM];
    local T *r = buffers, *i = buffers + ROOM, *tor = buffers + 2 * ROOM, *toi = buffers + 3 * ROOM;
    const int id = get_local_id(0), b = get_group_id(0), across = (lines + cols - 1) / cols, others = lines / inner;
    const int a = lines == 1 ? b * cols : b / across, l = lines == 1 ? 0 : b % across * cols;
    const int lanes = min(lines == 1 ? batch - a : lines - l, cols), in_rows = lines == 1;
    for (int t = id; t < m * lanes; t += WG) {
        const int j = in_rows ? t % m : t / lanes, e = in_rows ? t / m : t % lanes, at = j * cols + e;
        const int of = in_rows ? j : j * lines + l + e;
        T vr = 0, vi = 0;
        if (of < from) {
            const size_t element = (size_t)(in_rows ? a + e : a) * from + of;
            vr = x[2 * element], vi = x[2 * element + 1];
        }
        if (scaled & 1 && of < from) {
            const T c = before[of], d = before[m * lines + PAD + of], was = vr;
            vr = was * c - vi * d, vi = was * d + vi * c;
        }
        (conjugate ? i : r)[at] = vr;
        (conjugate ? r : i)[at] = vi;
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
        T vr = (conjugate ? i : r)[at], vi = (conjugate ? r : i)[at];
        const int of = in_rows ? k : k * lines + line;
        size_t element = (size_t)(in_rows ? a + e : a) * to + of;
        if (turned) {
            const size_t root = (size_t)k * others + line / inner;
            const T c = turns[root], d = (conjugate ? -1 : 1) * turns[(size_t)m * others + PAD + root], was = vr;
            vr = was * c - vi * d, vi = was * d + vi * c;
            element = (((size_t)a * others + line / inner) * m + k) * inner + line % inner;
        }
        if (scaled & 2) {
            if (of >= to)
                continue;
            const T c = turns[of], d = turns[m * lines + PAD + of], was = vr;
            vr = was * c - vi * d, vi = was * d + vi * c;
        }
        y[2 * element] = vr;
        y[2 * element + 1] = vi;
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
