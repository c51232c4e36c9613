// als.cl: one half of a step of alternating least squares: the factors of all users from those of all films, or the other way round.
//
// For user u with ratings r of films i, x_u minimises  Σ_i (r_i - x · y_i)² + lambda n |x|², that is
//
//     (Σ_i y_i y_i' + lambda n I) x_u = Σ_i r_i y_i
//
//     starts[u] ... starts[u+1]-1   where user u's entries are in films and ratings
//     y [films, K]                  factors of the films          x [users, K]  the result
//
// macros    K      factors, 16: a lane has a row of the matrix in a float16
//           USERS  users in a work-group      N  users in all
// geometry  global {K, a multiple of USERS}, local {K, USERS}: a lane for each row; local memory 4 USERS K (K + 1) bytes
// note      Gauss and Jordan's elimination without pivots, as the matrix is positive definite
// source    Zhou, Wilkinson, Schreiber and Pan, Large-scale Parallel Collaborative Filtering for the Netflix Prize (2008)
kernel __attribute__((reqd_work_group_size(K, USERS, 1)))
void als(global const int *starts, global const int *films, global const float *ratings, global const float *y,
         global float *x, float lambda) {
	local float16 matrices[USERS][K];
	local float sides[USERS][K];
	int j = get_local_id(0), u = get_global_id(1);
	local float16 *a = matrices[get_local_id(1)];
	local float *b = sides[get_local_id(1)];
	float16 row = 0;
	float right = 0;
	int from = u < N ? starts[u] : 0, to = u < N ? starts[u + 1] : 0;
	for (int e = from; e < to; e++) {
		float16 v = vload16(films[e], y);
		float mine = y[films[e] * K + j];
		row += mine * v;
		right += mine * ratings[e];
	}
	a[j] = row;
	((local float *)a)[j * K + j] += lambda * max(to - from, 1);
	b[j] = right;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int p = 0; p < K; p++) {
		// row p stays as it is in this step
		float f = j == p ? 0 : ((local float *)a)[j * K + p] / ((local float *)a)[p * K + p];
		a[j] -= f * a[p];
		b[j] -= f * b[p];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (u < N)
		x[u * K + j] = b[j] / ((local float *)a)[j * K + j];
}
