package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// SolveOptions say which system [Solve] solves. The zero value and nil are a x = b.
type SolveOptions struct {
	// Right: x a = b.
	Right bool
}

// Solve returns the solution x of a x = b for square matrices a, by LU decomposition with partial pivoting in float64.
// a is [..., n, n], float32 or float64. b is of the same dtype and [..., n, k], or [..., k, n] with Right; batches broadcast. It is taken for
// vectors, [n] or [..., n], where it has one axis, or exactly the shape of a without its last axis. Where a matrix is singular, its x
// is NaN; [SolveEx] tells which. Errors: dtypes; shapes.
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.4.
func Solve(a, b *Node, o *SolveOptions) *Node {
	x, _ := SolveEx(a, b, o)
	return x
}

// SolveEx is [Solve] with a second result, int32 of the batch of x: 0, or the first step, from 1, in which the pivot is 0.
func SolveEx(a, b *Node, o *SolveOptions) (x, info *Node) {
	var attr solveAttr
	if o != nil {
		attr = solveAttr(*o)
	}
	r := picks(apply("solve", attr, a, b), 2)
	return r[0], r[1]
}

type solveAttr struct {
	Right bool `default:"false" doc:"x a = b"`
}

// takesVectors reports whether operand 1 of a system holds vectors.
func takesVectors(c *Call) bool {
	a, b := c.shape(0), c.shape(1)
	return len(b) == 1 || len(a) > 0 && slices.Equal(b, a[:len(a)-1])
}

var _ = define(Op{
	Name: "solve", Category: "linear algebra",
	Attributes: AttributesOf[solveAttr](), Operands: operandsSystem, DTypes: matrixFloats,
	ResultNames: []string{"x", "info"},
	Results: func(c *Call) ([]Result, error) {
		if !takesVectors(c) {
			shape, err := solveShape(c, 0, 1, c.Attr.(solveAttr).Right)
			return []Result{{c.dt(0), shape}, {tensor.Int32, shape[:max(len(shape)-2, 0)]}}, err
		}
		batch, n, err := c.squareOf(0)
		if err == nil && c.shape(1)[len(c.shape(1))-1] != n {
			err = fmt.Errorf("b is %v, which does not fit a of %v", c.shape(1), c.shape(0))
		}
		return []Result{{c.dt(0), with(batch, n)}, {tensor.Int32, batch}}, err
	},
	ComposeAll: func(c *Call) []*Node {
		a, b, vectors, right := c.In[0], c.In[1], takesVectors(c), c.Attr.(solveAttr).Right
		if vectors {
			b = ExpandDims(b, -1)
			if right {
				b = swapLast(b)
			}
		}
		x, err := stretchBatches([]*Node{a, b}, []int{2, 2})
		if err != nil {
			return []*Node{a.graph.fail(c.Op.Name, c.In, err), a}
		}
		if a, b = x[0], x[1]; right { // aᵀ xᵀ = bᵀ
			a, b = swapLast(a), swapLast(b)
		}
		r := picks(apply("solve_matrices", nil, a, b), 2)
		switch {
		case vectors:
			r[0] = Reshape(r[0], r[0].shape[:r[0].Rank()-1]...)
		case right:
			r[0] = swapLast(r[0])
		}
		return r
	},
})

// Systems of equal batches.
var _ = define(Op{
	Name: "solve_matrices", hidden: true,
	Operands: operandsSystem, DTypes: matrixFloats,
	ResultNames: []string{"x", "info"},
	Results: func(c *Call) ([]Result, error) {
		return []Result{{c.dt(0), c.shape(1)}, {tensor.Int32, c.shape(1)[:len(c.shape(1))-2]}}, nil
	},
	Kernel: hostMatrices([]int{2, 2}, []int{2, 0}, func(_ *Call, out, in []dense.Matrix) {
		out[1].Data[0] = float64(dense.Solve(in[0], in[1]))
		dense.Put(out[0], in[1])
	}),
	// db = a⁻ᵀ dx, da = -db xᵀ.
	Grad: func(b *Back) {
		d := apply("solve_matrices", nil, swapLast(b.In(0)), b.GradOf(0))
		d = pickOf(d, 0)
		b.Add(1, d)
		if b.Wants(0) {
			b.Add(0, Neg(MatMul(d, swapLast(b.Result(0)))))
		}
	},
})

// Inverse returns the inverses of square matrices: a⁻¹ a = I. a is [..., n, n], float32 or float64, computed in float64. To multiply by
// an inverse, [Solve] is faster and more exact. Where a matrix is singular, its inverse is NaN; [InverseEx] tells which. Errors:
// dtype; matrices are not square.
func Inverse(a *Node) *Node {
	x, _ := InverseEx(a)
	return x
}

// InverseEx is [Inverse] with a second result, int32 [...]: 0, or the first step of the decomposition, from 1, in which the pivot is 0.
func InverseEx(a *Node) (inverse, info *Node) {
	r := picks(apply("inverse", nil, a), 2)
	return r[0], r[1]
}

var _ = define(Op{
	Name: "inverse", Category: "linear algebra",
	Operands: operandA, DTypes: matrixFloats,
	ResultNames: []string{"inverse", "info"},
	Results: func(c *Call) ([]Result, error) {
		batch, _, err := c.squareOf(0)
		return []Result{{c.dt(0), c.shape(0)}, {tensor.Int32, batch}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{2, 0}, func(_ *Call, out, in []dense.Matrix) {
		out[1].Data[0] = float64(dense.Invert(in[0]))
		dense.Put(out[0], in[0])
	}),
	Grad: func(b *Back) {
		y := swapLast(b.Result(0))
		b.Add(0, Neg(MatMul(MatMul(y, b.GradOf(0)), y)))
	},
})

// TensorSolve returns the solution x of the linear system that a is when its last axes, those of x, are contracted:
//
//	Σ_q a[p, q] · x[q] = b[p]
//
// where p are the axes of b, the first ones of a, and q the others. axes, if any are named, are moved to the end of a before, in this
// order. Both are float32 or float64. Errors: dtypes; the first axes of a are not those of b; the others have not as
// many elements.
// Source: NumPy, numpy.linalg.tensorsolve.
func TensorSolve(a, b *Node, axes ...int) *Node {
	return apply("tensor_solve", tensorSolveAttr{axes}, a, b)
}

type tensorSolveAttr struct {
	Axes []int `default:"" doc:"axes of a that are moved to the end before"`
}

var _ = define(Op{
	Name: "tensor_solve", Category: "linear algebra",
	Attributes: AttributesOf[tensorSolveAttr](), Operands: operandsSystem, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		perm, err := movedToEnd(c.Attr.(tensorSolveAttr).Axes, len(c.shape(0)))
		if err != nil {
			return nil, 0, err
		}
		a, b := ir.Extents(c.shape(0), perm), c.shape(1)
		if len(a) < len(b) || ir.Product(a[len(b):]) != ir.Product(b) || !slices.Equal(a[:len(b)], b) && ir.Product(a[:len(b)]) != ir.Product(b) {
			return nil, 0, fmt.Errorf("a is %v and b %v, which is no system of as many equations as unknowns", a, b)
		}
		return a[len(b):], c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		perm, _ := movedToEnd(c.Attr.(tensorSolveAttr).Axes, len(c.shape(0)))
		a, n := Transpose(c.In[0], perm...), c.In[1].Size()
		if len(perm) == 0 {
			a = c.In[0]
		}
		x := Solve(Reshape(a, n, n), Reshape(c.In[1], n), nil)
		return Reshape(x, a.shape[c.In[1].Rank():]...)
	},
})

// movedToEnd is the order of axes with some moved to the end.
func movedToEnd(axes []int, rank int) ([]int, error) {
	var perm, end []int
	for _, axis := range axes {
		a, err := axisOf(axis, rank)
		if err == nil && slices.Contains(end, a) {
			err = fmt.Errorf("axis %d is named twice", axis)
		}
		if err != nil {
			return nil, err
		}
		end = append(end, a)
	}
	for a := range rank {
		if !slices.Contains(end, a) {
			perm = append(perm, a)
		}
	}
	return append(perm, end...), nil
}

// TensorInv returns the inverse of the linear system that a is when its axes from split on are contracted: y such that
//
//	Σ_q a[p, q] · y[q, r] = 1 where p = r, else 0
//
// p and r stand for the first split axes of a, q for the others. a is float32 or float64. Errors: dtype; split is not from 1 to the rank of a;
// its two parts have not as many elements.
// Source: NumPy, numpy.linalg.tensorinv.
func TensorInv(a *Node, split int) *Node { return apply("tensor_inv", splitAttr{split}, a) }

type splitAttr struct {
	Split int `default:"2" doc:"how many first axes are equations"`
}

var _ = define(Op{
	Name: "tensor_inv", Category: "linear algebra",
	Attributes: AttributesOf[splitAttr](), Operands: operandA, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		k, s := c.Attr.(splitAttr).Split, c.shape(0)
		if k < 1 || k > len(s) || ir.Product(s[:k]) != ir.Product(s[k:]) {
			return nil, 0, fmt.Errorf("%v split after %d axes is no square system", s, k)
		}
		return with(s[k:], s[:k]...), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		k, s := c.Attr.(splitAttr).Split, c.shape(0)
		n := ir.Product(s[:k])
		return Reshape(Inverse(Reshape(c.In[0], n, n)), with(s[k:], s[:k]...)...)
	},
})
