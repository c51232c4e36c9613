package linalg

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// SVD returns the singular value decomposition of matrices:
//
//	a = U diag(s) Vᵀ,  Uᵀ U = I,  V Vᵀ = I,  s sorted, the largest first, none negative
//
// a is [..., m, n], float32 or float64. With k = min(m, n), U is [..., m, k], s [..., k] and vt, the transpose of V, [..., k, n]; full
// makes U [..., m, m] and vt [..., n, n]. The signs of a column of U and row of vt are not determined. The derivative is that of the
// first k columns and rows, for functions that do not depend on these signs; for those of s alone singular values may be equal. A matrix
// with an element that is not finite gives NaN.
//
// The CPU engine decomposes in float64, by LAPACK's algorithms; a device in a's dtype, by Jacobi rotations, matrices of up to 256 rows or
// columns, of which it has many at a time. Errors: dtype; a is not of matrices.
// Source: Golub and Van Loan, Matrix Computations (2013), section 8.6; Townsend, Differentiating the Singular Value
// Decomposition (2016).
func SVD(a *ops.Node, full bool) (u, s, vt *ops.Node) {
	r := ops.ApplyAll("linalg.svd", svdAttr{full}, a)
	return r[0], r[1], r[2]
}

type svdAttr struct {
	Full bool `default:"false" doc:"U and V are square"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.svd", Category: "linear algebra",
	Attributes: ops.AttributesOf[svdAttr](), Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"u", "s", "vt"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, m, n, err := matrixOf(c, 0)
		k := min(m, n)
		p, q := k, k
		if c.Attr.(svdAttr).Full {
			p, q = m, n
		}
		return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, m, p)}, {DType: c.DType(0), Shape: shapes.With(batch, k)},
			{DType: c.DType(0), Shape: shapes.With(batch, q, n)}}, err
	},
	Algorithm: func(p ops.Primitive) engine.Algorithm {
		batch, m, n := extentsOf(p.In(0))
		return &engine.SVD{Batch: batch, M: m, N: n, Full: p.Attr().(svdAttr).Full}
	},
	// With E[i, j] = s[j]² - s[i]² and skew(X) = X - Xᵀ:
	//
	//	dA = U [skew(Uᵀ dU)/E diag(s) + diag(s) skew(Vᵀ dV)/E + diag(ds)] Vᵀ
	//	   + (I - U Uᵀ) dU diag(1/s) Vᵀ + U diag(1/s) dVᵀ (I - V Vᵀ)
	Grad: func(b *ops.Back) {
		s, ds := b.Result(1), b.GradOf(1)
		k := s.Dim(-1)
		u, du := build.Cut(b.Result(0), -1, 0, k), build.Cut(b.GradOf(0), -1, 0, k)
		vt, dvt := build.Cut(b.Result(2), -2, 0, k), build.Cut(b.GradOf(2), -2, 0, k)
		squares := ops.Square(s)
		e := ops.Sub(ops.ExpandDims(squares, -2), ops.ExpandDims(squares, -1))
		skew := func(x *ops.Node) *ops.Node { return safeQuotient(ops.Sub(x, build.SwapLast(x)), e) }
		uu, vv := ops.MatMul(build.SwapLast(u), du), ops.MatMul(vt, build.SwapLast(dvt))
		inner := ops.Add(scaleColumns(skew(uu), s), scaleRows(s, skew(vv)))
		da := ops.MatMul(u, ops.MatMul(ops.Add(inner, onDiagonal(ds)), vt))
		inverse := safeQuotient(ops.OnesLike(s), s)
		if rowsOf(u) > k {
			da = ops.Add(da, ops.MatMul(scaleColumns(ops.Sub(du, ops.MatMul(u, uu)), inverse), vt))
		}
		if columnsOf(vt) > k {
			da = ops.Add(da, ops.MatMul(u, scaleRows(inverse, ops.Sub(dvt, ops.MatMul(build.SwapLast(vv), vt)))))
		}
		b.Add(0, da)
	},
})

// SVDVals returns the singular values of matrices alone, [..., min(m, n)], the largest first. They may be equal where they are
// differentiated. Otherwise as [SVD].
func SVDVals(a *ops.Node) *ops.Node { return ops.Apply("linalg.svdvals", nil, a) }

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.svdvals", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		batch, m, n, err := matrixOf(c, 0)
		return shapes.With(batch, min(m, n)), c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		_, s, _ := SVD(c.In[0], false)
		return s
	},
	Grad: func(b *ops.Back) {
		u, _, vt := SVD(b.In(0), false)
		b.Add(0, ops.MatMul(scaleColumns(u, b.Grad()), vt))
	},
})

// Eigh returns the eigenvalues of symmetric, or complex and Hermitian, matrices, the smallest first, and as columns their eigenvectors:
//
//	a = V diag(w) Vᵀ,  Vᵀ V = I, with conjugate transposes where a is complex
//
// a is [..., n, n], float32, float64 or complex; w is real; only the lower triangle is read, or the upper one if upper is set. The signs of
// eigenvectors are not determined, nor are the angles of complex ones. The derivative is for functions that do not depend on them; for
// those of w alone eigenvalues may be equal. A matrix with an element that is not finite gives NaN.
//
// The CPU engine computes in float64, by LAPACK's algorithms; a device real matrices of up to 256 rows in a's dtype, by Jacobi rotations,
// many at a time. Errors: dtype; matrices are not square.
// Source: Golub and Van Loan, Matrix Computations (2013), sections 8.3 and 8.5; Giles, An Extended Collection of Matrix Derivative
// Results (2008), section 3.1.
func Eigh(a *ops.Node, upper bool) (w, v *ops.Node) {
	if isComplex(a) {
		return complexEigh(a, upper)
	}
	r := ops.ApplyAll("linalg.eigh", eighAttr{upper}, a)
	return r[0], r[1]
}

type eighAttr struct {
	Upper bool `default:"false" doc:"the upper triangle is read, not the lower one"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.eigh", Category: "linear algebra",
	Attributes: ops.AttributesOf[eighAttr](), Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"w", "v"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, n, err := squareOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, n)}, {DType: c.DType(0), Shape: c.Shape(0)}}, err
	},
	Algorithm: func(p ops.Primitive) engine.Algorithm {
		batch, _, n := extentsOf(p.In(0))
		return &engine.Eigh{Batch: batch, N: n, Upper: p.Attr().(eighAttr).Upper}
	},
	// With E[i, j] = w[j] - w[i]: dA = V [diag(dw) + (Vᵀ dV)/E] Vᵀ, without the diagonal of the quotient.
	Grad: func(b *ops.Back) {
		w, v := b.Result(0), b.Result(1)
		e := ops.Sub(ops.ExpandDims(w, -2), ops.ExpandDims(w, -1))
		inner := safeQuotient(ops.MatMul(build.SwapLast(v), b.GradOf(1)), e)
		b.Add(0, ops.MatMul(v, ops.MatMul(withDiagonal(inner, b.GradOf(0)), build.SwapLast(v))))
	},
})

// Eigvalsh returns the eigenvalues of symmetric, or complex and Hermitian, matrices alone, [..., n], the smallest first. They may be
// equal where they are differentiated. Otherwise as [Eigh].
func Eigvalsh(a *ops.Node, upper bool) *ops.Node {
	if isComplex(a) {
		return complexEigvalsh(a, upper)
	}
	return ops.Apply("linalg.eigvalsh", eighAttr{upper}, a)
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.eigvalsh", Category: "linear algebra",
	Attributes: ops.AttributesOf[eighAttr](), Operands: operandA, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		batch, n, err := squareOf(c, 0)
		return shapes.With(batch, n), c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		w, _ := Eigh(c.In[0], c.Attr.(eighAttr).Upper)
		return w
	},
	Grad: func(b *ops.Back) {
		_, v := Eigh(b.In(0), b.Attr().(eighAttr).Upper)
		b.Add(0, ops.MatMul(scaleColumns(v, b.Grad()), build.SwapLast(v)))
	},
})

// RankOptions say which singular values count as zero.
type RankOptions struct {
	// Rtol and Atol are tolerances: a singular value of at most max(Atol, Rtol · the largest) counts as zero. Rtol 0 stands for max(m, n)
	// times the distance from 1 to the next number of the dtype, if Atol is 0 too.
	Rtol, Atol float64
	// Hermitian: matrices are symmetric, and the absolute values of their eigenvalues take the place of singular
	// values, which is faster; only the lower triangle is read.
	Hermitian bool
}

type rankTolerance struct {
	Rtol      float64 `default:"0" doc:"relative to the largest singular value; 0: of the dtype, where atol is 0"`
	Atol      float64 `default:"0" doc:"what is at most this counts as zero"`
	Hermitian bool    `default:"false" doc:"matrices are symmetric"`
}

func toleranceOf(o *RankOptions) rankTolerance {
	if o == nil {
		return rankTolerance{}
	}
	return rankTolerance(*o)
}

// rtol is the relative tolerance for operand 0 of c.
func (a rankTolerance) rtol(c *ops.Call) float64 {
	if a.Rtol != 0 || a.Atol != 0 {
		return a.Rtol
	}
	_, m, n, _ := matrixOf(c, 0)
	return float64(max(m, n)) * epsilonOf(c.DType(0))
}

// check reports tolerances that make no sense, and matrices that cannot be symmetric.
func (a rankTolerance) check(c *ops.Call) (batch []int, m, n int, err error) {
	batch, m, n, err = matrixOf(c, 0)
	switch {
	case err != nil:
	case !(a.Rtol >= 0) || !(a.Atol >= 0):
		err = fmt.Errorf("the tolerances %v and %v are not at least 0", a.Rtol, a.Atol)
	case a.Hermitian && m != n:
		err = fmt.Errorf("%v are no symmetric matrices", c.Shape(0))
	}
	return batch, m, n, err
}

// epsilonOf is the distance from 1 to the next number.
func epsilonOf(dt tensor.DType) float64 {
	if dt == tensor.Float64 {
		return 0x1p-52
	}
	return 0x1p-23
}

// MatrixRank returns the ranks of matrices, as int64: how many singular values count. a is [..., m, n], float32 or float64; the result is
// [...].
// Errors: dtype; shapes; a tolerance is negative.
// Source: NumPy, numpy.linalg.matrix_rank.
func MatrixRank(a *ops.Node, o *RankOptions) *ops.Node {
	return ops.Apply("linalg.matrix_rank", toleranceOf(o), a)
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.matrix_rank", Category: "linear algebra", Flat: true,
	Attributes: ops.AttributesOf[rankTolerance](), Operands: operandA, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		batch, _, _, err := c.Attr.(rankTolerance).check(c)
		return batch, tensor.Int64, err
	},
	Compose: func(c *ops.Call) *ops.Node {
		a, x := c.Attr.(rankTolerance), c.In[0]
		s := absoluteValues(x, a.Hermitian)
		if s.Size() == 0 {
			return ops.BroadcastTo(ops.Cast(ops.ScalarLike(x, 0), tensor.Int64), batchOf(x)...)
		}
		bound := ops.Maximum(ops.Mul(ops.Max(s, -1), ops.ScalarLike(s, a.rtol(c))), ops.ScalarLike(s, a.Atol))
		return ops.Sum(ops.Cast(ops.Greater(s, ops.ExpandDims(bound, -1)), tensor.Int64), -1)
	},
})

// absoluteValues are the singular values of x, of symmetric matrices by their eigenvalues and in another order.
func absoluteValues(x *ops.Node, symmetric bool) *ops.Node {
	if symmetric {
		return ops.Abs(Eigvalsh(x, false))
	}
	return SVDVals(x)
}

// Pinv returns the Moore-Penrose inverses of matrices: with their singular value decomposition,
//
//	y = V diag(1/s) Uᵀ, without the singular values that count as zero
//
// a is [..., m, n], float32 or float64, computed in float64; the result is [..., n, m]. The derivative is that at a constant rank. A
// matrix with an element that is not finite gives NaN. Errors: dtype; shapes; a tolerance is negative.
// Source: Golub and Pereyra, The Differentiation of Pseudo-Inverses and Nonlinear Least Squares Problems Whose Variables
// Separate (1973).
func Pinv(a *ops.Node, o *RankOptions) *ops.Node { return ops.Apply("linalg.pinv", toleranceOf(o), a) }

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.pinv", Category: "linear algebra",
	Attributes: ops.AttributesOf[rankTolerance](), Operands: operandA, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		batch, m, n, err := c.Attr.(rankTolerance).check(c)
		return shapes.With(batch, n, m), c.DType(0), err
	},
	Kernel: hostMatrices([]int{2}, []int{2}, func(c *ops.Call, out, in []dense.Matrix) {
		a := c.Attr.(rankTolerance)
		dense.Put(out[0], dense.PseudoInverse(in[0], a.rtol(c), a.Atol, a.Hermitian))
	}),
	Grad: func(b *ops.Back) { b.Add(0, pinvGrad(b.In(0), b.Out(), b.Grad())) },
})

// pinvGrad is the derivative by a, whose pseudo-inverse is p, for d, that by p:
//
//	dA = -Pᵀ dP Pᵀ + (I - A P) dPᵀ P Pᵀ + Pᵀ P dPᵀ (I - P A)
func pinvGrad(a, p, d *ops.Node) *ops.Node {
	pt, dt := build.SwapLast(p), build.SwapLast(d)
	left, right := ops.MatMul(dt, ops.MatMul(p, pt)), ops.MatMul(ops.MatMul(pt, p), dt)
	left = ops.Sub(left, ops.MatMul(a, ops.MatMul(p, left)))
	right = ops.Sub(right, ops.MatMul(ops.MatMul(right, p), a))
	return ops.Sub(ops.Add(left, right), ops.MatMul(pt, ops.MatMul(d, pt)))
}

// LstsqOptions say how [Lstsq] solves.
type LstsqOptions struct {
	// Rtol is the bound of singular values that count as zero, relative to the largest; 0 stands for max(m, n) times the distance
	// from 1 to the next number of the dtype.
	Rtol float64
}

// Lstsq returns the least squares solution of a x = b, the x of least norm where there are several, the residuals, and the ranks of
// a as int64:
//
//	x = argmin ‖a x - b‖₂,  residuals[j] = ‖a x - b‖₂² of column j
//
// a is [..., m, n] and b [..., m, k], float32 or float64; batches broadcast. x is [..., n, k], residuals [..., k] and the rank [...]. Where
// m <= n or the rank is less than n, residuals are those of the solution, which NumPy and PyTorch leave out.
// Errors: dtypes; shapes.
// Source: Golub and Van Loan, Matrix Computations (2013), sections 5.3 and 5.5.
func Lstsq(a, b *ops.Node, o *LstsqOptions) (x, residuals, rank *ops.Node) {
	var attr lstsqAttr
	if o != nil {
		attr = lstsqAttr(*o)
	}
	r := ops.ApplyAll("linalg.lstsq", attr, a, b)
	return r[0], r[1], r[2]
}

type lstsqAttr struct {
	Rtol float64 `default:"0" doc:"singular values of at most this times the largest count as zero; 0: of the dtype"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.lstsq", Category: "linear algebra",
	Attributes: ops.AttributesOf[lstsqAttr](), Operands: operandsSystem, DTypes: dtypes.Wide,
	ResultNames: []string{"x", "residuals", "rank"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, m, n, err := matrixOf(c, 0)
		if err != nil {
			return nil, err
		}
		others, rows, k, err := matrixOf(c, 1)
		switch r := c.Attr.(lstsqAttr).Rtol; {
		case err != nil:
			return nil, err
		case rows != m:
			return nil, fmt.Errorf("b is %v, which does not fit a of %v", c.Shape(1), c.Shape(0))
		case !(r >= 0) || math.IsInf(r, 1):
			return nil, fmt.Errorf("the tolerance is %v", r)
		}
		if batch, err = tensor.Broadcast(batch, others); err != nil {
			return nil, fmt.Errorf("batches do not broadcast: %v and %v", c.Shape(0), c.Shape(1))
		}
		return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, n, k)}, {DType: c.DType(0), Shape: shapes.With(batch, k)},
			{DType: tensor.Int64, Shape: batch}}, nil
	},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		in, err := stretchBatches(c.In, []int{2, 2})
		if err != nil {
			f := c.Fail(err)
			return []*ops.Node{f, f, f}
		}
		a, b := in[0], in[1]
		r := ops.ApplyAll("linalg.least_squares", c.Attr, a, b)
		off := ops.Sub(ops.MatMul(a, r[0]), b)
		return []*ops.Node{r[0], ops.Sum(ops.Square(off), -2), ops.Cast(r[1], tensor.Int64)}
	},
})

// Least squares on the host, with a tolerance that is not 0.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.least_squares_host", Hidden: true,
	Attributes: ops.AttributesOf[lstsqAttr](), Operands: operandsSystem, DTypes: dtypes.Wide,
	ResultNames: []string{"x", "rank"}, Results: leastSquaresResults,
	Kernel: hostMatrices([]int{2, 2}, []int{2, 0}, func(c *ops.Call, out, in []dense.Matrix) {
		x, rank := dense.LeastSquares(in[0], in[1], c.Attr.(lstsqAttr).Rtol)
		dense.Put(out[0], x)
		out[1].Data[0] = float64(rank)
	}),
})

func leastSquaresResults(c *ops.Call) ([]ops.Result, error) {
	batch, _, n, err := matrixOf(c, 0)
	return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, n, c.Shape(1)[len(batch)+1])}, {DType: tensor.Int32, Shape: batch}}, err
}

// Least squares of equal batches.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.least_squares", Hidden: true,
	Attributes: ops.AttributesOf[lstsqAttr](), Operands: operandsSystem, DTypes: dtypes.Wide,
	ResultNames: []string{"x", "rank"},
	Results:     leastSquaresResults,
	// Of many more rows than columns, R has the singular values of a and is small.
	ComposeAll: func(c *ops.Call) []*ops.Node {
		a, b, attr := c.In[0], c.In[1], c.Attr.(lstsqAttr)
		attr.Rtol = rankTolerance{Rtol: attr.Rtol}.rtol(c)
		if rowsOf(a) >= 2*columnsOf(a) && columnsOf(a) > 0 {
			q, r := QR(a, QRReduced)
			a, b = r, ops.MatMul(build.SwapLast(q), b)
		}
		return ops.ApplyAll("linalg.least_squares_host", attr, a, b)
	},
	// x = A⁺ b: db = A⁺ᵀ dx, and dA is that of the pseudo-inverse for dx bᵀ.
	Grad: func(b *ops.Back) {
		d := b.GradOf(0)
		p := Pinv(b.In(0), &RankOptions{Rtol: b.Attr().(lstsqAttr).Rtol})
		b.Add(1, ops.MatMul(build.SwapLast(p), d))
		if b.Wants(0) {
			b.Add(0, pinvGrad(b.In(0), p, ops.MatMul(d, build.SwapLast(b.In(1)))))
		}
	},
})
