package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/tensor"
)

// LUFactor returns the LU decomposition with partial pivoting of matrices, in one matrix:
//
//	a = P L U,  lu = L - I + U
//
// L has a diagonal of ones, which lu does not hold. a is [..., m, n], float32 or float64, computed in float64. pivots is int32
// [..., min(m, n)]: in step i, row i was exchanged with row pivots[i], both counted from 1, as in LAPACK. info is int32 [...]: 0, or the
// first i, from 1, for which U[i, i] is 0; the decomposition is right then, but U is singular. Errors: dtype;
// a is not of matrices.
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.4.
func LUFactor(a *Node) (lu, pivots, info *Node) {
	r := picks(apply("lu_factor", nil, a), 3)
	return r[0], r[1], r[2]
}

var operandA = []Operand{{Name: "a"}}

var _ = define(Op{
	Name: "lu_factor", Category: "linear algebra",
	Operands: operandA, DTypes: matrixFloats,
	ResultNames: []string{"lu", "pivots", "info"},
	Results: func(c *Call) ([]Result, error) {
		batch, m, n, err := c.matrixOf(0)
		return []Result{{c.dt(0), c.shape(0)}, {tensor.Int32, with(batch, min(m, n))}, {tensor.Int32, batch}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{2, 1, 0}, func(_ *Call, out, in []dense.Matrix) {
		pivots, info := dense.LU(in[0])
		dense.Put(out[0], in[0])
		for i, p := range pivots {
			out[1].Data[i] = float64(p + 1)
		}
		out[2].Data[0] = float64(info)
	}),
	Grad: luGrad,
})

// luGrad is the derivative of an LU decomposition. With k = min(m, n), A₁ the first k rows and columns of Pᵀ a, L₁ and U₁ the square
// parts of the factors, and L₂ and U₂ what is below and beside them:
//
//	dA₁ = L₁⁻ᵀ [tril(L₁ᵀ dL₁ - dU₂ U₂ᵀ, -1) + triu(dU₁ U₁ᵀ - L₂ᵀ dL₂)] U₁⁻ᵀ
//	dA₂ = L₁⁻ᵀ dU₂ beside, dL₂ U₁⁻ᵀ below
//
// Source: Walter and Lehmann, Algorithmic Differentiation of Linear Algebra Functions with Application in Optimum
// Experimental Design (2010), for the square part; the rest solves for dL₂ and dU₂.
func luGrad(b *Back) {
	lu, d := b.Result(0), b.GradOf(0)
	m, n := rowsOf(lu), columnsOf(lu)
	k := min(m, n)
	part := func(x *Node, below, beside bool) *Node {
		r, s := [2]int{0, k}, [2]int{0, k}
		if below {
			r = [2]int{k, m}
		}
		if beside {
			s = [2]int{k, n}
		}
		return cutAxis(cutAxis(x, -2, r[0], r[1]), -1, s[0], s[1])
	}
	f, g := part(lu, false, false), part(d, false, false)
	l, u := Add(lowerPart(f, -1), identity(f, k, k)), upperPart(f, 0)
	left, right := MatMul(swapLast(l), lowerPart(g, -1)), MatMul(upperPart(g, 0), swapLast(u))
	if n > k {
		left = Sub(left, MatMul(part(d, false, true), swapLast(part(lu, false, true))))
	}
	if m > k {
		right = Sub(right, MatMul(swapLast(part(lu, true, false)), part(d, true, false)))
	}
	lower := triangleAttr{Transposed: true, Unit: true}               // L₁⁻ᵀ x
	upper := triangleAttr{Transposed: true, Upper: true, Right: true} // x U₁⁻ᵀ
	da := Add(lowerPart(left, -1), upperPart(right, 0))
	da = apply("solve_triangle", upper, f, apply("solve_triangle", lower, f, da))
	if n > k {
		da = Concat(-1, da, apply("solve_triangle", lower, f, part(d, false, true)))
	}
	if m > k {
		da = Concat(-2, da, apply("solve_triangle", upper, f, part(d, true, false)))
	}
	b.Add(0, permuteRows(da, b.Result(1), true))
}

// permuteRows is P x, or with its transpose Pᵀ x, where P is the permutation of the pivots of an LU decomposition.
func permuteRows(x, pivots *Node, forward bool) *Node {
	return apply("permute_rows", permuteAttr{forward}, x, pivots)
}

type permuteAttr struct{ Forward bool }

var _ = define(Op{
	Name: "permute_rows", hidden: true,
	Attributes: AttributesOf[permuteAttr](),
	Operands:   []Operand{{Name: "x"}, {Name: "pivots", DTypes: []tensor.DType{tensor.Int32}}}, DTypes: matrixFloats,
	Result: same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		order := apply("pivot_order", pivotAttr{Rows: rowsOf(x), Inverse: c.Attr.(permuteAttr).Forward}, c.In[1])
		return TakeAlong(x, -2, BroadcastTo(ExpandDims(order, -1), x.shape...))
	},
	Grad: func(b *Back) { b.Add(0, permuteRows(b.Grad(), b.In(1), !b.Attr().(permuteAttr).Forward)) },
})

type pivotAttr struct {
	Rows    int  // of the matrix
	Inverse bool // the inverse permutation
}

// The order of rows after the exchanges of pivots.
var _ = define(Op{
	Name: "pivot_order", hidden: true, Flat: true,
	Attributes: AttributesOf[pivotAttr](),
	Operands:   []Operand{{Name: "pivots"}}, DTypes: []tensor.DType{tensor.Int32},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s := c.shape(0)
		return with(s[:len(s)-1], c.Attr.(pivotAttr).Rows), tensor.Int32, nil
	},
	Kernel: hostMatrices([]int{1}, []int{1}, func(c *Call, out, in []dense.Matrix) {
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
func LU(a *Node) (p, l, u *Node) {
	r := picks(apply("lu", nil, a), 3)
	return r[0], r[1], r[2]
}

var luResultNames = []string{"p", "l", "u"}

var _ = define(Op{
	Name: "lu", Category: "linear algebra",
	Operands: operandA, DTypes: matrixFloats,
	ResultNames: luResultNames, Results: luResults,
	ComposeAll: func(c *Call) []*Node {
		lu, pivots, _ := LUFactor(c.In[0])
		return unpackLU(lu, pivots)
	},
})

// LUUnpack returns the factors P, L and U, as [LU] does, of what [LUFactor] returned. Errors: shapes; pivots is not int32.
func LUUnpack(lu, pivots *Node) (p, l, u *Node) {
	r := picks(apply("lu_unpack", nil, lu, pivots), 3)
	return r[0], r[1], r[2]
}

var operandsLU = []Operand{{Name: "lu"}, {Name: "pivots", DTypes: []tensor.DType{tensor.Int32}}}

var _ = define(Op{
	Name: "lu_unpack", Category: "linear algebra",
	Operands: operandsLU, DTypes: matrixFloats,
	ResultNames: luResultNames,
	Results: func(c *Call) ([]Result, error) {
		if err := c.checkPivots(); err != nil {
			return nil, err
		}
		return luResults(c)
	},
	ComposeAll: func(c *Call) []*Node { return unpackLU(c.In[0], c.In[1]) },
})

// checkPivots reports an operand 1 that is not what LUFactor gives with operand 0.
func (c *Call) checkPivots() error {
	batch, m, n, err := c.matrixOf(0)
	if err == nil && !slices.Equal(c.shape(1), with(batch, min(m, n))) {
		err = fmt.Errorf("pivots are %v, not %v for %v", c.shape(1), with(batch, min(m, n)), c.shape(0))
	}
	return err
}

func luResults(c *Call) ([]Result, error) {
	batch, m, n, err := c.matrixOf(0)
	k := min(m, n)
	return []Result{{c.dt(0), with(batch, m, m)}, {c.dt(0), with(batch, m, k)}, {c.dt(0), with(batch, k, n)}}, err
}

func unpackLU(lu, pivots *Node) []*Node {
	m, n := rowsOf(lu), columnsOf(lu)
	k := min(m, n)
	order := apply("pivot_order", pivotAttr{Rows: m}, pivots)
	rows := lu.graph.Iota(tensor.Int32, 0, m, 1)
	p := Cast(Equal(rows, ExpandDims(order, -2)), lu.dtype)
	l := Add(lowerPart(cutAxis(lu, -1, 0, k), -1), identity(lu, m, k))
	return []*Node{p, l, upperPart(cutAxis(lu, -2, 0, k), 0)}
}

// LUSolveOptions say which system [LUSolve] solves. The zero value and nil are a x = b.
type LUSolveOptions struct {
	// Transposed: the transpose of a takes its place.
	Transposed bool
	// Right: x a = b.
	Right bool
}

// LUSolve returns the solution x of a x = b for square matrices a of which [LUFactor] returned lu and pivots. b is [..., n, k], or [..., k, n] with
// Right, of the same dtype; batches broadcast. Errors: dtypes; shapes.
func LUSolve(lu, pivots, b *Node, o *LUSolveOptions) *Node {
	var a luSolveAttr
	if o != nil {
		a = luSolveAttr(*o)
	}
	return apply("lu_solve", a, lu, pivots, b)
}

type luSolveAttr struct {
	Transposed bool `default:"false" doc:"the transpose of a takes its place"`
	Right      bool `default:"false" doc:"x a = b"`
}

var _ = define(Op{
	Name: "lu_solve", Category: "linear algebra",
	Attributes: AttributesOf[luSolveAttr](),
	Operands:   append(slices.Clone(operandsLU), Operand{Name: "b"}), DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 0, 2, c.Attr.(luSolveAttr).Right)
		if err == nil {
			err = c.checkPivots()
		}
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(luSolveAttr)
		x, err := stretchBatches(c.In, []int{2, 1, 2})
		if err != nil {
			return c.In[0].graph.fail(c.Op.Name, c.In, err)
		}
		lu, pivots, b := x[0], x[1], x[2]
		if a.Right { // aᵀ xᵀ = bᵀ
			b = swapLast(b)
		}
		if a.Right != a.Transposed { // aᵀ = Uᵀ Lᵀ Pᵀ
			b = apply("solve_triangle", triangleAttr{Upper: true, Transposed: true}, lu, b)
			b = apply("solve_triangle", triangleAttr{Unit: true, Transposed: true}, lu, b)
			b = permuteRows(b, pivots, true)
		} else {
			b = permuteRows(b, pivots, false)
			b = apply("solve_triangle", triangleAttr{Unit: true}, lu, b)
			b = apply("solve_triangle", triangleAttr{Upper: true}, lu, b)
		}
		if a.Right {
			b = swapLast(b)
		}
		return b
	},
})
