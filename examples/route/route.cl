// route.cl: a round of the search for the shortest ways from every cell of a map to many goals at once.
//
//     d[y][x][q] <- min over the 8 cells around of (d there + length (cost there + cost here))      length 5, diagonal 7
//
// The map is cut into tiles. A tile waits while ways in it have become shorter and the tiles around it have not been told; waiting
// holds the least of their lengths. Those around are told when the limit, which grows from round to round, is above that: waves
// run out from the goals nearly in the order of lengths, and few cells are done again. In a tile, cells are improved forth
// and back until nothing changes; what is around it is that of the round before.
//
// operands  d        int[H][W][Q]        lengths of the best ways known, FAR where there is none
//           waiting  int[TILES][Q / V]   of a tile, for V goals; tiles by rows; FAR if it does not wait
//           limit    int[1]
//           cost     int[H][W]           of a cell, 0 for one that cannot be entered; all at the border are 0
// results   e, now   d and waiting after the round
// macros    V  goals of a work-item: 16 for a CPU's vectors, 1 for a GPU       T  cells along a side of a tile; it divides W and H
//           W, H, Q, FAR
// launch    global {Q / V, W / T * H / T}
// source    Jeong and Whitaker, A Fast Iterative Method for Eikonal Equations (2008), for tiles that are active; Meyer and Sanders,
//           Delta-Stepping: A Parallelizable Shortest Path Algorithm (2003), for the limit

#if V == 1
typedef int I;
#define LOAD(p) *(p)
#define STORE(p, v) *(p) = v
#define ANY(v) ((v) != 0)
#define ONE(c) (c)
#define LEAST(v) (v)
#else
typedef int16 I;
#define LOAD(p) vload16(0, p)
#define STORE(p, v) vstore16(v, 0, p)
#define ANY(v) any((v) != 0)
#define ONE(c) -(c)
#define LEAST(v) least(v)
static inline int least(int16 v) {
	const int8 a = min(v.lo, v.hi);
	const int4 b = min(a.lo, a.hi);
	const int2 c = min(b.lo, b.hi);
	return min(c.x, c.y);
}
#endif

// BETTER takes the way over the cell at distance o in the tile and p in the map.
#define BETTER(o, p, length) best = min(best, mine[at + (o)] + (length) * (here + c[p]));

// IMPROVE does the cell at (x, y) of the tile.
#define IMPROVE(x, y) { \
	const int at = (y + 1) * (T + 2) + x + 1; \
	global const int *c = cost + (top + y) * W + left + x; \
	const int here = c[0]; \
	if (here != 0) { \
		const I old = mine[at]; \
		I best = old; \
		BETTER(-T - 3, -W - 1, 7) BETTER(-T - 2, -W, 5) BETTER(-T - 1, -W + 1, 7) BETTER(-1, -1, 5) \
		BETTER(1, 1, 5) BETTER(T + 1, W - 1, 7) BETTER(T + 2, W, 5) BETTER(T + 3, W + 1, 7) \
		mine[at] = best; \
		moved |= best ^ old; \
	} }

kernel void spread(global const int *restrict d, global const int *restrict waiting, global const int *restrict limit,
                   global const int *restrict cost, global int *restrict e, global int *restrict now) {
	const int block = get_global_id(0), tile = get_global_id(1), tx = tile % (W / T), ty = tile / (W / T), left = tx * T, top = ty * T, q = block * V;
	int wave = FAR;
	for (int y = max(ty - 1, 0); y <= min(ty + 1, H / T - 1); y++)
		for (int x = max(tx - 1, 0); x <= min(tx + 1, W / T - 1); x++)
			wave = min(wave, waiting[(y * (W / T) + x) * (Q / V) + block]);
	const int own = waiting[tile * (Q / V) + block], on = wave < limit[0];
	I mine[(T + 2) * (T + 2)], moved = -on, low = FAR;
	if (on)
		for (int y = -1; y <= T; y++)
			for (int x = -1; x <= T; x++) {
				const int my = top + y, mx = left + x;
				mine[(y + 1) * (T + 2) + x + 1] = my < 0 || my >= H || mx < 0 || mx >= W ? (I)FAR : LOAD(d + (my * W + mx) * Q + q);
			}
	while (ANY(moved)) {
		moved = 0;
		for (int y = 0; y < T; y++)
			for (int x = 0; x < T; x++)
				IMPROVE(x, y)
		for (int y = T - 1; y >= 0; y--)
			for (int x = T - 1; x >= 0; x--)
				IMPROVE(x, y)
	}
	for (int y = 0; y < T; y++)
		for (int x = 0; x < T; x++) {
			const int at = ((top + y) * W + left + x) * Q + q;
			const I before = LOAD(d + at);
			I after = before;
			if (on) {
				after = mine[(y + 1) * (T + 2) + x + 1];
				low = min(low, after + FAR * ONE(after == before)); // FAR and more where nothing has changed
			}
			STORE(e + at, after);
		}
	now[tile * (Q / V) + block] = min(LEAST(low), own < limit[0] ? FAR : own);
}
