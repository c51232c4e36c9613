package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/tensor"
)

// LDLFactor returns the decomposition of symmetric matrices, which need not be positive definite, with pivoting in blocks of one or two rows:
//
//	a = P L D Lᵀ Pᵀ
//
// in one matrix ld, as LAPACK does: D, of blocks of 1 x 1 and 2 x 2, and below it L, whose diagonal is ones. a is [..., n, n], float32 or
// float64, computed in float64, and only its lower triangle is read. pivots is int32 [..., n]: the row, from 1, with which that of a
// step was exchanged, negative and twice for a block of two. info is int32 [...]: 0, or the first step, from 1, whose block is 0.
// Errors: dtype; matrices are not square.
// Source: Bunch and Kaufman, Some Stable Methods for Calculating Inertia and Solving Symmetric Linear Systems (1977).
func LDLFactor(a *Node) (ld, pivots, info *Node) {
	r := picks(apply("ldl_factor", nil, a), 3)
	return r[0], r[1], r[2]
}

var _ = define(Op{
	Name: "ldl_factor", Category: "linear algebra",
	Operands: operandA, DTypes: matrixFloats,
	NoGrad:      "which rows are exchanged depends on values; use ops.Solve, which has one",
	ResultNames: []string{"ld", "pivots", "info"},
	Results: func(c *Call) ([]Result, error) {
		batch, n, err := c.squareOf(0)
		return []Result{{c.dt(0), c.shape(0)}, {tensor.Int32, with(batch, n)}, {tensor.Int32, batch}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{2, 1, 0}, func(_ *Call, out, in []dense.Matrix) {
		pivots, info := dense.LDL(in[0])
		dense.Put(out[0], in[0])
		for i, p := range pivots {
			out[1].Data[i] = float64(p)
		}
		out[2].Data[0] = float64(info)
	}),
})

// LDLSolve returns the solution x of a x = b for symmetric matrices a of which [LDLFactor] returned ld and pivots. b is [..., n, k] of the same
// dtype; batches broadcast. It has a derivative by b. Errors: dtypes; shapes.
func LDLSolve(ld, pivots, b *Node) *Node { return apply("ldl_solve", nil, ld, pivots, b) }

var operandsLDL = []Operand{{Name: "ld"}, {Name: "pivots", DTypes: []tensor.DType{tensor.Int32}}, {Name: "b"}}

var _ = define(Op{
	Name: "ldl_solve", Category: "linear algebra",
	Operands: operandsLDL, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 0, 2, false)
		if s := c.shape(0); err == nil && !slices.Equal(c.shape(1), s[:len(s)-1]) {
			err = fmt.Errorf("pivots are %v, not %v", c.shape(1), s[:len(s)-1])
		}
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		x, err := stretchBatches(c.In, []int{2, 1, 2})
		if err != nil {
			return c.In[0].graph.fail(c.Op.Name, c.In, err)
		}
		return apply("ldl_systems", nil, x...)
	},
})

// Systems of equal batches.
var _ = define(Op{
	Name: "ldl_systems", hidden: true,
	Operands: operandsLDL, DTypes: matrixFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) { return c.shape(2), c.dt(0), nil },
	Kernel: hostMatrices([]int{2, 1, 2}, []int{2}, func(_ *Call, out, in []dense.Matrix) {
		pivots := make([]int, len(in[1].Data))
		for i, v := range in[1].Data {
			pivots[i] = int(v)
		}
		dense.SolveLDL(in[0], pivots, in[2])
		dense.Put(out[0], in[2])
	}),
	Grad: func(b *Back) {
		if b.Wants(0) {
			b.fail("there is none by the factors")
		}
		b.Add(2, apply("ldl_systems", nil, b.In(0), b.In(1), b.Grad()))
	},
})
