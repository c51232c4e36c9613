// histogram.cl: the sums of gradients and of their derivatives that trees are grown by.
//
//     y[c, v, f, b] = Σ (g, h)[r] over the rows r of chunk c that are in node v and whose feature f is in bin b
//
//     bins [FEATURES, N]  the bin of each value, 0..BINS-1          node [N]  0..NODES-1
//     gh [N, 2]  whole numbers, so that sums are exact in any order, and the same on every device
//
// macros    N, FEATURES, NODES; BINS 64; CHUNK  rows in a chunk
//           WG  work-items in a group: 1 on CPUs, whose additions need no atomics; 128 on GPUs
// geometry  global {FEATURES WG, chunks}, local {WG, 1}: a group has one feature of a chunk; local memory 8 NODES BINS bytes
// source    Ke et al., LightGBM: A Highly Efficient Gradient Boosting Decision Tree (2017)
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void histogram(global const uchar *bins, global const int *node, global const int *gh, global int *y) {
	local int sums[NODES * BINS * 2];
	int f = get_group_id(0), c = get_group_id(1), lane = get_local_id(0);
	for (int i = lane; i < NODES * BINS * 2; i += WG)
		sums[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int r = c * CHUNK + lane; r < min((c + 1) * CHUNK, N); r += WG) {
		local int *s = sums + (node[r] * BINS + bins[f * N + r]) * 2;
#if WG == 1
		vstore2(vload2(0, s) + vload2(r, gh), 0, s);
#else
		atomic_add(s, gh[2 * r]);
		atomic_add(s + 1, gh[2 * r + 1]);
#endif
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = lane; i < NODES * BINS * 2; i += WG) {
		int v = i / (BINS * 2);
		y[((c * NODES + v) * FEATURES + f) * BINS * 2 + i % (BINS * 2)] = sums[i];
	}
}
