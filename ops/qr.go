package ops

import (
	"fmt"

	"github.com/anycl/anycl/internal/dense"
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
// a is [..., m, n], float32 or float64, computed in float64 by Householder reflections; the signs of the diagonal of R are LAPACK's. The
// derivative is that of the first k columns, where the first k columns of a are independent; the complete Q has none where m > n. A
// matrix with an element that is not finite gives NaN. Errors: dtype; a is not of matrices; the mode is unknown.
// Source: Golub and Van Loan, Matrix Computations (2013), section 5.2; Roberts and Roberts, QR and LQ Decomposition Matrix
// Backpropagation Algorithms for Square, Wide, and Deep Matrices (2020).
func QR(a *Node, mode QRMode) (q, r *Node) {
	all := picks(apply("qr", qrAttr{string(mode)}, a), 2)
	return all[0], all[1]
}

type qrAttr struct {
	Mode string `default:"reduced" doc:"reduced, complete, or r for R alone"`
}

var _ = define(Op{
	Name: "qr", Category: "linear algebra",
	Attributes: AttributesOf[qrAttr](), Operands: operandA, DTypes: matrixFloats,
	ResultNames: []string{"q", "r"},
	Results: func(c *Call) ([]Result, error) {
		batch, m, n, err := c.matrixOf(0)
		if err != nil {
			return nil, err
		}
		k := min(m, n)
		q, r := with(batch, m, k), with(batch, k, n)
		switch mode := c.Attr.(qrAttr).Mode; QRMode(mode) {
		case QRReduced:
		case QRComplete:
			q, r = with(batch, m, m), with(batch, m, n)
		case QRFactorR:
			q = []int{0}
		default:
			return nil, fmt.Errorf("the mode %q is not reduced, complete or r", mode)
		}
		return []Result{{c.dt(0), q}, {c.dt(0), r}}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		a, mode := c.In[0], QRMode(c.Attr.(qrAttr).Mode)
		columns := min(rowsOf(a), columnsOf(a))
		if mode == QRComplete {
			columns = rowsOf(a)
		}
		r := picks(apply("qr_columns", columnsAttr{columns}, a), 2)
		if mode == QRFactorR {
			r[0] = a.graph.Full(a.dtype, 0, 0)
		}
		return r
	},
})

type columnsAttr struct{ Columns int }

// The QR decomposition with that many columns of Q.
var _ = define(Op{
	Name: "qr_columns", hidden: true,
	Attributes: AttributesOf[columnsAttr](), Operands: operandA, DTypes: matrixFloats,
	ResultNames: []string{"q", "r"},
	Results: func(c *Call) ([]Result, error) {
		batch, m, n, err := c.matrixOf(0)
		k := c.Attr.(columnsAttr).Columns
		return []Result{{c.dt(0), with(batch, m, k)}, {c.dt(0), with(batch, k, n)}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{2, 2}, func(c *Call, out, in []dense.Matrix) {
		q, r := dense.QR(in[0], c.Attr.(columnsAttr).Columns)
		dense.Put(out[0], q)
		dense.Put(out[1], r)
	}),
	Grad: func(b *Back) {
		q, r, dq, dr := b.Result(0), b.Result(1), b.GradOf(0), b.GradOf(1)
		m, n := rowsOf(q), columnsOf(r)
		if m > n && columnsOf(q) > n {
			b.fail("the complete Q of a matrix with more rows than columns has no derivative")
			return
		}
		// The columns of a after the first m are Qᵀ times what they were: they add to the derivative of Q.
		if n > m {
			rest, d := cutAxis(b.In(0), -1, m, n), cutAxis(dr, -1, m, n)
			dq = Add(dq, MatMul(rest, swapLast(d)))
			r, dr = cutAxis(r, -1, 0, m), cutAxis(dr, -1, 0, m)
		}
		// dA = [dQ + Q copyltu(triu(dR Rᵀ - Qᵀ dQ))] R⁻ᵀ, where copyltu mirrors one triangle.
		s := upperPart(Sub(MatMul(dr, swapLast(r)), MatMul(swapLast(q), dq)), 0)
		s = Add(s, swapLast(upperPart(s, 1)))
		da := apply("solve_triangle", triangleAttr{Upper: true, Transposed: true, Right: true}, r, Add(dq, MatMul(q, s)))
		if n > m {
			da = Concat(-1, da, MatMul(q, cutAxis(b.GradOf(1), -1, m, n)))
		}
		b.Add(0, da)
	},
})

// Geqrf returns the QR decomposition of matrices as LAPACK does: in factors R, and below it the vectors of the Householder reflectors of
// which Q is the product, without their first element, which is 1; and their scalars tau. [HouseholderProduct] makes Q of
// them, [Ormqr] multiplies by it. a is [..., m, n], factors too, tau [..., min(m, n)]. Errors: dtype; a is not of matrices.
// Source: LAPACK, DGEQRF.
func Geqrf(a *Node) (factors, tau *Node) {
	r := picks(apply("geqrf", nil, a), 2)
	return r[0], r[1]
}

var _ = define(Op{
	Name: "geqrf", Category: "linear algebra",
	Operands: operandA, DTypes: matrixFloats,
	NoGrad:      "use ops.QR, which has one",
	ResultNames: []string{"factors", "tau"},
	Results: func(c *Call) ([]Result, error) {
		batch, m, n, err := c.matrixOf(0)
		return []Result{{c.dt(0), c.shape(0)}, {c.dt(0), with(batch, min(m, n))}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{2, 1}, func(_ *Call, out, in []dense.Matrix) {
		copy(out[1].Data, dense.Reflectors(in[0]))
		dense.Put(out[0], in[0])
	}),
})

// HouseholderProduct returns the first n columns of the product of Householder reflectors:
//
//	Q = H₁ H₂ ··· H_k,  H_i = I - tau[i] v_i v_iᵀ
//
// where v_i is column i of a below its diagonal, with a 1 on it and zeros above. a is [..., m, n] with m >= n, tau [..., k] with k <= n; both are
// float32 or float64. It is computed by products of matrices, on every engine, and by one triangular system. Errors: dtypes; shapes.
// Source: LAPACK, DORGQR; Joffrain and others, Accumulating Householder Transformations, Revisited (2006).
func HouseholderProduct(a, tau *Node) *Node { return apply("householder_product", nil, a, tau) }

var operandsReflectors = []Operand{{Name: "a"}, {Name: "tau"}}

var _ = define(Op{
	Name: "householder_product", Category: "linear algebra",
	Operands: operandsReflectors, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		m, n, err := c.reflectors()
		if err == nil && m < n {
			err = fmt.Errorf("a is %v, with more columns than rows", c.shape(0))
		}
		return c.shape(0), c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		a := c.In[0]
		v, t := reflections(a, c.In[1])
		n := columnsOf(a)
		return Sub(identity(a, rowsOf(a), n), MatMul(v, MatMul(t, swapLast(cutAxis(v, -2, 0, n)))))
	},
})

// reflectors checks that operands 0 and 1 are the vectors and scalars of reflectors.
func (c *Call) reflectors() (m, n int, err error) {
	batch, m, n, err := c.matrixOf(0)
	if err != nil {
		return 0, 0, err
	}
	tau := c.shape(1)
	if len(tau) != len(batch)+1 || !tensor.EqualShapes(tau[:len(batch)], batch) || tau[len(batch)] > min(m, n) {
		return 0, 0, fmt.Errorf("tau is %v, not %v for a of %v", tau, with(batch, min(m, n)), c.shape(0))
	}
	return m, n, nil
}

// reflections are V and T for which the product of the reflectors is I - V T Vᵀ: T⁻¹ has on the diagonal 1/tau and above it VᵀV.
func reflections(a, tau *Node) (v, t *Node) {
	k := tau.shape[tau.Rank()-1]
	v = Add(lowerPart(cutAxis(a, -1, 0, k), -1), identity(a, rowsOf(a), k))
	inner := scaleRows(tau, upperPart(MatMul(swapLast(v), v), 1))
	return v, apply("solve_triangle", triangleAttr{Upper: true, Unit: true}, inner, onDiagonal(tau))
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
func Ormqr(a, tau, other *Node, o *OrmqrOptions) *Node {
	var attr ormqrAttr
	if o != nil {
		attr = ormqrAttr(*o)
	}
	return apply("ormqr", attr, a, tau, other)
}

type ormqrAttr struct {
	Right      bool `default:"false" doc:"other Q instead of Q other"`
	Transposed bool `default:"false" doc:"the transpose of Q takes its place"`
}

var _ = define(Op{
	Name: "ormqr", Category: "linear algebra",
	Attributes: AttributesOf[ormqrAttr](),
	Operands:   []Operand{{Name: "a"}, {Name: "tau"}, {Name: "other"}}, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		m, _, err := c.reflectors()
		if err != nil {
			return nil, 0, err
		}
		batch, p, q, err := c.matrixOf(2)
		if c.Attr.(ormqrAttr).Right {
			p = q
		}
		if err == nil && (p != m || !tensor.EqualShapes(batch, c.shape(0)[:len(c.shape(0))-2])) {
			err = fmt.Errorf("other is %v, which does not fit a of %v", c.shape(2), c.shape(0))
		}
		return c.shape(2), c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		v, t := reflections(c.In[0], c.In[1])
		o, other := c.Attr.(ormqrAttr), c.In[2]
		if o.Transposed {
			t = swapLast(t)
		}
		if o.Right {
			return Sub(other, MatMul(MatMul(MatMul(other, v), t), swapLast(v)))
		}
		return Sub(other, MatMul(v, MatMul(t, MatMul(swapLast(v), other))))
	},
})
