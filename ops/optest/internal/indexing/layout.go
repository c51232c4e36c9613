package indexing

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Ops that rearrange and repeat elements: each sample says where an element of the result comes from, -1 for a zero.

// placed is the reference of a sample whose result has that shape and those elements of operand 0.
func placed(shape []int, from func(at []int) []int) func(c spec.Case) spec.Result {
	return func(c spec.Case) spec.Result {
		x := c.In[0]
		y := spec.NewArray(x.DType, shape...)
		for p, at := range reference.Coordinates(shape) {
			if src := from(at); src != nil {
				reference.CopyElement(y, p, x, reference.Position(x.Shape, src))
			}
		}
		return reference.Exactly(y)
	}
}

// layoutCase is a sample of one operand.
func layoutCase(label string, x, shape []int, from func(at []int) []int, call func(x *ops.Node) *ops.Node,
	only ...tensor.DType) spec.Sample {
	return spec.Sample{Label: label, Only: only, Operands: []spec.Operand{{Shape: x}}, Attr: placed(shape, from), Build: sample.One(call)}
}

// few are dtypes that stand for all, where another sample tries them.
var few = []tensor.DType{tensor.Float32, tensor.Float64}

// layouts registers an op that moves elements.
func layouts(op string, samples ...spec.Sample) {
	spec.Register(op, spec.Spec{Reference: byAttr, Tolerance: spec.Moved, Samples: samples})
}

func init() {
	var padSamples []spec.Sample
	layouts("roll",
		layoutCase("two axes", []int{5, 7}, []int{5, 7}, func(at []int) []int { return []int{(at[0] + 2) % 5, (at[1] + 4) % 7} },
			func(x *ops.Node) *ops.Node { return ops.Roll(x, []int{3, -11}, 0, -1) }),
		layoutCase("in row-major order", []int{3, 4}, []int{3, 4}, func(at []int) []int {
			p := (4*at[0] + at[1] + 7) % 12
			return []int{p / 4, p % 4}
		}, func(x *ops.Node) *ops.Node { return ops.Roll(x, []int{5}) }, few...),
		layoutCase("nothing", []int{0, 4}, []int{0, 4}, nil, func(x *ops.Node) *ops.Node { return ops.Roll(x, []int{5, 1}, 0, 1) }, few...),
	)
	layouts("tile",
		layoutCase("more axes", []int{3, 2}, []int{2, 3, 6}, func(at []int) []int { return []int{at[1] % 3, at[2] % 2} },
			func(x *ops.Node) *ops.Node { return ops.Tile(x, 2, 1, 3) }),
		layoutCase("fewer axes", []int{3, 2}, []int{3, 8}, func(at []int) []int { return []int{at[0], at[1] % 2} },
			func(x *ops.Node) *ops.Node { return ops.Tile(x, 4) }, few...),
		layoutCase("never", []int{3, 2}, []int{0, 2}, nil, func(x *ops.Node) *ops.Node { return ops.Repeat(x, 0, 1) }, few...),
	)
	layouts("repeat_interleave",
		layoutCase("middle", []int{2, 3, 2}, []int{2, 12, 2}, func(at []int) []int { return []int{at[0], at[1] / 4, at[2]} },
			func(x *ops.Node) *ops.Node { return ops.RepeatInterleave(x, 1, 4) }),
	)
	for _, s := range []struct {
		mode string
		from func(i int) int // before the first of 4, and behind the last
	}{
		{"reflect", func(i int) int { return []int{3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1}[i+3] }},
		{"symmetric", func(i int) int { return []int{2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0}[i+3] }},
		{"edge", func(i int) int { return min(max(i, 0), 3) }},
		{"wrap", func(i int) int { return (i + 4) % 4 }},
	} {
		padSamples = append(padSamples, layoutCase(s.mode, []int{4, 1}, []int{11, 2}, func(at []int) []int { return []int{s.from(at[0] - 3), 0} },
			func(x *ops.Node) *ops.Node {
				return ops.PadWith(x, s.mode, ops.Padding{Axis: 0, Before: 3, After: 4}, ops.Padding{Axis: 1, Before: 1})
			}, few...))
	}
	padSamples[0].Only = nil
	layouts("pad_mode", append(padSamples, layoutCase("taken away first", []int{5}, []int{5},
		func(at []int) []int { return []int{[]int{1, 2, 3, 4, 3}[at[0]]} },
		func(x *ops.Node) *ops.Node {
			return ops.PadWith(x, "reflect", ops.Padding{Axis: 0, Before: -1, After: 1})
		}, few...))...)
	layouts("diagonal",
		layoutCase("above", []int{4, 2, 7}, []int{2, 4}, func(at []int) []int { return []int{at[1], at[0], at[1] + 2} },
			func(x *ops.Node) *ops.Node { return ops.Diagonal(x, 2, 0, -1) }),
		layoutCase("below", []int{5, 3}, []int{3}, func(at []int) []int { return []int{at[0] + 1, at[0]} },
			func(x *ops.Node) *ops.Node { return ops.Diagonal(x, -1, 0, 1) }, few...),
		layoutCase("columns first", []int{5, 3}, []int{3}, func(at []int) []int { return []int{at[0] + 1, at[0]} },
			func(x *ops.Node) *ops.Node { return ops.Diagonal(x, 1, 1, 0) }, few...),
		layoutCase("outside", []int{3, 3}, []int{0}, nil, func(x *ops.Node) *ops.Node { return ops.Diagonal(x, 5, 0, 1) }, few...),
	)
	layouts("diag_embed",
		layoutCase("below", []int{2, 3}, []int{2, 5, 5}, func(at []int) []int {
			if at[1] != at[2]+2 {
				return nil
			}
			return []int{at[0], at[2]}
		}, func(x *ops.Node) *ops.Node { return ops.DiagEmbed(x, -2, -2, -1) }),
		layoutCase("outer axes", []int{2, 3}, []int{4, 2, 4}, func(at []int) []int {
			if at[2] != at[0]+1 {
				return nil
			}
			return []int{at[1], at[0]}
		}, func(x *ops.Node) *ops.Node { return ops.DiagEmbed(x, 1, 0, 2) }, few...),
	)
	for _, s := range []struct {
		op   string
		call func(x *ops.Node, k int) *ops.Node
		keep func(i, j int) bool
	}{
		{"tril", ops.Tril, func(i, j int) bool { return j <= i-1 }},
		{"triu", ops.Triu, func(i, j int) bool { return j >= i-1 }},
	} {
		layouts(s.op, layoutCase("below the main diagonal", []int{2, 5, 4}, []int{2, 5, 4}, func(at []int) []int {
			if !s.keep(at[1], at[2]) {
				return nil
			}
			return slices.Clone(at)
		}, func(x *ops.Node) *ops.Node { return s.call(x, -1) }))
	}
	layouts("repeat_counts", spec.Sample{
		Label: "rows", Operands: []spec.Operand{{Shape: []int{6, 3}}, {Shape: []int{6}, DType: tensor.Int32, Lo: -1, Hi: 3}},
		Build: func(in []*ops.Node) *ops.Node { return ops.RepeatCounts(in[0], 0, in[1], 9) },
		Attr: func(c spec.Case) spec.Result {
			x := c.In[0]
			y, to := spec.NewArray(x.DType, 9, 3), 0
			for i := range 6 {
				for range c.In[1].I[i] {
					for j := 0; j < 3 && to < 9; j++ {
						reference.CopyElement(y, 3*to+j, x, 3*i+j)
					}
					to++
				}
			}
			return reference.Exactly(y)
		},
	})
	instead := func(in func(at []int) []int) func(c spec.Case) spec.Result {
		return func(c spec.Case) spec.Result {
			x, src := c.In[0], c.In[1]
			y := spec.NewArray(x.DType, x.Shape...)
			for p, at := range reference.Coordinates(x.Shape) {
				if from := in(at); from != nil {
					reference.CopyElement(y, p, src, reference.Position(src.Shape, from))
				} else {
					reference.CopyElement(y, p, x, p)
				}
			}
			return reference.Exactly(y)
		}
	}
	layouts("slice_scatter", spec.Sample{
		Label: "steps", Operands: []spec.Operand{{Shape: []int{4, 9}}, {Shape: []int{4, 3}}},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.SliceScatter(in[0], in[1], ops.Range{Axis: 1, Start: 1, Stop: 8, Step: 3})
		},
		Attr: instead(func(at []int) []int {
			if at[1]%3 != 1 {
				return nil
			}
			return []int{at[0], at[1] / 3}
		}),
	})
	layouts("diagonal_scatter", spec.Sample{
		Label: "above", Operands: []spec.Operand{{Shape: []int{4, 2, 7}}, {Shape: []int{2, 4}}},
		Build: func(in []*ops.Node) *ops.Node { return ops.DiagonalScatter(in[0], in[1], 2, 0, 2) },
		Attr: instead(func(at []int) []int {
			if at[2] != at[0]+2 {
				return nil
			}
			return []int{at[1], at[0]}
		}),
	})
}
