// Package sparse computes with matrices of which few elements are not zero, on the host and in graphs.
//
// On the host [COO], [CSR], [CSC] and [BSR] are plain structs of slices, which convert to each other; [ReadMatrixMarket] reads
// them from files. In a graph a [Matrix] is a [Pattern], which says where elements are and is fixed when the graph is
// built, and a node with their values, which may depend on anything. [Mul] is the product with vectors and dense matrices, with
// gradients for both. [CG], [BiCGSTAB], [GMRES] and [Eigs] solve systems of equations and eigenproblems, with loops that stay on the
// device.
//
//	a := sparse.Const(g, m)                   // m is a *sparse.CSR[float64]
//	y := sparse.Mul(a, x)
//	s := sparse.CG(a.Apply, y, nil)           // s.X, s.Iterations, s.Residual, s.Converged
package sparse

import "github.com/anycl/anycl/ops"

func init() { ops.Helper() }
