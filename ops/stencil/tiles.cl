// tiles.cl: a stencil applied STEPS times in one launch on GPUs, to the tiles of x that groups have.
//
//     x[s+1][i, j, k] = sum over a, b, c of weights[a, b, c] x[s][i + a - B0, j + b - B1, k + c - B2]      y = x[STEPS]
//
// A group loads a tile and the halo around it that its results depend on, and goes back and forth between two buffers; what it can compute of them
// shrinks with each step, so that neighbours compute the same elements at their common border once each (overlapped tiling). Elements outside of x
// are made from those inside after each step.
//
// operands  x, y  [batch, n0, n1, n2]
// macros  T  float or double, of which VALUE is one    STEPS  at least 1
//         S0, S1, S2  extents of a tile    E0, E1, E2  of a buffer
//         B0, B1, B2, A0, A1, A2  neighbours before and after an element along each axis
//         WHOLE0, WHOLE1, WHOLE2  1: a tile has the axis from end to end, with neighbours of one step around it
//         BORDER  what is outside of x: 0 VALUE, 1 the outermost element, 2 a mirror at the outermost element, 3 one behind it, 4 the other end
//         TAPS(AT)  the sum, AT(d) the neighbour that lies d elements of a buffer further on
//         COLUMNS, ROWS  items of a group
// launch  a group for each tile of each of batch, those of the last axis first
// files   borders.cl comes before this one
// source  Holewinski, Pouchet and Sadayappan, High-Performance Code Generation for Stencil Computations on GPU Architectures (2012)
#define EACH_ROW(i, from, to) for (int i = (from) + (int)get_local_id(1); i < (to); i += ROWS)
#define EACH_COLUMN(i, from, to) for (int i = (from) + (int)get_local_id(0); i < (to); i += COLUMNS)
#define AHEAD(d) p[d]

#define CELL(z, y, x) (((z) * E1 + (y)) * E2 + (x))

kernel void tiles(global const T *restrict x, global T *restrict y, const int n0, const int n1, const int n2) {
    local T first[E0 * E1 * E2], second[E0 * E1 * E2];
    const int tiles2 = (n2 + S2 - 1) / S2, tiles1 = (n1 + S1 - 1) / S1, tiles0 = (n0 + S0 - 1) / S0;
    size_t group = get_group_id(0);
    const int t2 = group % tiles2 * S2;
    group /= tiles2;
    const int t1 = group % tiles1 * S1;
    group /= tiles1;
    const int t0 = group % tiles0 * S0;
    group /= tiles0;
    const int h0 = B0 * (WHOLE0 ? 1 : STEPS), h1 = B1 * (WHOLE1 ? 1 : STEPS), h2 = B2 * (WHOLE2 ? 1 : STEPS); // halos before the tile
    const int o0 = t0 - h0, o1 = t1 - h1, o2 = t2 - h2; // where in x the buffers begin
    x += (size_t)group * n0 * n1 * n2;
    y += (size_t)group * n0 * n1 * n2;

    local T *from = first, *to = second;
    const int begin = clamp(-o2, 0, E2), end = clamp(n2 - o2, begin, E2);
    for (int i = 0; i < E0; i++) {
        const int z = inside(o0 + i, n0);
        EACH_ROW(j, 0, E1) {
            const int r = inside(o1 + j, n1), row = CELL(i, j, 0);
            global const T *const line = x + ((size_t)max(z, 0) * n1 + max(r, 0)) * n2 + o2;
            const bool none = z < 0 || r < 0;
            EACH_COLUMN(k, 0, begin) {
                const int c = inside(o2 + k, n2);
                from[row + k] = none || c < 0 ? (T)VALUE : line[c - o2];
            }
            EACH_COLUMN(k, begin, end)
                from[row + k] = none ? (T)VALUE : line[k];
            EACH_COLUMN(k, end, E2) {
                const int c = inside(o2 + k, n2);
                from[row + k] = none || c < 0 ? (T)VALUE : line[c - o2];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int s = 1; s <= STEPS; s++) {
        const int low0 = LOW(WHOLE0, B0), low1 = LOW(WHOLE1, B1), low2 = LOW(WHOLE2, B2);
        const int high0 = HIGH(WHOLE0, A0, E0), high1 = HIGH(WHOLE1, A1, E1), high2 = HIGH(WHOLE2, A2, E2);
        const int begin0 = BEGIN(WHOLE0, low0, o0), begin1 = BEGIN(WHOLE1, low1, o1), begin2 = BEGIN(WHOLE2, low2, o2);
        const int end0 = END(WHOLE0, high0, o0, n0), end1 = END(WHOLE1, high1, o1, n1), end2 = END(WHOLE2, high2, o2, n2);
        for (int i = begin0; i < end0; i++)
            EACH_ROW(j, begin1, end1) {
                EACH_COLUMN(k, begin2, end2) {
                    local const T *const p = from + CELL(i, j, k);
                    to[CELL(i, j, k)] = TAPS(AHEAD);
                }
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        local T *const was = from;
        from = to;
        to = was;
        if (s == STEPS)
            break;
        // What lies outside of x and is read in the next step: the ends of rows, then rows, then planes.
        const int left = max(low2, begin2 - B2), right = min(high2, end2 + A2);
        if (left < begin2 || end2 < right) {
            for (int i = begin0; i < end0; i++)
                EACH_ROW(j, begin1, end1) {
                    local T *const row = from + CELL(i, j, 0);
                    EACH_COLUMN(k, left, begin2)
                        row[k] = BORDER == 0 ? (T)VALUE : row[inside(o2 + k, n2) - o2];
                    EACH_COLUMN(k, end2, right)
                        row[k] = BORDER == 0 ? (T)VALUE : row[inside(o2 + k, n2) - o2];
                }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const int top = max(low1, begin1 - B1), bottom = min(high1, end1 + A1);
        if (top < begin1 || end1 < bottom) {
            for (int i = begin0; i < end0; i++)
                EACH_ROW(j, 0, begin1 - top + bottom - end1) {
                    const int r = j < begin1 - top ? top + j : end1 + j - (begin1 - top);
                    const int like = BORDER == 0 ? r : inside(o1 + r, n1) - o1;
                    EACH_COLUMN(k, left, right)
                        from[CELL(i, r, k)] = BORDER == 0 ? (T)VALUE : from[CELL(i, like, k)];
                }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const int front = max(low0, begin0 - B0), back = min(high0, end0 + A0);
        if (front < begin0 || end0 < back) {
            for (int i = 0; i < begin0 - front + back - end0; i++) {
                const int z = i < begin0 - front ? front + i : end0 + i - (begin0 - front);
                const int like = BORDER == 0 ? z : inside(o0 + z, n0) - o0;
                EACH_ROW(j, top, bottom)
                    EACH_COLUMN(k, left, right)
                        from[CELL(z, j, k)] = BORDER == 0 ? (T)VALUE : from[CELL(like, j, k)];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }

    for (int i = 0; i < min(S0, n0 - t0); i++)
        EACH_ROW(j, 0, min(S1, n1 - t1)) {
            global T *const line = y + ((size_t)(t0 + i) * n1 + t1 + j) * n2 + t2;
            local const T *const row = from + CELL(h0 + i, h1 + j, h2);
            EACH_COLUMN(k, 0, min(S2, n2 - t2))
                line[k] = row[k];
        }
}
