// layers.cl: a stencil applied STEPS times in one launch on CPUs, layer by layer of x.
//
//     x[s+1][i, j, k] = sum over a, b, c of weights[a, b, c] x[s][i + a - B0, j + b - B1, k + c - B2]      y = x[STEPS]
//
// A layer is [n1, n2], or what a tile has of it with the halo that its results depend on. With each layer of x that is loaded, every step goes on by
// one layer, B0 behind the one before it, so that of each step the last 2 B0 + 1 layers are kept: little enough for the nearest cache.
// Elements outside of x are made from those inside after each step, and layers outside are names of layers inside.
//
// operands  x, y  [batch, n0, n1, n2]
// macros  T  float or double, of which VALUE is one    STEPS  at least 1    LANES  of a vector, 4 or 8
//         S0, S1, S2  extents of a tile    E1, E2  of a layer in a buffer
//         B0, B1, B2, A0, A1, A2  neighbours before and after an element along each axis, the former as many as the latter or one more
//         WHOLE1, WHOLE2  1: a tile has the axis from end to end, with neighbours of one step around it
//         BORDER  what is outside of x: 0 VALUE, 1 the outermost element, 2 a mirror at the outermost element, 3 one behind it, 4 the other end
//         TAPS(AT)  the sum, AT(a, d) the neighbour in layer a, from 0 on, that lies d elements further on
//         FETCH(p, w)  prefetches a line of the cache, to be written if w is 1; it is left out for what fits a cache
//         FLAT  1: x has two axes, which the launch calls the last two, and here are the first and the last
// launch  an item for each tile of each of batch, those of the last axis first
// files   borders.cl comes before this one
// source  Nguyen, Satish, Chhugani, Kim and Dubey, 3.5-D Blocking Optimization for Stencil Computations on Modern CPUs and GPUs (2010)
typedef T stored __attribute__((ext_vector_type(LANES), aligned(sizeof(T)))); // as it lies in memory
#define AHEAD(a, d) (*(const stored *)(line[a] + at + (d)))
#define SINGLE(a, d) line[a][at + (d)]

#define PITCH ((E2 + LANES - 1) / LANES * LANES) // so that vectors of a row are aligned
#define ROOM (E1 * PITCH + 2 * LANES)            // vectors begin before a layer, and go on behind it
#define KEPT (2 * B0 + 1)              // layers of a step
#define LEVELS (B0 == 0 ? 2 : STEPS)   // steps that are kept
#define SLOT(layer) (((layer) + STEPS * KEPT) % KEPT)

// load copies a layer of x, of which none is VALUE throughout, into a buffer that begins at o1, o2.
static inline void load(global const T *restrict x, T *restrict to, const bool none, const int o1, const int o2, const int n1, const int n2) {
    const int begin = clamp(-o2, 0, E2), end = clamp(n2 - o2, begin, E2);
    for (int j = 0; j < E1; j++) {
        const int r = inside(o1 + j, n1);
        T *const row = to + j * PITCH;
        if (none || r < 0) {
            for (int k = 0; k < E2; k++)
                row[k] = VALUE;
            continue;
        }
        global const T *const line = x + (size_t)r * n2;
        for (int k = 0; k < begin; k++) {
            const int c = inside(o2 + k, n2);
            row[k] = c < 0 ? (T)VALUE : line[c];
        }
        for (int k = begin; k < end; k++)
            row[k] = line[o2 + k];
        for (int k = end; k < E2; k++) {
            const int c = inside(o2 + k, n2);
            row[k] = c < 0 ? (T)VALUE : line[c];
        }
    }
}

// The layers that are needed of step s.
#define FROM(s) (ENDLESS ? t0 - (STEPS - (s)) * B0 : max(t0 - (STEPS - (s)) * B0, 0))
#define TO(s) (ENDLESS ? t0 + S0 + (STEPS - (s)) * A0 : min(t0 + S0 + (STEPS - (s)) * A0, n0))

#if FLAT
kernel void layers(global const T *restrict x, global T *restrict y, const int n1, const int n0, const int n2) {
#else
kernel void layers(global const T *restrict x, global T *restrict y, const int n0, const int n1, const int n2) {
#endif
    T buffers[LEVELS][KEPT][ROOM] __attribute__((aligned(64)));
#define LAYER(s, z) (buffers[(s) % LEVELS][SLOT(z)] + LANES)
#if BORDER == 0
    T nothing[ROOM] __attribute__((aligned(64)));
    for (int i = 0; i < ROOM; i++)
        nothing[i] = VALUE;
#endif
    const int tiles2 = (n2 + S2 - 1) / S2, tiles1 = (n1 + S1 - 1) / S1, tiles0 = (n0 + S0 - 1) / S0;
    size_t group = get_group_id(0);
    const int t2 = group % tiles2 * S2;
    group /= tiles2;
    const int t1 = group % tiles1 * S1;
    group /= tiles1;
    const int t0 = group % tiles0 * S0;
    group /= tiles0;
    const int h1 = B1 * (WHOLE1 ? 1 : STEPS), h2 = B2 * (WHOLE2 ? 1 : STEPS); // halos before the tile
    const int o1 = t1 - h1, o2 = t2 - h2;                                     // where in a layer the buffers begin
    const int last = min(t0 + S0, n0);
    x += (size_t)group * n0 * n1 * n2;
    y += (size_t)group * n0 * n1 * n2;

    for (int loaded = FROM(0); loaded < last + STEPS * B0; loaded++) {
#ifdef FETCH // rows are too far apart for the processor to foresee
        const size_t next = (size_t)min(loaded + 2, n0 - 1) * n1, beyond = (size_t)clamp(loaded - STEPS * B0 + 2, 0, n0 - 1) * n1;
        for (int j = t1; j < min(t1 + S1, n1); j++)
            for (int k = t2; k < min(t2 + S2, n2); k += 64 / (int)sizeof(T)) {
                FETCH(x + (next + j) * n2 + k, 0);
                FETCH(y + (beyond + j) * n2 + k, 1);
            }
#endif
        if (loaded < TO(0)) {
            const int z = inside(loaded, n0);
            load(x + (size_t)max(z, 0) * n1 * n2, LAYER(0, loaded), z < 0, o1, o2, n1, n2);
        }
        for (int s = 1; s <= STEPS; s++) {
            const int layer = loaded - s * B0;
            if (layer < FROM(s) || layer >= (s == STEPS ? last : TO(s)))
                continue;
            const T *line[B0 + A0 + 1];
#pragma unroll
            for (int a = 0; a <= B0 + A0; a++) {
                const int z = layer + a - B0;
#if BORDER == 0
                line[a] = z < 0 || z >= n0 ? nothing + LANES : LAYER(s - 1, z);
#elif BORDER == 4
                line[a] = LAYER(s - 1, z);
#else
                line[a] = LAYER(s - 1, inside(z, n0));
#endif
            }
            if (s == STEPS) {
                const int width = min(S2, n2 - t2);
                for (int j = 0; j < min(S1, n1 - t1); j++) {
                    global T *const row = y + ((size_t)layer * n1 + t1 + j) * n2 + t2;
                    int k = 0, at = (h1 + j) * PITCH + h2;
                    for (; k + LANES <= width; k += LANES, at += LANES)
                        *(global stored *)(row + k) = TAPS(AHEAD);
                    for (; k < width; k++, at++)
                        row[k] = TAPS(SINGLE);
                }
                break;
            }
            T *const to = LAYER(s, layer);
            const int low1 = LOW(WHOLE1, B1), low2 = LOW(WHOLE2, B2), high1 = HIGH(WHOLE1, A1, E1), high2 = HIGH(WHOLE2, A2, E2);
            const int begin1 = BEGIN(WHOLE1, low1, o1), begin2 = BEGIN(WHOLE2, low2, o2);
            const int end1 = END(WHOLE1, high1, o1, n1), end2 = END(WHOLE2, high2, o2, n2);
            const int left = max(low2, begin2 - B2), right = min(high2, end2 + A2), top = max(low1, begin1 - B1), bottom = min(high1, end1 + A1);
            for (int j = begin1; j < end1; j++) {
                // Vectors begin before a row and go on behind it, where what they write is written again or never read.
                for (int k = begin2 / LANES * LANES; k < end2; k += LANES) {
                    const int at = j * PITCH + k;
                    *(stored *)(to + at) = TAPS(AHEAD);
                }
            }
            for (int j = begin1; j < end1 && (left < begin2 || end2 < right); j++) {
                T *const row = to + j * PITCH;
                for (int k = left; k < begin2; k++)
                    row[k] = BORDER == 0 ? (T)VALUE : row[inside(o2 + k, n2) - o2];
                for (int k = end2; k < right; k++)
                    row[k] = BORDER == 0 ? (T)VALUE : row[inside(o2 + k, n2) - o2];
            }
            for (int j = 0; j < begin1 - top + bottom - end1; j++) {
                const int r = j < begin1 - top ? top + j : end1 + j - (begin1 - top);
                const int like = BORDER == 0 ? r : inside(o1 + r, n1) - o1;
                for (int k = left; k < right; k++)
                    to[r * PITCH + k] = BORDER == 0 ? (T)VALUE : to[like * PITCH + k];
            }
        }
    }
}
