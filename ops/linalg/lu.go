package linalg

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// LUFactor returns the LU decomposition with partial pivoting of matrices, in one matrix:
//
//	a = P L U,  lu = L - I + U
//
// L has a diagonal of ones, which lu does not hold. a is [..., m, n], float32 or float64. pivots is int32
// [..., min(m, n)]: in step i, row i was exchanged with row pivots[i], both counted from 1, as in LAPACK. info is int32 [...]: 0, or the
// first i, from 1, for which U[i, i] is 0; the decomposition is right then, but U is singular. Errors: dtype;
// a is not of matrices.
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.4.
func LUFactor(a *ops.Node) (lu, pivots, info *ops.Node) {
	r := ops.ApplyAll("linalg.lu_factor", nil, a)
	return r[0], r[1], r[2]
}

var operandA = []ops.Operand{{Name: "a"}}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.lu_factor", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"lu", "pivots", "info"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, m, n, err := matrixOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: c.Shape(0)}, {DType: tensor.Int32, Shape: shapes.With(batch, min(m, n))},
			{DType: tensor.Int32, Shape: batch}}, err
	},
	ComposeAll: func(c *ops.Call) []*ops.Node {
		f := factorLU(c.In[0])
		return []*ops.Node{f.lu, f.pivots, f.info}
	},
	Grad: luGrad,
})

// luFactors are the results of an LU decomposition, and the order in which its rows stand in the matrix.
type luFactors struct{ lu, pivots, order, info *ops.Node }

func factorLU(a *ops.Node) luFactors {
	r := ops.ApplyAll("linalg.lu_steps", nil, a)
	return luFactors{r[0], r[1], r[2], r[3]}
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.lu_steps", Hidden: true,
	Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: []string{"lu", "pivots", "order", "info"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, m, n, err := matrixOf(c, 0)
		return []ops.Result{
			{DType: c.DType(0), Shape: c.Shape(0)}, {DType: tensor.Int32, Shape: shapes.With(batch, min(m, n))},
			{DType: tensor.Int32, Shape: shapes.With(batch, m)}, {DType: tensor.Int32, Shape: batch},
		}, err
	},
	Algorithm: func(p ops.Primitive) engine.Algorithm {
		batch, m, n := extentsOf(p.In(0))
		return &engine.LU{Batch: batch, M: m, N: n}
	},
})

// solve is the solution x of a x = b for the square matrices a that were decomposed, or of aᵀ x = b. It is NaN where a is singular.
func (f luFactors) solve(b *ops.Node, transposed bool) *ops.Node {
	at := func(order *ops.Node) *ops.Node { return ops.BroadcastTo(ops.ExpandDims(order, -1), b.Shape()...) }
	triangle := func(t triangleAttr) {
		t.Transposed = transposed
		b = ops.Apply("linalg.solve_triangle", t, f.lu, b)
	}
	if transposed { // aᵀ = Uᵀ Lᵀ Pᵀ
		triangle(triangleAttr{Upper: true})
		triangle(triangleAttr{Unit: true})
		b = ops.TakeAlong(b, -2, at(ops.ArgSort(f.order, -1, nil)))
	} else {
		b = ops.TakeAlong(b, -2, at(f.order))
		triangle(triangleAttr{Unit: true})
		triangle(triangleAttr{Upper: true})
	}
	singular := ops.NotEqual(f.info, ops.ScalarLike(f.info, 0))
	return ops.Where(ops.ExpandDims(singular, -1, -2), ops.ScalarLike(b, math.NaN()), b)
}

// diagonal are the pivots' values, [..., n].
func (f luFactors) diagonal() *ops.Node { return ops.Diagonal(f.lu, 0, -2, -1) }

// sign is -1 where an odd number of rows was exchanged, else 1.
func (f luFactors) sign() *ops.Node {
	own := f.pivots.Graph().Iota(tensor.Int32, 0, f.pivots.Dim(-1))
	moved := ops.Cast(ops.NotEqual(f.pivots, ops.Add(own, ops.ScalarLike(own, 1))), tensor.Int32)
	odd := ops.And(ops.Sum(moved, -1), ops.ScalarLike(moved, 1))
	return ops.Cast(ops.Sub(ops.ScalarLike(odd, 1), ops.Mul(odd, ops.ScalarLike(odd, 2))), f.lu.DType())
}

// luGrad is the derivative of an LU decomposition. With k = min(m, n), A₁ the first k rows and columns of Pᵀ a, L₁ and U₁ the square
// parts of the factors, and L₂ and U₂ the rest below and beside them:
//
//	dA₁ = L₁⁻ᵀ [tril(L₁ᵀ dL₁ - dU₂ U₂ᵀ, -1) + triu(dU₁ U₁ᵀ - L₂ᵀ dL₂)] U₁⁻ᵀ
//	dA₂ = L₁⁻ᵀ dU₂ beside, dL₂ U₁⁻ᵀ below
//
// Source: Walter and Lehmann, Algorithmic Differentiation of Linear Algebra Functions with Application in Optimum
// Experimental Design (2010), for the square part; the rest solves for dL₂ and dU₂.
func luGrad(b *ops.Back) {
	lu, d := b.Result(0), b.GradOf(0)
	m, n := rowsOf(lu), columnsOf(lu)
	k := min(m, n)
	part := func(x *ops.Node, below, beside bool) *ops.Node {
		r, s := [2]int{0, k}, [2]int{0, k}
		if below {
			r = [2]int{k, m}
		}
		if beside {
			s = [2]int{k, n}
		}
		return build.Cut(build.Cut(x, -2, r[0], r[1]), -1, s[0], s[1])
	}
	f, g := part(lu, false, false), part(d, false, false)
	l, u := ops.Add(ops.Tril(f, -1), identity(f, k, k)), ops.Triu(f, 0)
	left, right := ops.MatMul(build.SwapLast(l), ops.Tril(g, -1)), ops.MatMul(ops.Triu(g, 0), build.SwapLast(u))
	if n > k {
		left = ops.Sub(left, ops.MatMul(part(d, false, true), build.SwapLast(part(lu, false, true))))
	}
	if m > k {
		right = ops.Sub(right, ops.MatMul(build.SwapLast(part(lu, true, false)), part(d, true, false)))
	}
	lower := triangleAttr{Transposed: true, Unit: true}               // L₁⁻ᵀ x
	upper := triangleAttr{Transposed: true, Upper: true, Right: true} // x U₁⁻ᵀ
	da := ops.Add(ops.Tril(left, -1), ops.Triu(right, 0))
	da = ops.Apply("linalg.solve_triangle", upper, f, ops.Apply("linalg.solve_triangle", lower, f, da))
	if n > k {
		da = ops.Concat(-1, da, ops.Apply("linalg.solve_triangle", lower, f, part(d, false, true)))
	}
	if m > k {
		da = ops.Concat(-2, da, ops.Apply("linalg.solve_triangle", upper, f, part(d, true, false)))
	}
	b.Add(0, permuteRows(da, b.Result(1), true))
}

// permuteRows is P x, or with its transpose Pᵀ x, where P is the permutation of the pivots of an LU decomposition.
func permuteRows(x, pivots *ops.Node, forward bool) *ops.Node {
	return ops.Apply("linalg.permute_rows", permuteAttr{forward}, x, pivots)
}

type permuteAttr struct{ Forward bool }

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.permute_rows", Hidden: true,
	Attributes: ops.AttributesOf[permuteAttr](),
	Operands:   []ops.Operand{{Name: "x"}, {Name: "pivots", DTypes: []tensor.DType{tensor.Int32}}}, DTypes: dtypes.Wide,
	Result: ops.SameResult,
	Compose: func(c *ops.Call) *ops.Node {
		x := c.In[0]
		order := ops.Apply("linalg.pivot_order", pivotAttr{Rows: rowsOf(x), Inverse: c.Attr.(permuteAttr).Forward}, c.In[1])
		return ops.TakeAlong(x, -2, ops.BroadcastTo(ops.ExpandDims(order, -1), x.Shape()...))
	},
	Grad: func(b *ops.Back) { b.Add(0, permuteRows(b.Grad(), b.In(1), !b.Attr().(permuteAttr).Forward)) },
})

type pivotAttr struct {
	Rows    int  // of the matrix
	Inverse bool // the inverse permutation
}

// The order of rows after the exchanges of pivots.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.pivot_order", Hidden: true, Flat: true,
	Attributes: ops.AttributesOf[pivotAttr](),
	Operands:   []ops.Operand{{Name: "pivots"}}, DTypes: []tensor.DType{tensor.Int32},
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		s := c.Shape(0)
		return shapes.With(s[:len(s)-1], c.Attr.(pivotAttr).Rows), tensor.Int32, nil
	},
	Kernel: hostMatrices([]int{1}, []int{1}, func(c *ops.Call, out, in []dense.Matrix) {
		pivots := make([]int, len(in[0].Data))
		for i, v := range in[0].Data {
			pivots[i] = int(v) - 1
		}
		a := c.Attr.(pivotAttr)
		for i, p := range dense.Permutation(a.Rows, pivots) {
			if a.Inverse {
				out[0].Data[p] = float64(i)
			} else {
				out[0].Data[i] = float64(p)
			}
		}
	}),
})

// LU returns the factors of the LU decomposition with partial pivoting, a = P L U: the permutation P [..., m, m], L [..., m, k] with a
// diagonal of ones and U [..., k, n], k = min(m, n). Otherwise as [LUFactor].
func LU(a *ops.Node) (p, l, u *ops.Node) {
	r := ops.ApplyAll("linalg.lu", nil, a)
	return r[0], r[1], r[2]
}

var luResultNames = []string{"p", "l", "u"}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.lu", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide,
	ResultNames: luResultNames, Results: luResults,
	ComposeAll: func(c *ops.Call) []*ops.Node {
		lu, pivots, _ := LUFactor(c.In[0])
		return unpackLU(lu, pivots)
	},
})

// LUUnpack returns the factors P, L and U, as [LU] does, from the results of [LUFactor]. Errors: shapes; pivots is not int32.
func LUUnpack(lu, pivots *ops.Node) (p, l, u *ops.Node) {
	r := ops.ApplyAll("linalg.lu_unpack", nil, lu, pivots)
	return r[0], r[1], r[2]
}

var operandsLU = []ops.Operand{{Name: "lu"}, {Name: "pivots", DTypes: []tensor.DType{tensor.Int32}}}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.lu_unpack", Category: "linear algebra",
	Operands: operandsLU, DTypes: dtypes.Wide,
	ResultNames: luResultNames,
	Results: func(c *ops.Call) ([]ops.Result, error) {
		if err := checkPivots(c); err != nil {
			return nil, err
		}
		return luResults(c)
	},
	ComposeAll: func(c *ops.Call) []*ops.Node { return unpackLU(c.In[0], c.In[1]) },
})

// checkPivots reports an operand 1 that cannot be the pivots of LUFactor for operand 0.
func checkPivots(c *ops.Call) error {
	batch, m, n, err := matrixOf(c, 0)
	if err == nil && !slices.Equal(c.Shape(1), shapes.With(batch, min(m, n))) {
		err = fmt.Errorf("pivots are %v, not %v for %v", c.Shape(1), shapes.With(batch, min(m, n)), c.Shape(0))
	}
	return err
}

func luResults(c *ops.Call) ([]ops.Result, error) {
	batch, m, n, err := matrixOf(c, 0)
	k := min(m, n)
	return []ops.Result{{DType: c.DType(0), Shape: shapes.With(batch, m, m)}, {DType: c.DType(0), Shape: shapes.With(batch, m, k)},
		{DType: c.DType(0), Shape: shapes.With(batch, k, n)}}, err
}

func unpackLU(lu, pivots *ops.Node) []*ops.Node {
	m, n := rowsOf(lu), columnsOf(lu)
	k := min(m, n)
	order := ops.Apply("linalg.pivot_order", pivotAttr{Rows: m}, pivots)
	rows := lu.Graph().Iota(tensor.Int32, 0, m, 1)
	p := ops.Cast(ops.Equal(rows, ops.ExpandDims(order, -2)), lu.DType())
	l := ops.Add(ops.Tril(build.Cut(lu, -1, 0, k), -1), identity(lu, m, k))
	return []*ops.Node{p, l, ops.Triu(build.Cut(lu, -2, 0, k), 0)}
}

// LUSolveOptions say which system [LUSolve] solves. The zero value and nil are a x = b.
type LUSolveOptions struct {
	// Transposed: the transpose of a takes its place.
	Transposed bool
	// Right: x a = b.
	Right bool
}

// LUSolve returns the solution x of a x = b for square matrices a of which [LUFactor] returned lu and pivots. b is [..., n, k], or [...,
// k, n] with Right, of the same dtype; batches broadcast. Errors: dtypes; shapes.
func LUSolve(lu, pivots, b *ops.Node, o *LUSolveOptions) *ops.Node {
	var a luSolveAttr
	if o != nil {
		a = luSolveAttr(*o)
	}
	return ops.Apply("linalg.lu_solve", a, lu, pivots, b)
}

type luSolveAttr struct {
	Transposed bool `default:"false" doc:"the transpose of a takes its place"`
	Right      bool `default:"false" doc:"x a = b"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.lu_solve", Category: "linear algebra",
	Attributes: ops.AttributesOf[luSolveAttr](),
	Operands:   append(slices.Clone(operandsLU), ops.Operand{Name: "b"}), DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 0, 2, c.Attr.(luSolveAttr).Right)
		if err == nil {
			err = checkPivots(c)
		}
		return shape, c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		a := c.Attr.(luSolveAttr)
		x, err := stretchBatches(c.In, []int{2, 1, 2})
		if err != nil {
			return c.Fail(err)
		}
		lu, pivots, b := x[0], x[1], x[2]
		if a.Right { // aᵀ xᵀ = bᵀ
			b = build.SwapLast(b)
		}
		if a.Right != a.Transposed { // aᵀ = Uᵀ Lᵀ Pᵀ
			b = ops.Apply("linalg.solve_triangle", triangleAttr{Upper: true, Transposed: true}, lu, b)
			b = ops.Apply("linalg.solve_triangle", triangleAttr{Unit: true, Transposed: true}, lu, b)
			b = permuteRows(b, pivots, true)
		} else {
			b = permuteRows(b, pivots, false)
			b = ops.Apply("linalg.solve_triangle", triangleAttr{Unit: true}, lu, b)
			b = ops.Apply("linalg.solve_triangle", triangleAttr{Upper: true}, lu, b)
		}
		if a.Right {
			b = build.SwapLast(b)
		}
		return b
	},
})
