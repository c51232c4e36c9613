package bench

import (
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// decomposition decomposes square matrices, dims with a batch before, whose diagonals are large: as they are for LU and QR, and
// their symmetric parts for Cholesky.
func decomposition(function string, dt tensor.DType, dims ...int) *Work {
	n := dims[len(dims)-1]
	diagonal := float64(4 * n)
	w, p, x := ofMatrices(function, dt, dims)
	cubes := elements(dims) * float64(n)
	dominant := func(x *ops.Node) *ops.Node {
		return ops.Add(x, ops.Mul(x.Graph().Eye(x.DType(), n, n, 0), diagonal))
	}
	a := Attr{Function: function, Value: diagonal}
	var ours func(x []*ops.Node) *ops.Node
	switch function {
	case FunctionCholesky:
		w.Flops = cubes / 3
		ours = func(x []*ops.Node) *ops.Node { return linalg.Cholesky(dominant(x[0]), false) }
		a.SciPy = "np.tril(scipy.linalg.cholesky(diagonal({0}), lower=True, check_finite=False))"
		if len(dims) > 2 {
			a.SciPy = "np.linalg.cholesky(diagonal({0}))"
		}
	case FunctionLU:
		w.Flops = 2 * cubes / 3
		ours = func(x []*ops.Node) *ops.Node {
			lu, _, _ := linalg.LUFactor(dominant(x[0]))
			return lu
		}
		if len(dims) == 2 { // SciPy takes no batch
			a.SciPy = "scipy.linalg.lu_factor(diagonal({0}), check_finite=False)[0]"
		}
	case FunctionQR:
		w.Flops = 4 * cubes / 3
		ours = func(x []*ops.Node) *ops.Node {
			_, r := linalg.QR(dominant(x[0]), linalg.QRFactorR)
			return ops.Abs(r)
		}
	}
	w.Program = p.Return(p.add(Node{Op: "call", In: []Ref{x}, Attr: a, Ours: ours}))
	return w
}

// singularValues are those of square matrices, dims with a batch before. Operations are those that make a bidiagonal matrix, as
// LAPACK does.
func singularValues(dt tensor.DType, dims ...int) *Work {
	w, p, x := ofMatrices(FunctionSVD, dt, dims)
	w.Flops = 8 * elements(dims) * float64(dims[len(dims)-1]) / 3
	w.Program = p.Return(p.add(Node{Op: "call", In: []Ref{x}, Ours: func(x []*ops.Node) *ops.Node { return linalg.SVDVals(x[0]) }, Attr: Attr{
		Function: FunctionSVD, SciPy: "np.linalg.svd({0}, compute_uv=False)", Torch: "torch.linalg.svdvals({0})",
	}}))
	return w
}

// ofMatrices begins a work on matrices: the work, its program and the operand.
func ofMatrices(function string, dt tensor.DType, dims []int) (*Work, *Program, Ref) {
	p := &Program{}
	at := name(dims)
	if len(dims) == 2 {
		at = fmt.Sprint(dims[0])
	}
	return &Work{
		Name: fmt.Sprintf("%s-%s/%s", function, short(dt), at), Rate: GFLOPS, Tolerance: 1e-3, Bytes: elements(dims) * float64(dt.Size()),
		Goals: []Goal{atLeast(0.8, LAPACK), atLeast(5, Gonum)},
	}, p, p.Leaf(Operand, dt, Fill{}, dims...)
}
