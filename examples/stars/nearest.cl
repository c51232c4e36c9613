// nearest.cl: how far the K nearest points are from each query, exactly.
//
//     radius2[q] = the K-th smallest |point - query q|^2
//     other[q]   = the number of the nearest point that is not where the query is; -1 where there is none
//
// The points lie in the cube -1..1, which is divided into G x G x G cells of edge 2/G, and are sorted by cell: those of
// cell (x, y, z) are starts[c] ... starts[c+1]-1 with c = (z G + y) G + x. A query looks at its own cell, then at the shell of cells
// around it, and so on, until K points are nearer than the faces of the cube of cells that it has seen: no other
// point can be nearer.
//
// macros    K  how many points, 1..32      G  cells in each direction
// geometry  one work-item for each query; neighbours should ask for places near each other
// source    Bentley, Weide and Yao, Optimal Expected-Time Algorithms for Closest Point Problems (1980)
kernel void nearest(global const float *points, global const int *starts, global const float *queries,
                    global float *radius2, global int *other) {
	size_t q = get_global_id(0);
	float3 at = vload3(q, queries);
	float best[K], nearest = INFINITY; // best is in order
	int index = -1;
	for (int i = 0; i < K; i++)
		best[i] = INFINITY;
	float3 u = (at + 1) * (G * 0.5f);
	int3 cell = clamp(convert_int3(floor(u)), 0, G - 1);
	float3 inside = u - convert_float3(cell); // 0..1: the place in the cell
	float wall = fmin(fmin(fmin(inside.x, inside.y), inside.z), 1 - fmax(fmax(inside.x, inside.y), inside.z));
	for (int r = 0; r < G; r++) {
		for (int z = max(cell.z - r, 0); z <= min(cell.z + r, G - 1); z++)
			for (int y = max(cell.y - r, 0); y <= min(cell.y + r, G - 1); y++) {
				bool face = abs(z - cell.z) == r || abs(y - cell.y) == r; // a whole row is new, else its ends are
				for (int x = cell.x - r; x <= cell.x + r; x += face ? 2 * r + 1 : 2 * r) {
					int from = max(x, 0), to = face ? min(x + 2 * r, G - 1) : x;
					if (from > to || from >= G)
						continue;
					int row = (z * G + y) * G;
					for (int p = starts[row + from]; p < starts[row + to + 1]; p++) {
						float3 d = vload3(p, points) - at;
						float d2 = d.x * d.x + d.y * d.y + d.z * d.z;
						if (d2 > 0 && d2 < nearest) {
							nearest = d2;
							index = p;
						}
						if (d2 < best[K - 1]) { // the larger ones move up by one place
							for (int i = K - 1; i > 0; i--)
								best[i] = fmax(best[i - 1], fmin(best[i], d2));
							best[0] = fmin(best[0], d2);
						}
					}
				}
			}
		float seen = fmax((r + wall) * (2.0f / G), 0);
		if (fmax(best[K - 1], nearest) <= seen * seen)
			break;
	}
	radius2[q] = best[K - 1];
	other[q] = index;
}
