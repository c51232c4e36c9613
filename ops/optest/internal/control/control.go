// Package control has the specs of branches and loops.
package control

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Branches and loops. Any function may stand in their bodies: the references are for the bodies of the samples below.

func init() {
	spec.Register("if", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			if c.In[0].U[0] != 0 {
				return reference.Exactly(c.In[1])
			}
			return reference.Exactly(turned(c.In[2]))
		},
		Tolerance: spec.Moved,
		Samples:   []spec.Sample{ifCase("matrix", 5, 7), ifCase("scalar"), ifCase("empty", 0, 3)},
	})
	spec.Register("while", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, out := c.In[0], spec.NewArray(c.In[0].DType, c.In[0].Shape...)
			rows, cols, turns := x.Shape[0], x.Len()/max(x.Shape[0], 1), max(int(c.In[1].I[0]), 0)
			for i := range rows {
				for k := range cols {
					reference.CopyElement(out, i*cols+k, x, (i+turns)%rows*cols+k)
				}
			}
			return reference.Exactly(out)
		},
		Tolerance: spec.Moved,
		Samples:   []spec.Sample{whileCase("matrix", 5, 7), whileCase("column", 3, 1), whileCase("one row", 1, 4), whileCase("empty", 2, 0)},
	})
	spec.Register("scan", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			first, x := turned(c.In[0]), c.In[1]
			out := spec.NewArray(x.DType, x.Shape...)
			for i := range x.Shape[0] {
				before := i - 1
				if reference.Attr[bool](c) {
					before = i + 1
				}
				row := first
				if before >= 0 && before < x.Shape[0] {
					row = spec.NewArray(x.DType, first.Shape...)
					for k := range row.Len() {
						reference.CopyElement(row, k, x, before*row.Len()+k)
					}
					row = turned(row)
				}
				for k := range row.Len() {
					reference.CopyElement(out, i*row.Len()+k, row, k)
				}
			}
			return reference.Exactly(out)
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{
			scanCase("matrix", false, 5, 7), scanCase("reverse", true, 5, 7), scanCase("vector", false, 6),
			scanCase("no rows", false, 0, 3), scanCase("empty rows", true, 3, 0), scanCase("cube", true, 3, 2, 4),
		},
	})
}

// turned is x in the opposite order along all axes.
func turned(x spec.Array) spec.Array {
	out := spec.NewArray(x.DType, x.Shape...)
	for i := range x.Len() {
		reference.CopyElement(out, i, x, x.Len()-1-i)
	}
	return out
}

// ifCase takes an operand as it is, or another one turned round. It moves data only, so that all
// dtypes can have it, exactly.
func ifCase(label string, shape ...int) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{DType: tensor.Bool}, {Shape: shape}, {Shape: shape}},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.If(in[0], func() []*ops.Node { return in[1:2] }, func() []*ops.Node { return []*ops.Node{flipAll(in[2])} })[0]
		},
	}
}

func whileCase(label string, shape ...int) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape}, {DType: tensor.Int32, Lo: 0, Hi: 6}},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.While(in, func(s []*ops.Node) *ops.Node { return ops.Greater(s[1], ops.ScalarLike(s[1], 0)) },
				func(s []*ops.Node) []*ops.Node {
					up := ops.Concat(0, ops.Slice(s[0], ops.Range{Start: 1, Stop: shape[0]}), ops.Slice(s[0], ops.Range{Start: 0, Stop: 1}))
					return []*ops.Node{up, ops.Sub(s[1], ops.ScalarLike(s[1], 1))}
				}, &ops.LoopOptions{Limit: 7})[0]
		},
	}
}

func scanCase(label string, reverse bool, shape ...int) spec.Sample {
	return spec.Sample{
		Label: label, Attr: reverse, Operands: []spec.Operand{{Shape: shape[1:]}, {Shape: shape}},
		Build: func(in []*ops.Node) *ops.Node {
			_, ys := ops.Scan(in[:1], in[1:], func(_ *ops.Node, s, x []*ops.Node) (next, y []*ops.Node) { return x, []*ops.Node{flipAll(s[0])} },
				&ops.ScanOptions{Reverse: reverse})
			return ys[0]
		},
	}
}

// flipAll is x in the opposite order along all axes.
func flipAll(x *ops.Node) *ops.Node {
	for a := range x.Rank() {
		x = ops.Flip(x, a)
	}
	return x
}
