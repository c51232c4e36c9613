package optest

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reduction"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// structureMoves have attributes that depend on the shape of their operand, which samples cannot try on values of a program.
var structureMoves = []move{
	func(p *program) { // beyond the edges of two axes
		x, ok := p.any(func(s []int) bool { return len(s) > 0 && spec.Count(s) > 0 })
		if !ok {
			return
		}
		mode := []string{"reflect", "symmetric", "edge", "wrap"}[p.rng.IntN(4)]
		var paddings []ops.Padding
		for _, a := range p.some(len(p.shape(x))) {
			if len(paddings) < 2 {
				paddings = append(paddings, ops.Padding{Axis: a, Before: p.rng.IntN(4), After: p.rng.IntN(4)})
			}
		}
		reference := func(c spec.Case) spec.Result { return padded(c.In[0], mode, paddings) }
		p.apply("pad_mode", reference, sample.One(func(x *ops.Node) *ops.Node { return ops.PadWith(x, mode, paddings...) }), x)
	},
	func(p *program) { // from the end, backwards or not
		x, ok := p.any(hasAxes)
		if !ok {
			return
		}
		var ranges []ops.Range
		for _, a := range p.some(len(p.shape(x))) {
			r := ops.Range{Axis: a, Start: -1 - p.rng.IntN(3), Step: -1 - p.rng.IntN(3)}
			if p.rng.IntN(2) == 0 {
				r = ops.Range{Axis: a, Start: -4 - p.rng.IntN(3), Stop: -1, Step: 1 + p.rng.IntN(2)}
			}
			ranges = append(ranges, r)
		}
		p.apply("slice", ranges, sample.One(func(x *ops.Node) *ops.Node { return ops.Slice(x, ranges...) }), x)
	},
	func(p *program) {
		x, ok := p.any(func(s []int) bool { return len(s) > 0 && spec.Count(s) > 0 })
		if !ok {
			return
		}
		axis, o := p.rng.IntN(len(p.shape(x))), ops.CumSumOptions{Exclusive: p.rng.IntN(2) == 0, Reverse: p.rng.IntN(2) == 0}
		p.apply("cumsum", reduction.CumSumAttr{Axis: axis, CumSumOptions: o},
			sample.One(func(x *ops.Node) *ops.Node { return ops.CumSum(x, axis, &o) }), x)
	},
	func(p *program) {
		x, ok := p.any(func(s []int) bool { return len(s) > 0 && spec.Count(s) > 0 })
		if !ok {
			return
		}
		axis, o := p.rng.IntN(len(p.shape(x))), ops.CumSumOptions{Reverse: p.rng.IntN(2) == 0}
		name, f := "cummax", ops.CumMax
		if p.rng.IntN(2) == 0 {
			name, f = "cummin", ops.CumMin
		}
		p.apply(name, reduction.RunningOf{Axis: axis, Reverse: o.Reverse}, sample.One(func(x *ops.Node) *ops.Node {
			values, _ := f(x, axis, &o)
			return values
		}), x)
	},
	func(p *program) { // where a mask of some of its axes holds
		x, ok := p.any(func(s []int) bool { return len(s) > 0 && spec.Count(s) > 0 })
		if !ok {
			return
		}
		mask := p.input(tensor.Bool, p.shape(x)[p.rng.IntN(len(p.shape(x))):]...)
		axes := p.some(len(p.shape(x)))
		p.apply("masked_sum", axes, sample.Two(func(x, m *ops.Node) *ops.Node { return ops.MaskedSum(x, m, axes...) }), x, mask)
	},
}

// padded is x with elements beyond its edges, which mode takes from inside.
func padded(x spec.Array, mode string, paddings []ops.Padding) spec.Result {
	shape, before := slices.Clone(x.Shape), make([]int, len(x.Shape))
	for _, q := range paddings {
		shape[q.Axis] += q.Before + q.After
		before[q.Axis] = q.Before
	}
	return reference.Pick(x, shape, func(at []int) int {
		from := make([]int, len(at))
		for a := range at {
			n, i := x.Shape[a], at[a]-before[a]
			period := map[string]int{"wrap": n, "reflect": max(2*(n-1), 1), "symmetric": 2 * n}[mode]
			if mode == "edge" {
				i = min(max(i, 0), n-1)
			} else if i = (i%period + period) % period; i >= n {
				i = period - i
				if mode == "symmetric" {
					i--
				}
			}
			from[a] = i
		}
		return reference.Position(x.Shape, from)
	})
}
