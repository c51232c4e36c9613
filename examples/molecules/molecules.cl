// molecules.cl: atoms that attract and repel each other as Lennard and Jones said, in a box that repeats itself.
//
//     U(r) = 4 (r^-12 - r^-6) - U0   for r < CUT, 0 beyond it, with U0 so that U(CUT) = 0
//     f(r) = 24 (2 r^-12 - r^-6) / r^2   times the vector between the two is the force
//
// in units of the potential's depth, the distance at which it is 0, and an atom's mass. Atoms are sorted by cells; each has a list
// of those that are nearer than REACH, which holds for some steps.
//
// macros    N      atoms, a multiple of V           V     atoms of a work-item of leap: 16 for a CPU's vectors, 1 for a GPU
//           SIDE   cells along a side of the box, at least 3          BOX, CUT, REACH, U0, CAPACITY (entries of a list)
// source    Allen and Tildesley, Computer Simulation of Liquids (2017), chapter 5

// lists writes who is near whom.
//
// operands  p       float[4][N]         x, y, z in [0, BOX), sorted by cell (z SIDE + y) SIDE + x
//           starts  long[SIDE^3 + 1]    which atom is the first of a cell
// results   near    int[CAPACITY][N]    atoms nearer than REACH, then the atom itself
//           count   int[N]              how many, which may be more than CAPACITY: then some are missing
// launch    global {N}
kernel void lists(global const float *restrict p, global const long *restrict starts, global int *restrict near, global int *restrict count) {
	const int i = get_global_id(0);
	const float x = p[i], y = p[N + i], z = p[2 * N + i];
	const int cx = min((int)(x * (SIDE / BOX)), SIDE - 1), cy = min((int)(y * (SIDE / BOX)), SIDE - 1), cz = min((int)(z * (SIDE / BOX)), SIDE - 1);
	int n = 0;
	for (int c = 0; c < 9; c++) {
		const int row = ((cz + SIDE + c / 3 - 1) % SIDE * SIDE + (cy + SIDE + c % 3 - 1) % SIDE) * SIDE;
		for (int d = -1; d < 2; d++) {
			const int cell = row + (cx + SIDE + d) % SIDE, last = starts[cell + 1];
			for (int j = starts[cell]; j < last; j++) {
				const float dx = fabs(x - p[j]), dy = fabs(y - p[N + j]), dz = fabs(z - p[2 * N + j]);
				const float ex = fmin(dx, BOX - dx), ey = fmin(dy, BOX - dy), ez = fmin(dz, BOX - dz);
				if (ex * ex + ey * ey + ez * ez < REACH * REACH && j != i) {
					if (n < CAPACITY)
						near[n * N + i] = j;
					n++;
				}
			}
		}
	}
	count[i] = n;
	for (; n < CAPACITY; n++)
		near[n * N + i] = i;
}

#if V == 1
typedef float F;
typedef int I;
#define LOAD(p) *(p)
#define STORE(p, v) *(p) = v
#define PICK(p, j) p[j]
#define SELECT(a, b, c) ((c) ? (b) : (a))
#else
typedef float16 F;
typedef int16 I;
#define LOAD(p) vload16(0, p)
#define STORE(p, v) vstore16(v, 0, p)
#define PICK(p, j) (F)((p)[j.s0], (p)[j.s1], (p)[j.s2], (p)[j.s3], (p)[j.s4], (p)[j.s5], (p)[j.s6], (p)[j.s7], \
                       (p)[j.s8], (p)[j.s9], (p)[j.sa], (p)[j.sb], (p)[j.sc], (p)[j.sd], (p)[j.se], (p)[j.sf])
#define SELECT(a, b, c) select(a, b, c)
#endif

// leap makes a step: v <- v + kick f, x <- x + drift v. With kick = drift = dt it is the leap-frog; kick = dt/2 takes
// velocities half a step on.
//
// operands  p  float[4][N]  positions    v  float[5][N]  velocities    near, count  as of lists
// results   q  float[4][N]  the same after the step; in row 3 the atom's half of the virial, sum of r . f / 2
//           w  float[5][N]  the same; in row 3 the atom's half of the potential, in row 4 half the number of atoms within CUT
// launch    global {N / V}
kernel void leap(global const float *restrict p, global const float *restrict v, global const int *restrict near, global const int *restrict count,
                 global float *restrict q, global float *restrict w, float kick, float drift) {
	const int i = get_global_id(0) * V;
	const F x = LOAD(p + i), y = LOAD(p + N + i), z = LOAD(p + 2 * N + i), zero = 0;
	F fx = 0, fy = 0, fz = 0, potential = 0, virial = 0, within = 0;
	int most = 0; // of the lists of all atoms of the work-item
	for (int k = 0; k < V; k++)
		most = max(most, min(count[i + k], CAPACITY));
	for (int k = 0; k < most; k++) {
		const I j = LOAD(near + k * N + i);
		F dx = x - PICK(p, j), dy = y - PICK((p + N), j), dz = z - PICK((p + 2 * N), j);
		dx -= BOX * rint(dx * (1 / BOX)); // the nearest of all repetitions
		dy -= BOX * rint(dy * (1 / BOX));
		dz -= BOX * rint(dz * (1 / BOX));
		const F r2 = dx * dx + dy * dy + dz * dz;
		const I inside = r2 < CUT * CUT && r2 > 0; // the atom itself stands where a list has ended
		const F inv = SELECT(zero, 1.0f / r2, inside), r6 = inv * inv * inv, f = (48 * r6 - 24) * r6 * inv;
		fx += f * dx;
		fy += f * dy;
		fz += f * dz;
#ifdef SUMS
		virial += f * r2;
		within += SELECT(zero, zero + 1, inside);
		potential += SELECT(zero, 4 * (r6 - 1) * r6 - U0, inside);
#endif
	}
	const F vx = LOAD(v + i) + kick * fx, vy = LOAD(v + N + i) + kick * fy, vz = LOAD(v + 2 * N + i) + kick * fz;
	STORE(w + i, vx);
	STORE(w + N + i, vy);
	STORE(w + 2 * N + i, vz);
	STORE(w + 3 * N + i, potential / 2);
	STORE(w + 4 * N + i, within / 2);
	STORE(q + i, x + drift * vx);
	STORE(q + N + i, y + drift * vy);
	STORE(q + 2 * N + i, z + drift * vz);
	STORE(q + 3 * N + i, virial / 2);
}
