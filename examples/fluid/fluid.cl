// fluid.cl: one step of the lattice Boltzmann method for a flow in two dimensions (D2Q9).
//
// A cell holds nine populations f[q] of molecules that move by c[q] in a step:
//
//     6 2 5
//     3 0 1      rho = sum of f[q],   rho u = sum of f[q] c[q]
//     7 4 8
//
// A step pulls every population from the cell that it comes from (streaming), then lets each relax towards its
// equilibrium (collision). The halves of a pair of opposite directions, f+ = (f[a] + f[b]) / 2 and
// f- = (f[a] - f[b]) / 2, relax at rates of their own:
//
//     f+ <- f+ - plus  (f+ - w rho (1 + 9/2 (c u)^2 - 3/2 u^2))      plus sets the viscosity: nu = (1/plus - 1/2) / 3
//     f- <- f- - minus (f- - 3 w rho (c u))                          minus sets where walls stand
//
// Stored is f[q] - w[q], which keeps more digits in float32 and makes a fluid at rest all zeros.
//
// operands  f     float[9][height][width]   populations before the step
//           kind  uchar[height][width]      0 fluid, 1 wall, 2 wall that moves with speed u to the right, 3 inflow with speed u
// result    g     float[9][height][width]   populations after the step
// macros    V       cells of a row in a work-item: 16 for a CPU's vectors, 1 for a GPU; it divides the width
//           STREAM  results go past the caches, if the compiler offers it: for grids that do not fit into them
// launch    global {width / V, height}; the first and last row must be walls
// source    Krueger et al., The Lattice Boltzmann Method (2017), sections 3.4 (streaming), 5.3 (walls), 10.7.2 (two relaxation times)

#if V == 1
typedef float F;
typedef int I;
#define LOAD(p) *(p)
#define KIND(p) *(p)
#define MASK(c) -(c)
#else
typedef float16 F;
typedef int16 I;
#define LOAD(p) vload16(0, p)
#define KIND(p) convert_int16(vload16(0, p))
#define MASK(c) (c)
#endif

#ifdef STREAM
#define STORE(p, v) __builtin_nontemporal_store(v, (global F *)(p))
#else
#define STORE(p, v) *(global F *)(p) = v
#endif

// PAIR relaxes the opposite directions A and B into a and b, where cj is c[A] times rho u. Factors that are equal for all cells
// stand together: one multiplication by their product is left.
#define PAIR(a, b, A, B, w, cj) { \
	const F e = (0.5f * plus) * (A + B) - (plus * (w)) * (even + (cj) * (cj) * curve); \
	const F o = (0.5f * minus) * (A - B) - (3 * minus * (w)) * (cj); \
	a = A - (e + o); \
	b = B - (e - o); }

// BOUNCE sets a and b, where cells are no fluid, to B and A, which go back where they came from, with what a moving wall adds;
// or to what flows in.
#define BOUNCE(a, b, A, B, w, c) \
	a = select(a, back * B + (w) * (in + (c) * add), solid); \
	b = select(b, back * A + (w) * (in - (c) * add), solid);

kernel void flow(global const float *restrict f, global const uchar *restrict kind, global float *restrict g,
                 float plus, float minus, float u) {
	const int x = get_global_id(0) * V, y = get_global_id(1), w = get_global_size(0) * V, h = get_global_size(1);
	const int n = w * h, at = y * w + x, below = max(y - 1, 0) * w + x, above = min(y + 1, h - 1) * w + x;
	// The neighbours of the first and last column are in other rows. What comes from there is read by walls and inflows alone.
	const F f0 = LOAD(f + at), f1 = LOAD(f + n + at - 1), f2 = LOAD(f + 2 * n + below), f3 = LOAD(f + 3 * n + at + 1),
	        f4 = LOAD(f + 4 * n + above), f5 = LOAD(f + 5 * n + below - 1), f6 = LOAD(f + 6 * n + below + 1),
	        f7 = LOAD(f + 7 * n + above + 1), f8 = LOAD(f + 8 * n + above - 1);
	F g1, g2, g3, g4, g5, g6, g7, g8;
	const F more = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8; // rho - 1
	const F jx = f1 - f3 + f5 - f6 - f7 + f8, jy = f2 - f4 + f5 + f6 - f7 - f8;
	const F curve = 4.5f / (1.0f + more), even = more - (1.0f / 3) * (jx * jx + jy * jy) * curve;
	F g0 = f0 - plus * (f0 - (4.0f / 9) * even);
	PAIR(g1, g3, f1, f3, 1.0f / 9, jx)
	PAIR(g2, g4, f2, f4, 1.0f / 9, jy)
	PAIR(g5, g7, f5, f7, 1.0f / 36, jx + jy)
	PAIR(g6, g8, f6, f8, 1.0f / 36, jy - jx)

	const I k = KIND(kind + at), solid = MASK(k != 0);
	if (any(solid)) {
		const F zero = 0, back = select(zero + 1.0f, zero, MASK(k == 3));
		const F add = select(select(zero, zero + 6.0f * u, MASK(k == 2)), zero + 3.0f * u, MASK(k == 3));
		F in = select(zero, zero - 1.5f * u * u, MASK(k == 3));
		g0 = select(g0, (4.0f / 9) * in, solid);
		BOUNCE(g2, g4, f2, f4, 1.0f / 9, 0)
		in = select(zero, zero + 3.0f * u * u, MASK(k == 3));
		BOUNCE(g1, g3, f1, f3, 1.0f / 9, 1)
		BOUNCE(g5, g7, f5, f7, 1.0f / 36, 1)
		BOUNCE(g6, g8, f6, f8, 1.0f / 36, -1)
	}
	STORE(g + at, g0);
	STORE(g + n + at, g1);
	STORE(g + 2 * n + at, g2);
	STORE(g + 3 * n + at, g3);
	STORE(g + 4 * n + at, g4);
	STORE(g + 5 * n + at, g5);
	STORE(g + 6 * n + at, g6);
	STORE(g + 7 * n + at, g7);
	STORE(g + 8 * n + at, g8);
}

// copy moves as many bytes as a step: what the device could do at best. Launch: global {width / V * 9, height}.
kernel void copy(global const float *restrict f, global float *restrict g) {
	const int at = (get_global_id(1) * get_global_size(0) + get_global_id(0)) * V;
	STORE(g + at, LOAD(f + at));
}
