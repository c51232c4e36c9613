package optest

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// sampleOf is the call of a sample of an op, for operands of other shapes too.
func sampleOf(op, label string) func(in []*ops.Node) *ops.Node {
	all := spec.Samples(op)
	return all[slices.IndexFunc(all, func(s spec.Sample) bool { return s.Label == label })].Build
}

// controlMoves put a branch or a loop in a program, whose bodies read nodes outside of them.
var controlMoves = []move{
	func(p *program) {
		x, ok := p.any(nil)
		if !ok {
			return
		}
		y, ok := p.any(func(s []int) bool { return slices.Equal(s, p.shape(x)) })
		if ok {
			p.apply("if", nil, sampleOf("if", "matrix"), p.input(tensor.Bool), x, y)
		}
	},
	func(p *program) {
		x, ok := p.any(func(s []int) bool { return len(s) == 2 && s[0] == 5 })
		if !ok {
			x = p.input(p.base, 5, 1+p.rng.IntN(6))
		}
		n := p.input(tensor.Int32)
		p.values[n].I[0] = int64(p.rng.IntN(7))
		p.apply("while", nil, sampleOf("while", "matrix"), x, n)
	},
	func(p *program) {
		x, ok := p.any(hasAxes)
		if !ok {
			return
		}
		first, ok := p.any(func(s []int) bool { return slices.Equal(s, p.shape(x)[1:]) })
		if !ok {
			first = p.input(p.base, p.shape(x)[1:]...)
		}
		reverse, label := false, "matrix"
		if p.rng.IntN(2) == 0 {
			reverse, label = true, "reverse"
		}
		p.apply("scan", reverse, sampleOf("scan", label), first, x)
	},
}
