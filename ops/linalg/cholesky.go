package linalg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// Cholesky returns the Cholesky factor of symmetric positive definite matrices:
//
//	a = L Lᵀ with L lower triangular, or a = Uᵀ U with U upper triangular
//
// a is [..., n, n], float32, float64, or complex and Hermitian, with conjugate transposes above; only the triangle that the factor has is
// read. Where a matrix is not positive definite, its factor is NaN: a graph does not fail while it runs; [CholeskyEx] tells which. The
// derivative is that of a symmetric a, shared equally by both triangles. Errors: dtype; matrices are not square.
// Source: Golub and Van Loan, Matrix Computations (2013), section 4.2; Murray, Differentiation of the Cholesky
// decomposition (2016).
func Cholesky(a *ops.Node, upper bool) *ops.Node {
	l, _ := CholeskyEx(a, upper)
	return l
}

// CholeskyEx is [Cholesky] with a second result, int32 [...]: 0 where a matrix is positive definite, and else the order of
// the first leading minor that is not positive.
func CholeskyEx(a *ops.Node, upper bool) (factor, info *ops.Node) {
	if isComplex(a) {
		return complexCholesky(a, upper)
	}
	r := ops.ApplyAll("linalg.cholesky", choleskyAttr{upper}, a)
	return r[0], r[1]
}

type choleskyAttr struct {
	Upper bool `default:"false" doc:"the factor is upper triangular"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cholesky", Category: "linear algebra",
	Attributes: ops.AttributesOf[choleskyAttr](),
	Operands:   []ops.Operand{{Name: "a"}}, DTypes: dtypes.Wide,
	ResultNames: []string{"factor", "info"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, _, err := squareOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: c.Shape(0)}, {DType: tensor.Int32, Shape: batch}}, err
	},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		if !c.Attr.(choleskyAttr).Upper {
			return ops.ApplyAll("linalg.cholesky_lower", nil, c.In[0])
		}
		r := ops.ApplyAll("linalg.cholesky_lower", nil, build.SwapLast(c.In[0]))
		return []*ops.Node{build.SwapLast(r[0]), r[1]}
	},
	// With L: S = L⁻ᵀ Φ(Lᵀ dL) L⁻¹, where Φ takes the lower triangle with half the diagonal, made symmetric.
	Grad: func(b *ops.Back) {
		l, d := b.Out(), b.Grad()
		if b.Attr().(choleskyAttr).Upper {
			l, d = build.SwapLast(l), build.SwapLast(d)
		}
		p := ops.Tril(ops.MatMul(build.SwapLast(l), d), 0)
		p = ops.Add(p, build.SwapLast(ops.Tril(p, -1))) // twice the symmetric part of Φ
		p = ops.Apply("linalg.solve_triangle", triangleAttr{Transposed: true}, l, p)
		p = ops.Apply("linalg.solve_triangle", triangleAttr{Right: true}, l, p)
		b.Add(0, ops.Mul(p, ops.ScalarLike(p, 0.5)))
	},
})

// The lower factors.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cholesky_lower", Hidden: true,
	Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"factor", "info"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, _, err := squareOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: c.Shape(0)}, {DType: tensor.Int32, Shape: batch}}, err
	},
	Algorithm: func(p ops.Primitive) engine.Algorithm {
		batch, _, n := extentsOf(p.In(0))
		return &engine.Cholesky{Batch: batch, N: n}
	},
})

// CholeskySolve returns the solution x of a x = b for the matrices a of which factor is the Cholesky factor. factor is [..., n, n],
// and only its triangle is read, the upper one if upper is set; b is [..., n, k] of the same dtype; batches
// broadcast. Errors: dtypes; shapes.
func CholeskySolve(b, factor *ops.Node, upper bool) *ops.Node {
	return ops.Apply("linalg.cholesky_solve", choleskyAttr{upper}, b, factor)
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cholesky_solve", Category: "linear algebra",
	Attributes: ops.AttributesOf[choleskyAttr](),
	Operands:   []ops.Operand{{Name: "b"}, {Name: "factor"}}, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 1, 0, false)
		return shape, c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		upper := c.Attr.(choleskyAttr).Upper
		o := &TriangularOptions{Upper: upper, Transposed: upper}
		y := SolveTriangular(c.In[1], c.In[0], o)
		return SolveTriangular(c.In[1], y, &TriangularOptions{Upper: upper, Transposed: !upper})
	},
})

// CholeskyInverse returns the inverses of the matrices of which factor, [..., n, n], is the Cholesky factor. Otherwise as [CholeskySolve].
func CholeskyInverse(factor *ops.Node, upper bool) *ops.Node {
	return ops.Apply("linalg.cholesky_inverse", choleskyAttr{upper}, factor)
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cholesky_inverse", Category: "linear algebra",
	Attributes: ops.AttributesOf[choleskyAttr](),
	Operands:   []ops.Operand{{Name: "factor"}}, DTypes: dtypes.Wide,
	Result: squareResult,
	Compose: func(c *ops.Call) *ops.Node {
		l, n := c.In[0], columnsOf(c.In[0])
		o := triangleAttr{Upper: c.Attr.(choleskyAttr).Upper}
		inverse := ops.Apply("linalg.solve_triangle", o, l, identity(l, n, n))
		if o.Upper { // (Uᵀ U)⁻¹ = U⁻¹ U⁻ᵀ
			return ops.MatMul(inverse, build.SwapLast(inverse))
		}
		return ops.MatMul(build.SwapLast(inverse), inverse)
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
func SolveTriangular(a, b *ops.Node, o *TriangularOptions) *ops.Node {
	var t triangleAttr
	if o != nil {
		t = triangleAttr(*o)
	}
	return ops.Apply("linalg.solve_triangular", t, a, b)
}

type triangleAttr struct {
	Upper      bool `default:"false" doc:"a is upper triangular, as it lies in memory"`
	Transposed bool `default:"false" doc:"the transpose of a takes its place"`
	Unit       bool `default:"false" doc:"the diagonal of a counts as ones"`
	Right      bool `default:"false" doc:"x a = b"`
}

var operandsSystem = []ops.Operand{{Name: "a"}, {Name: "b"}}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.solve_triangular", Category: "linear algebra",
	Attributes: ops.AttributesOf[triangleAttr](), Operands: operandsSystem, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 0, 1, c.Attr.(triangleAttr).Right)
		return shape, c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		x, err := stretchBatches(c.In, []int{2, 2})
		if err != nil {
			return c.Fail(err)
		}
		return ops.Apply("linalg.solve_triangle", c.Attr, x...)
	},
})

// solveShape is the shape of the solution of operand a x = operand b, or x a = b.
func solveShape(c *ops.Call, a, b int, right bool) ([]int, error) {
	batch, n, err := squareOf(c, a)
	if err != nil {
		return nil, err
	}
	others, rows, columns, err := matrixOf(c, b)
	if err != nil {
		return nil, err
	}
	if k := rows; !right && k != n || right && columns != n {
		return nil, fmt.Errorf("%s is %v, which does not fit %s of %v", c.OperandName(b), c.Shape(b), c.OperandName(a), c.Shape(a))
	}
	if batch, err = tensor.Broadcast(batch, others); err != nil {
		return nil, fmt.Errorf("batches do not broadcast: %v and %v", c.Shape(a), c.Shape(b))
	}
	return shapes.With(batch, rows, columns), nil
}

// Triangular systems of equal batches.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.solve_triangle", Hidden: true,
	Attributes: ops.AttributesOf[triangleAttr](), Operands: operandsSystem, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 0, 1, c.Attr.(triangleAttr).Right)
		if err == nil && !slices.Equal(shape, c.Shape(1)) {
			err = errors.New("batches differ")
		}
		return shape, c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node { return ops.ApplyAll("linalg.triangle_system", c.Attr, c.In...)[0] },
	// a x = b: db = a⁻ᵀ dx, da = -db xᵀ, transposed where a is, and cut to the triangle that is read.
	Grad: func(b *ops.Back) {
		t, a, x := b.Attr().(triangleAttr), b.In(0), b.Out()
		back := t
		back.Transposed = !t.Transposed
		d := ops.Apply("linalg.solve_triangle", back, a, b.Grad())
		b.Add(1, d)
		if !b.Wants(0) {
			return
		}
		var da *ops.Node
		switch {
		case t.Right != t.Transposed: // x a = b: da = -xᵀ db; aᵀ x = b: da = -x dbᵀ
			if t.Right {
				da = ops.MatMul(build.SwapLast(x), d)
			} else {
				da = ops.MatMul(x, build.SwapLast(d))
			}
		case t.Right: // x aᵀ = b
			da = ops.MatMul(build.SwapLast(d), x)
		default:
			da = ops.MatMul(d, build.SwapLast(x))
		}
		da = ops.Neg(da)
		k := 0
		if t.Unit {
			k = 1
		}
		if t.Upper {
			b.Add(0, ops.Triu(da, k))
		} else {
			b.Add(0, ops.Tril(da, -k))
		}
	},
})

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.triangle_system", Hidden: true,
	Attributes: ops.AttributesOf[triangleAttr](), Operands: operandsSystem, DTypes: dtypes.Wide,
	ResultNames: []string{"x"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		return []ops.Result{{DType: c.DType(1), Shape: c.Shape(1)}}, nil
	},
	Algorithm: func(p ops.Primitive) engine.Algorithm {
		t := p.Attr().(triangleAttr)
		batch, n, columns := extentsOf(p.In(1))
		if t.Right {
			n, columns = columns, n
		}
		return &engine.Triangular{Batch: batch, N: n, Columns: columns, Upper: t.Upper, Transposed: t.Transposed, Unit: t.Unit, Right: t.Right}
	},
})
