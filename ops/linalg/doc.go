// Package linalg is linear algebra in graphs: decompositions of matrices, systems of equations, inverses, determinants,
// norms and distances, as in numpy.linalg and torch.linalg.
//
// Matrices are the last two axes of an operand, and axes before them a batch. Decompositions are of float32 and float64
// matrices. Cholesky, LU, QR and triangular systems, and functions composed of these (solve, inverse, determinants, least squares of tall
// matrices, the matrix exponential), run on devices too, in the dtype of the matrix; on the CPU engine, and all other decompositions (SVD,
// eigenvalues, LDL), by LAPACK in float64. All have derivatives, unless a function says otherwise, and derivatives of these. In the table
// of ops names begin with "linalg.".
//
// A matrix that has no decomposition gives NaN and no error, because a graph does not fail while it runs; functions whose
// names end in Ex say which matrices those are. Products of matrices themselves are [ops.MatMul] and its neighbours.
package linalg
