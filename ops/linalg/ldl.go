package linalg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// LDLFactor returns the decomposition of symmetric matrices, which need not be positive definite, with pivoting in blocks of one or two
// rows:
//
//	a = P L D Lᵀ Pᵀ
//
// in one matrix ld, as LAPACK does: D, of blocks of 1 x 1 and 2 x 2, and below it L, whose diagonal is ones. a is [..., n, n], float32 or
// float64, computed in float64, and only its lower triangle is read. pivots is int32 [..., n]: the row, from 1, with which that of a
// step was exchanged, negative and twice for a block of two. info is int32 [...]: 0, or the first step, from 1, whose block is 0.
// Errors: dtype; matrices are not square.
// Source: Bunch and Kaufman, Some Stable Methods for Calculating Inertia and Solving Symmetric Linear Systems (1977).
func LDLFactor(a *ops.Node) (ld, pivots, info *ops.Node) {
	r := ops.ApplyAll("linalg.ldl_factor", nil, a)
	return r[0], r[1], r[2]
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.ldl_factor", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide,
	NoGrad:      "which rows are exchanged depends on values; use linalg.Solve, which has one",
	ResultNames: []string{"ld", "pivots", "info"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		batch, n, err := squareOf(c, 0)
		return []ops.Result{{DType: c.DType(0), Shape: c.Shape(0)}, {DType: tensor.Int32, Shape: shapes.With(batch, n)},
			{DType: tensor.Int32, Shape: batch}}, err
	},
	Kernel: hostMatrices([]int{2}, []int{2, 1, 0}, func(_ *ops.Call, out, in []dense.Matrix) {
		pivots, info := dense.LDL(in[0])
		dense.Put(out[0], in[0])
		for i, p := range pivots {
			out[1].Data[i] = float64(p)
		}
		out[2].Data[0] = float64(info)
	}),
})

// LDLSolve returns the solution x of a x = b for symmetric matrices a of which [LDLFactor] returned ld and pivots. b is [..., n, k] of
// the same dtype; batches broadcast. It has a derivative by b. Errors: dtypes; shapes.
func LDLSolve(ld, pivots, b *ops.Node) *ops.Node {
	return ops.Apply("linalg.ldl_solve", nil, ld, pivots, b)
}

var operandsLDL = []ops.Operand{{Name: "ld"}, {Name: "pivots", DTypes: []tensor.DType{tensor.Int32}}, {Name: "b"}}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.ldl_solve", Category: "linear algebra",
	Operands: operandsLDL, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		shape, err := solveShape(c, 0, 2, false)
		if s := c.Shape(0); err == nil && !slices.Equal(c.Shape(1), s[:len(s)-1]) {
			err = fmt.Errorf("pivots are %v, not %v", c.Shape(1), s[:len(s)-1])
		}
		return shape, c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		x, err := stretchBatches(c.In, []int{2, 1, 2})
		if err != nil {
			return c.Fail(err)
		}
		return ops.Apply("linalg.ldl_systems", nil, x...)
	},
})

// Systems of equal batches.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.ldl_systems", Hidden: true,
	Operands: operandsLDL, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) { return c.Shape(2), c.DType(0), nil },
	Kernel: hostMatrices([]int{2, 1, 2}, []int{2}, func(_ *ops.Call, out, in []dense.Matrix) {
		pivots := make([]int, len(in[1].Data))
		for i, v := range in[1].Data {
			pivots[i] = int(v)
		}
		dense.SolveLDL(in[0], pivots, in[2])
		dense.Put(out[0], in[2])
	}),
	Grad: func(b *ops.Back) {
		if b.Wants(0) {
			b.Fail(errors.New("there is none by the factors"))
		}
		b.Add(2, ops.Apply("linalg.ldl_systems", nil, b.In(0), b.In(1), b.Grad()))
	},
})
