package linalg

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// SolveOptions say which system [Solve] solves. The zero value and nil are a x = b.
type SolveOptions struct {
	// Right: x a = b.
	Right bool
}

// Solve returns the solution x of a x = b for square matrices a, by LU decomposition with partial pivoting.
// a is [..., n, n], float32, float64 or complex. b is of the same dtype and [..., n, k], or [..., k, n] with Right; batches broadcast. It
// is taken for vectors, [n] or [..., n], where it has one axis, or exactly the shape of a without its last axis. Where a matrix is
// singular, its x is NaN; [SolveEx] tells which. Errors: dtypes; shapes.
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.4.
func Solve(a, b *ops.Node, o *SolveOptions) *ops.Node {
	x, _ := SolveEx(a, b, o)
	return x
}

// SolveEx is [Solve] with a second result, int32 of the batch of x: 0, or the first step, from 1, in which the pivot is 0.
func SolveEx(a, b *ops.Node, o *SolveOptions) (x, info *ops.Node) {
	if isComplex(a) && !build.Failed(b) {
		return complexSolve(a, b, o != nil && o.Right)
	}
	var attr solveAttr
	if o != nil {
		attr = solveAttr(*o)
	}
	r := ops.ApplyAll("linalg.solve", attr, a, b)
	return r[0], r[1]
}

type solveAttr struct {
	Right bool `default:"false" doc:"x a = b"`
}

// takesVectors reports whether operand 1 of a system holds vectors.
func takesVectors(c *ops.Call) bool {
	a, b := c.Shape(0), c.Shape(1)
	return len(b) == 1 || len(a) > 0 && slices.Equal(b, a[:len(a)-1])
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.solve", Category: "linear algebra",
	Attributes: ops.AttributesOf[solveAttr](), Operands: operandsSystem, DTypes: dtypes.Wide,
	ResultNames: []string{"x", "info"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		if !takesVectors(c) {
			shape, err := solveShape(c, 0, 1, c.Attr.(solveAttr).Right)
			return []ops.Result{{DType: c.DType(0), Shape: shape}, {DType: tensor.Int32, Shape: shape[:max(len(shape)-2, 0)]}}, err
		}
		batch, n, err := squareOf(c, 0)
		if err == nil && c.Shape(1)[len(c.Shape(1))-1] != n {
			err = fmt.Errorf("b is %v, which does not fit a of %v", c.Shape(1), c.Shape(0))
		}
		return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, n)}, {DType: tensor.Int32, Shape: batch}}, err
	},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		a, b, vectors, right := c.In[0], c.In[1], takesVectors(c), c.Attr.(solveAttr).Right
		if vectors {
			b = ops.ExpandDims(b, -1)
			if right {
				b = build.SwapLast(b)
			}
		}
		x, err := stretchBatches([]*ops.Node{a, b}, []int{2, 2})
		if err != nil {
			return []*ops.Node{c.Fail(err), a}
		}
		if a, b = x[0], x[1]; right { // aᵀ xᵀ = bᵀ
			a, b = build.SwapLast(a), build.SwapLast(b)
		}
		r := ops.ApplyAll("linalg.solve_matrices", nil, a, b)
		switch {
		case vectors:
			r[0] = ops.Reshape(r[0], r[0].Shape()[:r[0].Rank()-1]...)
		case right:
			r[0] = build.SwapLast(r[0])
		}
		return r
	},
})

// Systems of equal batches.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.solve_matrices", Hidden: true,
	Operands: operandsSystem, DTypes: dtypes.Wide,
	ResultNames: []string{"x", "info"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		return []ops.Result{{DType: c.DType(0), Shape: c.Shape(1)}, {DType: tensor.Int32, Shape: c.Shape(1)[:len(c.Shape(1))-2]}}, nil
	},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		f := factorLU(c.In[0])
		return []*ops.Node{f.solve(c.In[1], false), f.info}
	},
	// db = a⁻ᵀ dx, da = -db xᵀ.
	Grad: func(b *ops.Back) {
		d := ops.Apply("linalg.solve_transposed", nil, b.In(0), b.GradOf(0))
		b.Add(1, d)
		if b.Wants(0) {
			b.Add(0, ops.Neg(ops.MatMul(d, build.SwapLast(b.Result(0)))))
		}
	},
})

// Systems of the transposed matrices, by the decomposition of the matrices themselves, which the graph has already.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.solve_transposed", Hidden: true,
	Operands: operandsSystem, DTypes: dtypes.Wide,
	Result:  func(c *ops.Call) ([]int, tensor.DType, error) { return c.Shape(1), c.DType(0), nil },
	Compose: func(c *ops.Call) *ops.Node { return factorLU(c.In[0]).solve(c.In[1], true) },
	Grad: func(b *ops.Back) {
		d := ops.ApplyAll("linalg.solve_matrices", nil, b.In(0), b.Grad())[0]
		b.Add(1, d)
		if b.Wants(0) {
			b.Add(0, ops.Neg(ops.MatMul(b.Out(), build.SwapLast(d))))
		}
	},
})

// Inverse returns the inverses of square matrices: a⁻¹ a = I. a is [..., n, n], float32, float64 or complex. To multiply by
// an inverse, [Solve] is faster and more exact. Where a matrix is singular, its inverse is NaN; [InverseEx] tells which. Errors:
// dtype; matrices are not square.
func Inverse(a *ops.Node) *ops.Node {
	x, _ := InverseEx(a)
	return x
}

// InverseEx is [Inverse] with a second result, int32 [...]: 0, or the first step of the decomposition, from 1, in which the pivot is 0.
func InverseEx(a *ops.Node) (inverse, info *ops.Node) {
	if isComplex(a) {
		return complexInverse(a)
	}
	r := ops.ApplyAll("linalg.inverse", nil, a)
	return r[0], r[1]
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.inverse", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"inverse", "info"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, _, err := squareOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: c.Shape(0)}, {DType: tensor.Int32, Shape: batch}}, err
	},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		f, n := factorLU(c.In[0]), columnsOf(c.In[0])
		return []*ops.Node{f.solve(identity(c.In[0], n, n), false), f.info}
	},
	Grad: func(b *ops.Back) {
		y := build.SwapLast(b.Result(0))
		b.Add(0, ops.Neg(ops.MatMul(ops.MatMul(y, b.GradOf(0)), y)))
	},
})

// TensorSolve returns the solution x of a linear system in which the last axes of a are contracted with all axes of x:
//
//	Σ_q a[p, q] · x[q] = b[p]
//
// where p are the axes of b, the first ones of a, and q the others. axes, if any are named, are moved to the end of a before, in this
// order. Both are float32 or float64. Errors: dtypes; the first axes of a are not those of b; the others have not as
// many elements.
// Source: NumPy, numpy.linalg.tensorsolve.
func TensorSolve(a, b *ops.Node, axes ...int) *ops.Node {
	return ops.Apply("linalg.tensor_solve", tensorSolveAttr{axes}, a, b)
}

type tensorSolveAttr struct {
	Axes []int `default:"" doc:"axes of a that are moved to the end before"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.tensor_solve", Category: "linear algebra",
	Attributes: ops.AttributesOf[tensorSolveAttr](), Operands: operandsSystem, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		perm, err := shapes.ToEnd(c.Attr.(tensorSolveAttr).Axes, len(c.Shape(0)))
		if err != nil {
			return nil, 0, err
		}
		a, b := ir.Extents(c.Shape(0), perm), c.Shape(1)
		if len(a) < len(b) || ir.Product(a[len(b):]) != ir.Product(b) || !slices.Equal(a[:len(b)], b) && ir.Product(a[:len(b)]) != ir.Product(b) {
			return nil, 0, fmt.Errorf("a is %v and b %v, which is no system of as many equations as unknowns", a, b)
		}
		return a[len(b):], c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		perm, _ := shapes.ToEnd(c.Attr.(tensorSolveAttr).Axes, len(c.Shape(0)))
		a, n := ops.Transpose(c.In[0], perm...), c.In[1].Size()
		if len(perm) == 0 {
			a = c.In[0]
		}
		x := Solve(ops.Reshape(a, n, n), ops.Reshape(c.In[1], n), nil)
		return ops.Reshape(x, a.Shape()[c.In[1].Rank():]...)
	},
})

// TensorInv returns the inverse of the linear system that a is when its axes from split on are contracted: y such that
//
//	Σ_q a[p, q] · y[q, r] = 1 where p = r, else 0
//
// p and r stand for the first split axes of a, q for the others. a is float32 or float64. Errors: dtype; split is not from 1 to the rank
// of a; its two parts have not as many elements.
// Source: NumPy, numpy.linalg.tensorinv.
func TensorInv(a *ops.Node, split int) *ops.Node {
	return ops.Apply("linalg.tensor_inv", splitAttr{split}, a)
}

type splitAttr struct {
	Split int `default:"2" doc:"how many first axes are equations"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.tensor_inv", Category: "linear algebra",
	Attributes: ops.AttributesOf[splitAttr](), Operands: operandA, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		k, s := c.Attr.(splitAttr).Split, c.Shape(0)
		if k < 1 || k > len(s) || ir.Product(s[:k]) != ir.Product(s[k:]) {
			return nil, 0, fmt.Errorf("%v split after %d axes is no square system", s, k)
		}
		return shapes.With(s[k:], s[:k]...), c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		k, s := c.Attr.(splitAttr).Split, c.Shape(0)
		n := ir.Product(s[:k])
		return ops.Reshape(Inverse(ops.Reshape(c.In[0], n, n)), shapes.With(s[k:], s[:k]...)...)
	},
})
