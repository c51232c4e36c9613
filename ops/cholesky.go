package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/tensor"
)

// Cholesky returns the Cholesky factor of symmetric positive definite matrices:
//
//	a = L Lᵀ with L lower triangular, or a = Uᵀ U with U upper triangular
//
// a is [..., n, n], float32 or float64, computed in float64; only the triangle that the factor has is read. Where a matrix is not positive
// definite, its factor is NaN: a graph does not fail while it runs; [CholeskyEx] tells which. The derivative is
// that of a symmetric a, shared equally by both triangles. Errors: dtype; matrices are not square.
// Source: Golub and Van Loan, Matrix Computations (2013), section 4.2; Murray, Differentiation of the Cholesky
// decomposition (2016).
func Cholesky(a *Node, upper bool) *Node {
	l, _ := CholeskyEx(a, upper)
	return l
}

// CholeskyEx is [Cholesky] with a second result, int32 [...]: 0 where a matrix is positive definite, and else the order of
// the first leading minor that is not positive.
func CholeskyEx(a *Node, upper bool) (factor, info *Node) {
	r := picks(apply("cholesky", choleskyAttr{upper}, a), 2)
	return r[0], r[1]
}

type choleskyAttr struct {
	Upper bool `default:"false" doc:"the factor is upper triangular"`
}

var _ = define(Op{
	Name: "cholesky", Category: "linear algebra",
	Attributes: AttributesOf[choleskyAttr](),
	Operands:   []Operand{{Name: "a"}}, DTypes: matrixFloats,
	ResultNames: []string{"factor", "info"},
	Results: func(c *Call) ([]Result, error) {
		batch, _, err := c.squareOf(0)
		return []Result{{c.dt(0), c.shape(0)}, {tensor.Int32, batch}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{2, 0}, func(c *Call, out, in []dense.Matrix) {
		out[1].Data[0] = float64(dense.Cholesky(in[0], c.Attr.(choleskyAttr).Upper))
		dense.Put(out[0], in[0])
	}),
	// With L: S = L⁻ᵀ Φ(Lᵀ dL) L⁻¹, where Φ takes the lower triangle with half the diagonal, made symmetric.
	Grad: func(b *Back) {
		l, d := b.Out(), b.Grad()
		if b.Attr().(choleskyAttr).Upper {
			l, d = swapLast(l), swapLast(d)
		}
		p := lowerPart(MatMul(swapLast(l), d), 0)
		p = Add(p, swapLast(lowerPart(p, -1))) // twice the symmetric part of Φ
		p = apply("solve_triangle", triangleAttr{Transposed: true}, l, p)
		p = apply("solve_triangle", triangleAttr{Right: true}, l, p)
		b.Add(0, Mul(p, ScalarLike(p, 0.5)))
	},
})

// CholeskySolve returns the solution x of a x = b for the matrices a of which factor is the Cholesky factor. factor is [..., n, n],
// and only its triangle is read, the upper one if upper is set; b is [..., n, k] of the same dtype; batches
// broadcast. Errors: dtypes; shapes.
func CholeskySolve(b, factor *Node, upper bool) *Node {
	return apply("cholesky_solve", choleskyAttr{upper}, b, factor)
}

var _ = define(Op{
	Name: "cholesky_solve", Category: "linear algebra",
	Attributes: AttributesOf[choleskyAttr](),
	Operands:   []Operand{{Name: "b"}, {Name: "factor"}}, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 1, 0, false)
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		upper := c.Attr.(choleskyAttr).Upper
		o := &TriangularOptions{Upper: upper, Transposed: upper}
		y := SolveTriangular(c.In[1], c.In[0], o)
		return SolveTriangular(c.In[1], y, &TriangularOptions{Upper: upper, Transposed: !upper})
	},
})

// CholeskyInverse returns the inverses of the matrices of which factor, [..., n, n], is the Cholesky factor. Otherwise as [CholeskySolve].
func CholeskyInverse(factor *Node, upper bool) *Node {
	return apply("cholesky_inverse", choleskyAttr{upper}, factor)
}

var _ = define(Op{
	Name: "cholesky_inverse", Category: "linear algebra",
	Attributes: AttributesOf[choleskyAttr](),
	Operands:   []Operand{{Name: "factor"}}, DTypes: matrixFloats,
	Result: squareResult,
	Compose: func(c *Call) *Node {
		l, n := c.In[0], columnsOf(c.In[0])
		o := triangleAttr{Upper: c.Attr.(choleskyAttr).Upper}
		inverse := apply("solve_triangle", o, l, identity(l, n, n))
		if o.Upper { // (Uᵀ U)⁻¹ = U⁻¹ U⁻ᵀ
			return MatMul(inverse, swapLast(inverse))
		}
		return MatMul(swapLast(inverse), inverse)
	},
})

// TriangularOptions say which system [SolveTriangular] solves. The zero value and nil are a x = b with a lower triangular a.
type TriangularOptions struct {
	// Upper: a is upper triangular, as it lies in memory.
	Upper bool
	// Transposed: the transpose of a takes its place.
	Transposed bool
	// Unit: the diagonal of a counts as ones, and is not read.
	Unit bool
	// Right: x a = b.
	Right bool
}

// SolveTriangular returns the solution x of a x = b for triangular matrices a, of which only this triangle is read. a is [..., n, n]; b is
// [..., n, k], or [..., k, n] with Right; both are float32 or float64, and batches broadcast. A zero on the diagonal gives infinities or
// NaN. Errors: dtypes; shapes.
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.1.
func SolveTriangular(a, b *Node, o *TriangularOptions) *Node {
	var t triangleAttr
	if o != nil {
		t = triangleAttr(*o)
	}
	return apply("solve_triangular", t, a, b)
}

type triangleAttr struct {
	Upper      bool `default:"false" doc:"a is upper triangular, as it lies in memory"`
	Transposed bool `default:"false" doc:"the transpose of a takes its place"`
	Unit       bool `default:"false" doc:"the diagonal of a counts as ones"`
	Right      bool `default:"false" doc:"x a = b"`
}

var operandsSystem = []Operand{{Name: "a"}, {Name: "b"}}

var _ = define(Op{
	Name: "solve_triangular", Category: "linear algebra",
	Attributes: AttributesOf[triangleAttr](), Operands: operandsSystem, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 0, 1, c.Attr.(triangleAttr).Right)
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		x, err := stretchBatches(c.In, []int{2, 2})
		if err != nil {
			return c.In[0].graph.fail(c.Op.Name, c.In, err)
		}
		return apply("solve_triangle", c.Attr, x...)
	},
})

// solveShape is the shape of the solution of operand a x = operand b, or x a = b.
func solveShape(c *Call, a, b int, right bool) ([]int, error) {
	batch, n, err := c.squareOf(a)
	if err != nil {
		return nil, err
	}
	others, rows, columns, err := c.matrixOf(b)
	if err != nil {
		return nil, err
	}
	if k := rows; !right && k != n || right && columns != n {
		return nil, fmt.Errorf("%s is %v, which does not fit %s of %v", c.operand(b), c.shape(b), c.operand(a), c.shape(a))
	}
	if batch, err = tensor.Broadcast(batch, others); err != nil {
		return nil, fmt.Errorf("batches do not broadcast: %v and %v", c.shape(a), c.shape(b))
	}
	return with(batch, rows, columns), nil
}

// Triangular systems of equal batches.
var _ = define(Op{
	Name: "solve_triangle", hidden: true,
	Attributes: AttributesOf[triangleAttr](), Operands: operandsSystem, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 0, 1, c.Attr.(triangleAttr).Right)
		if err == nil && !slices.Equal(shape, c.shape(1)) {
			err = errors.New("batches differ")
		}
		return shape, c.dt(0), err
	},
	Kernel: hostMatrices([]int{2, 2}, []int{2}, func(c *Call, out, in []dense.Matrix) {
		dense.Put(out[0], in[1])
		dense.SolveTriangular(in[0], out[0], dense.Triangle(c.Attr.(triangleAttr)))
	}),
	// a x = b: db = a⁻ᵀ dx, da = -db xᵀ, transposed where a is, and cut to what is read.
	Grad: func(b *Back) {
		t, a, x := b.Attr().(triangleAttr), b.In(0), b.Out()
		back := t
		back.Transposed = !t.Transposed
		d := apply("solve_triangle", back, a, b.Grad())
		b.Add(1, d)
		if !b.Wants(0) {
			return
		}
		var da *Node
		switch {
		case t.Right != t.Transposed: // x a = b: da = -xᵀ db; aᵀ x = b: da = -x dbᵀ
			if t.Right {
				da = MatMul(swapLast(x), d)
			} else {
				da = MatMul(x, swapLast(d))
			}
		case t.Right: // x aᵀ = b
			da = MatMul(swapLast(d), x)
		default:
			da = MatMul(d, swapLast(x))
		}
		da = Neg(da)
		k := 0
		if t.Unit {
			k = 1
		}
		if t.Upper {
			b.Add(0, upperPart(da, k))
		} else {
			b.Add(0, lowerPart(da, -k))
		}
	},
})
