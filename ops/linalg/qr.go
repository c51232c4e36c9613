package linalg

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// QRMode says which factors [QR] gives.
type QRMode string

// The modes of [QR] for matrices of m rows and n columns, k = min(m, n).
const (
	QRReduced  QRMode = "reduced"  // Q is m x k, R is k x n
	QRComplete QRMode = "complete" // Q is m x m, R is m x n
	QRFactorR  QRMode = "r"        // Q is empty, R is k x n
)

// QR returns the QR decomposition of matrices:
//
//	a = Q R,  Qᵀ Q = I,  R upper triangular
//
// a is [..., m, n], float32 or float64, by Householder reflections; the signs of the diagonal of R are LAPACK's. The
// derivative is that of the first k columns, where the first k columns of a are independent; the complete Q has none where m > n. A
// matrix with an element that is not finite gives NaN. Errors: dtype; a is not of matrices; the mode is unknown.
// Source: Golub and Van Loan, Matrix Computations (2013), section 5.2; Roberts and Roberts, QR and LQ Decomposition Matrix
// Backpropagation Algorithms for Square, Wide, and Deep Matrices (2020).
func QR(a *ops.Node, mode QRMode) (q, r *ops.Node) {
	all := ops.ApplyAll("linalg.qr", qrAttr{string(mode)}, a)
	return all[0], all[1]
}

type qrAttr struct {
	Mode string `default:"reduced" doc:"reduced, complete, or r for R alone"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.qr", Category: "linear algebra",
	Attributes: ops.AttributesOf[qrAttr](), Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"q", "r"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, m, n, err := matrixOf(c, 0)
		if err != nil {
			return nil, err
		}
		k := min(m, n)
		q, r := shapes.With(batch, m, k), shapes.With(batch, k, n)
		switch mode := c.Attr.(qrAttr).Mode; QRMode(mode) {
		case QRReduced:
		case QRComplete:
			q, r = shapes.With(batch, m, m), shapes.With(batch, m, n)
		case QRFactorR:
			q = []int{0}
		default:
			return nil, fmt.Errorf("the mode %q is not reduced, complete or r", mode)
		}
		return []ops.Result{{DType: c.DType(0), Shape: q}, {DType: c.DType(0), Shape: r}}, nil
	},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		a, mode := c.In[0], QRMode(c.Attr.(qrAttr).Mode)
		columns := min(rowsOf(a), columnsOf(a))
		if mode == QRComplete {
			columns = rowsOf(a)
		}
		r := ops.ApplyAll("linalg.qr_columns", columnsAttr{columns}, a)
		if mode == QRFactorR {
			r[0] = a.Graph().Full(a.DType(), 0, 0)
		}
		return r
	},
})

type columnsAttr struct{ Columns int }

// The QR decomposition with that many columns of Q.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.qr_columns", Hidden: true,
	Attributes: ops.AttributesOf[columnsAttr](), Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"q", "r"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, m, n, err := matrixOf(c, 0)
		k := c.Attr.(columnsAttr).Columns
		return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, m, k)}, {DType: c.DType(0), Shape: shapes.With(batch, k, n)}}, err
	},
	Algorithm: func(p ops.Primitive) engine.Algorithm {
		batch, m, n := extentsOf(p.In(0))
		return &engine.QR{Batch: batch, M: m, N: n, Columns: int64(p.Attr().(columnsAttr).Columns)}
	},
	Grad: func(b *ops.Back) {
		q, r, dq, dr := b.Result(0), b.Result(1), b.GradOf(0), b.GradOf(1)
		m, n := rowsOf(q), columnsOf(r)
		if m > n && columnsOf(q) > n {
			b.Fail(errors.New("the complete Q of a matrix with more rows than columns has no derivative"))
			return
		}
		// The columns of R after the first m are Qᵀ times those of a: they add to the derivative of Q.
		if n > m {
			rest, d := build.Cut(b.In(0), -1, m, n), build.Cut(dr, -1, m, n)
			dq = ops.Add(dq, ops.MatMul(rest, build.SwapLast(d)))
			r, dr = build.Cut(r, -1, 0, m), build.Cut(dr, -1, 0, m)
		}
		// dA = [dQ + Q copyltu(triu(dR Rᵀ - Qᵀ dQ))] R⁻ᵀ, where copyltu mirrors one triangle.
		s := ops.Triu(ops.Sub(ops.MatMul(dr, build.SwapLast(r)), ops.MatMul(build.SwapLast(q), dq)), 0)
		s = ops.Add(s, build.SwapLast(ops.Triu(s, 1)))
		da := ops.Apply("linalg.solve_triangle", triangleAttr{Upper: true, Transposed: true, Right: true}, r, ops.Add(dq, ops.MatMul(q, s)))
		if n > m {
			da = ops.Concat(-1, da, ops.MatMul(q, build.Cut(b.GradOf(1), -1, m, n)))
		}
		b.Add(0, da)
	},
})

// Geqrf returns the QR decomposition of matrices as LAPACK does: in factors R, and below it the vectors of the Householder reflectors of
// which Q is the product, without their first element, which is 1; and their scalars tau. [HouseholderProduct] makes Q of
// them, [Ormqr] multiplies by it. a is [..., m, n], factors too, tau [..., min(m, n)]. Errors: dtype; a is not of matrices.
// Source: LAPACK, DGEQRF.
func Geqrf(a *ops.Node) (factors, tau *ops.Node) {
	r := ops.ApplyAll("linalg.geqrf", nil, a)
	return r[0], r[1]
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.geqrf", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide,
	NoGrad:      "use linalg.QR, which has one",
	ResultNames: []string{"factors", "tau"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, m, n, err := matrixOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: c.Shape(0)}, {DType: c.DType(0), Shape: shapes.With(batch, min(m, n))}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{2, 1}, func(_ *ops.Call, out, in []dense.Matrix) {
		copy(out[1].Data, dense.Reflectors(in[0]))
		dense.Put(out[0], in[0])
	}),
})

// HouseholderProduct returns the first n columns of the product of Householder reflectors:
//
//	Q = H₁ H₂ ··· H_k,  H_i = I - tau[i] v_i v_iᵀ
//
// where v_i is column i of a below its diagonal, with a 1 on it and zeros above. a is [..., m, n] with m >= n, tau [..., k] with k <= n;
// both are float32 or float64. It is computed by products of matrices, on every engine, and by one triangular system. Errors: dtypes;
// shapes.
// Source: LAPACK, DORGQR; Joffrain and others, Accumulating Householder Transformations, Revisited (2006).
func HouseholderProduct(a, tau *ops.Node) *ops.Node {
	return ops.Apply("linalg.householder_product", nil, a, tau)
}

var operandsReflectors = []ops.Operand{{Name: "a"}, {Name: "tau"}}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.householder_product", Category: "linear algebra",
	Operands: operandsReflectors, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		m, n, err := reflectors(c)
		if err == nil && m < n {
			err = fmt.Errorf("a is %v, with more columns than rows", c.Shape(0))
		}
		return c.Shape(0), c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		a := c.In[0]
		v, t := reflections(a, c.In[1])
		n := columnsOf(a)
		return ops.Sub(identity(a, rowsOf(a), n), ops.MatMul(v, ops.MatMul(t, build.SwapLast(build.Cut(v, -2, 0, n)))))
	},
})

// reflectors checks that operands 0 and 1 are the vectors and scalars of reflectors.
func reflectors(c *ops.Call) (m, n int, err error) {
	batch, m, n, err := matrixOf(c, 0)
	if err != nil {
		return 0, 0, err
	}
	tau := c.Shape(1)
	if len(tau) != len(batch)+1 || !tensor.EqualShapes(tau[:len(batch)], batch) || tau[len(batch)] > min(m, n) {
		return 0, 0, fmt.Errorf("tau is %v, not %v for a of %v", tau, shapes.With(batch, min(m, n)), c.Shape(0))
	}
	return m, n, nil
}

// reflections are V and T for which the product of the reflectors is I - V T Vᵀ: T⁻¹ has on the diagonal 1/tau and above it VᵀV.
func reflections(a, tau *ops.Node) (v, t *ops.Node) {
	k := tau.Dim(-1)
	v = ops.Add(ops.Tril(build.Cut(a, -1, 0, k), -1), identity(a, rowsOf(a), k))
	inner := scaleRows(tau, ops.Triu(ops.MatMul(build.SwapLast(v), v), 1))
	return v, ops.Apply("linalg.solve_triangle", triangleAttr{Upper: true, Unit: true}, inner, onDiagonal(tau))
}

// OrmqrOptions say how [Ormqr] multiplies. The zero value and nil are Q other.
type OrmqrOptions struct {
	// Right: other Q.
	Right bool
	// Transposed: the transpose of Q takes its place.
	Transposed bool
}

// Ormqr returns the product of the m x m matrix Q of Householder reflectors, as [HouseholderProduct] has it, with other, without computing
// Q. a is [..., m, n], tau [..., k], other [..., m, p], or [..., p, m] with Right; batches are equal. Errors: dtypes; shapes.
// Source: LAPACK, DORMQR.
func Ormqr(a, tau, other *ops.Node, o *OrmqrOptions) *ops.Node {
	var attr ormqrAttr
	if o != nil {
		attr = ormqrAttr(*o)
	}
	return ops.Apply("linalg.ormqr", attr, a, tau, other)
}

type ormqrAttr struct {
	Right      bool `default:"false" doc:"other Q instead of Q other"`
	Transposed bool `default:"false" doc:"the transpose of Q takes its place"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.ormqr", Category: "linear algebra",
	Attributes: ops.AttributesOf[ormqrAttr](),
	Operands:   []ops.Operand{{Name: "a"}, {Name: "tau"}, {Name: "other"}}, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		m, _, err := reflectors(c)
		if err != nil {
			return nil, 0, err
		}
		batch, p, q, err := matrixOf(c, 2)
		if c.Attr.(ormqrAttr).Right {
			p = q
		}
		if err == nil && (p != m || !tensor.EqualShapes(batch, c.Shape(0)[:len(c.Shape(0))-2])) {
			err = fmt.Errorf("other is %v, which does not fit a of %v", c.Shape(2), c.Shape(0))
		}
		return c.Shape(2), c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		v, t := reflections(c.In[0], c.In[1])
		o, other := c.Attr.(ormqrAttr), c.In[2]
		if o.Transposed {
			t = build.SwapLast(t)
		}
		if o.Right {
			return ops.Sub(other, ops.MatMul(ops.MatMul(ops.MatMul(other, v), t), build.SwapLast(v)))
		}
		return ops.Sub(other, ops.MatMul(v, ops.MatMul(t, ops.MatMul(build.SwapLast(v), other))))
	},
})
