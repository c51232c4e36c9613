package optest

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/indexing"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// move adds an op to a program, or nothing if no value fits.
type move func(p *program)

func hasAxes(shape []int) bool { return len(shape) > 0 }

// viewMoves only rearrange.
var viewMoves = []move{
	func(p *program) {
		x, ok := p.any(nil)
		if !ok {
			return
		}
		p.reshape(x, p.split(p.shape(x)))
	},
	func(p *program) {
		if x, ok := p.any(hasAxes); ok {
			perm := p.rng.Perm(len(p.shape(x)))
			p.apply("transpose", perm, sample.One(func(x *ops.Node) *ops.Node { return ops.Transpose(x, perm...) }), x)
		}
	},
	func(p *program) {
		x, ok := p.any(hasAxes)
		if !ok {
			return
		}
		var ranges []ops.Range
		for _, a := range p.some(len(p.shape(x))) {
			n := p.shape(x)[a]
			r := ops.Range{Axis: a, Step: 1 + p.rng.IntN(3)}
			if n > 0 {
				r.Start = p.rng.IntN(n)
				r.Stop = r.Start + 1 + p.rng.IntN(n-r.Start)
			}
			if p.rng.IntN(3) == 0 {
				r = ops.Range{Axis: a, Start: -1, Step: -r.Step}
			}
			ranges = append(ranges, r)
		}
		p.apply("slice", ranges, sample.One(func(x *ops.Node) *ops.Node { return ops.Slice(x, ranges...) }), x)
	},
	func(p *program) {
		x, ok := p.any(hasAxes)
		if !ok {
			return
		}
		s := indexing.PadAttr{Value: float64(p.rng.IntN(3))}
		for _, a := range p.some(len(p.shape(x))) {
			s.Paddings = append(s.Paddings, ops.Padding{Axis: a, Before: p.rng.IntN(3), After: p.rng.IntN(3)})
		}
		p.apply("pad", s, sample.One(func(x *ops.Node) *ops.Node { return ops.Pad(x, s.Value, s.Paddings...) }), x)
	},
	func(p *program) {
		if x, ok := p.any(func(s []int) bool { return len(s) < 4 }); ok {
			n := 1 + p.rng.IntN(4)
			p.add(step{
				op: "broadcast_to", at: func(in []spec.Array) any { return append([]int{n}, in[0].Shape...) }, args: []int{x},
				build: sample.One(func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, append([]int{n}, x.Shape()...)...) }),
			}, p.base, nil)
		}
	},
	func(p *program) {
		x, ok := p.any(hasAxes)
		if !ok {
			return
		}
		axis := p.rng.IntN(len(p.shape(x)))
		y, ok := p.any(func(s []int) bool {
			return len(s) == len(p.shape(x)) && slices.Equal(s[:axis], p.shape(x)[:axis]) && slices.Equal(s[axis+1:], p.shape(x)[axis+1:])
		})
		if ok {
			p.apply("concat", axis, func(in []*ops.Node) *ops.Node { return ops.Concat(axis, in...) }, x, y)
		}
	},
	func(p *program) {
		x, ok := p.any(func(s []int) bool { return len(s) > 0 && len(s) < 4 })
		if !ok {
			return
		}
		a := p.rng.IntN(len(p.shape(x)))
		windows := []ops.Window{{Axis: a, Size: 1 + p.rng.IntN(3), Stride: 1 + p.rng.IntN(2), Dilation: 1 + p.rng.IntN(2)}}
		p.apply("windows", windows, sample.One(func(x *ops.Node) *ops.Node { return ops.Windows(x, windows...) }), x)
	},
	func(p *program) {
		if x, ok := p.any(hasAxes); ok {
			axis := p.rng.IntN(len(p.shape(x)))
			idx := p.indices(p.shape(x)[axis], p.randomShape()...)
			p.apply("gather", axis, sample.Two(func(x, i *ops.Node) *ops.Node { return ops.Gather(x, axis, i) }), x, idx)
		}
	},
	func(p *program) {
		if x, ok := p.any(hasAxes); ok {
			axis, shape := p.rng.IntN(len(p.shape(x))), slices.Clone(p.shape(x))
			shape[axis] = 1 + p.rng.IntN(4)
			idx := p.indices(p.shape(x)[axis], shape...)
			p.apply("take_along", axis, sample.Two(func(x, i *ops.Node) *ops.Node { return ops.TakeAlong(x, axis, i) }), x, idx)
		}
	},
}

// foldMoves add up: sums, products of matrices, convolutions.
var foldMoves = []move{
	folding("sum", ops.Sum), folding("sum", ops.Sum), folding("max", ops.Max), folding("min", ops.Min),
	func(p *program) { // a matrix from outside
		x, ok := p.any(hasAxes)
		if !ok {
			return
		}
		k := p.shape(x)[len(p.shape(x))-1]
		w := p.input(p.base, k, 1+p.rng.IntN(9))
		p.apply("matmul", nil, sample.Two(ops.MatMul), x, w)
	},
	func(p *program) { // with its own transpose
		x, ok := p.any(func(s []int) bool { return len(s) == 2 })
		if !ok {
			return
		}
		y, ok := p.apply("transpose", []int{1, 0}, sample.One(func(x *ops.Node) *ops.Node { return ops.Transpose(x) }), x)
		if ok {
			p.apply("matmul", nil, sample.Two(ops.MatMul), x, y)
		}
	},
	func(p *program) {
		if x, ok := p.any(hasAxes); ok {
			axis := p.rng.IntN(len(p.shape(x)))
			n := p.rng.IntN(9)
			idx := p.indices(p.shape(x)[axis], n)
			shape := slices.Clone(p.shape(x))
			shape[axis] = n
			updates := p.input(p.base, shape...)
			p.apply("scatter_add", axis, func(in []*ops.Node) *ops.Node { return ops.ScatterAdd(in[0], axis, in[1], in[2]) }, x, idx, updates)
		}
	},
	func(p *program) {
		x, ok := p.image()
		if !ok || !p.base.IsFloat() {
			return
		}
		s := p.shape(x)
		o := ops.Conv2DOptions{
			Stride: [2]int{1 + p.rng.IntN(2), 1 + p.rng.IntN(2)}, Pad: [2]int{p.rng.IntN(2), p.rng.IntN(2)},
			Dilation: [2]int{1, 1}, Groups: 1,
		}
		if p.rng.IntN(3) == 0 && s[1] > 0 {
			o.Groups = s[1]
		}
		w := p.input(p.base, o.Groups*(1+p.rng.IntN(3)), s[1]/o.Groups, 1+p.rng.IntN(min(s[2], 3)), 1+p.rng.IntN(min(s[3], 3)))
		p.apply("conv2d", o, sample.Two(func(x, w *ops.Node) *ops.Node { return ops.Conv2D(x, w, o) }), x, w)
	},
	func(p *program) {
		if x, ok := p.image(); ok {
			s := p.shape(x)
			o := ops.PoolOptions{Size: [2]int{1 + p.rng.IntN(min(s[2], 3)), 1 + p.rng.IntN(min(s[3], 3))},
				Stride: [2]int{1 + p.rng.IntN(2), 1 + p.rng.IntN(2)}}
			p.apply("max_pool2d", o, sample.One(func(x *ops.Node) *ops.Node { return ops.MaxPool2D(x, o) }), x)
		}
	},
}

// image is a value of four axes, made by reshaping if need be.
func (p *program) image() (int, bool) {
	fits := func(s []int) bool { return len(s) == 4 && s[1] > 0 && s[2] > 0 && s[3] > 0 }
	if x, ok := p.any(fits); ok {
		return x, true
	}
	x, ok := p.any(func(s []int) bool { return spec.Count(s) > 0 })
	if !ok {
		return 0, false
	}
	shape := p.split(p.shape(x))
	for len(shape) < 4 {
		shape = append(shape, 1)
	}
	if len(shape) > 4 {
		return 0, false
	}
	return p.reshape(x, shape)
}

// split is another shape for the elements of one. A first extent that is open stays.
func (p *program) split(shape []int) []int {
	if p.lead > 0 && len(shape) > 0 && shape[0] == p.lead {
		return append([]int{p.lead}, p.factors(spec.Count(shape[1:]))...)
	}
	return p.factors(spec.Count(shape))
}

// reshape gives value x another shape, where it is one for all sizes.
func (p *program) reshape(x int, shape []int) (int, bool) {
	for k, n := range p.sizes {
		if p.resizedValues[k][x].Len() != spec.Count(p.resized(shape, n)) {
			return 0, false
		}
	}
	s := step{op: "reshape", attr: shape, args: []int{x}, build: sample.One(func(x *ops.Node) *ops.Node { return ops.Reshape(x, shape...) })}
	if p.lead > 0 && len(shape) > 0 && shape[0] == p.lead {
		rest, first := shape[1:], func(x *ops.Node) int { return x.Dim(0) }
		s.at = func(in []spec.Array) any { return append([]int{in[0].Shape[0]}, rest...) }
		if of := p.shape(x); len(of) == 0 || of[0] != p.lead { // a multiple of the extent that is taken apart, say
			n := spec.Count(rest)
			if n == 0 {
				return 0, false
			}
			first = func(*ops.Node) int { return -1 }
			s.at = func(in []spec.Array) any { return append([]int{in[0].Len() / n}, rest...) }
		}
		s.build = sample.One(func(x *ops.Node) *ops.Node { return ops.Reshape(x, append([]int{first(x)}, rest...)...) })
	}
	return p.add(s, p.base, nil)
}

func folding(op string, f func(x *ops.Node, axes ...int) *ops.Node) move {
	return func(p *program) {
		if x, ok := p.any(hasAxes); ok {
			axes := p.some(len(p.shape(x)))
			// An empty maximum is infinite: no small integer.
			for _, a := range axes {
				if p.shape(x)[a] == 0 && op != "sum" {
					return
				}
			}
			p.apply(op, axes, sample.One(func(x *ops.Node) *ops.Node { return f(x, axes...) }), x)
		}
	}
}

func unary(op string) move {
	return func(p *program) {
		if x, ok := p.any(nil); ok {
			p.apply(op, nil, spec.Of(op).Call, x)
		}
	}
}

func binary(op string) move {
	return func(p *program) {
		if x, ok := p.any(nil); ok {
			p.apply(op, nil, spec.Of(op).Call, x, p.partner(x))
		}
	}
}

// exactMoves give small integers for small integers.
var exactMoves = []move{
	unary("neg"), unary("abs"), unary("square"), unary("relu"), unary("sign"),
	binary("add"), binary("sub"), binary("mul"), binary("maximum"), binary("minimum"),
	func(p *program) { // choose by a comparison
		x, ok := p.any(nil)
		if !ok {
			return
		}
		y := p.partner(x)
		c, ok := p.applyAs("less", tensor.Bool, nil, sample.Two(ops.Less), x, y)
		if ok {
			p.apply("where", nil, func(in []*ops.Node) *ops.Node { return ops.Where(in[0], in[1], in[2]) }, c, y, x)
		}
	},
	func(p *program) { // there and back
		if x, ok := p.any(nil); ok {
			to := []tensor.DType{tensor.Int32, tensor.Float32, tensor.Int64, tensor.Float16}[p.rng.IntN(4)]
			if to == p.base {
				return
			}
			y, ok := p.applyAs("cast", to, to, sample.One(func(x *ops.Node) *ops.Node { return ops.Cast(x, to) }), x)
			if ok {
				p.apply("cast", p.base, sample.One(func(x *ops.Node) *ops.Node { return ops.Cast(x, p.base) }), y)
			}
		}
	},
	func(p *program) { // gather by a computed position
		x, ok := p.any(func(s []int) bool { return len(s) > 0 && spec.Count(s) > 0 })
		if !ok {
			return
		}
		axis := p.rng.IntN(len(p.shape(x)))
		at, ok := p.applyAs("argmax", tensor.Int64, axis, sample.One(func(x *ops.Node) *ops.Node { return ops.ArgMax(x, axis) }), x)
		if ok {
			p.apply("gather", axis, sample.Two(func(x, i *ops.Node) *ops.Node { return ops.Gather(x, axis, i) }), x, at)
		}
	},
}

// smoothMoves are continuous functions with moderate slopes.
var smoothMoves = []move{
	unary("tanh"), unary("sigmoid"), unary("sin"), unary("cos"), unary("erf"),
	unary("gelu"), unary("gelu_tanh"), unary("softplus"), unary("atan"), unary("abs"), unary("relu"),
	binary("add"), binary("sub"), binary("mul"), binary("maximum"),
	folding("mean", ops.Mean),
	func(p *program) {
		if x, ok := p.any(func(s []int) bool { return len(s) > 0 && spec.Count(s) > 0 }); ok {
			axis := p.rng.IntN(len(p.shape(x)))
			p.apply("softmax", axis, sample.One(func(x *ops.Node) *ops.Node { return ops.Softmax(x, axis) }), x)
		}
	},
	func(p *program) {
		if x, ok := p.any(func(s []int) bool { return len(s) > 0 && spec.Count(s) > 0 }); ok {
			axis := p.rng.IntN(len(p.shape(x)))
			p.apply("log_softmax", axis, sample.One(func(x *ops.Node) *ops.Node { return ops.LogSoftmax(x, axis) }), x)
		}
	},
	func(p *program) {
		x, ok := p.any(func(s []int) bool { return len(s) > 0 && spec.Count(s) > 0 })
		if !ok {
			return
		}
		width, eps := p.shape(x)[len(p.shape(x))-1], 0.125 // rows may be constant
		p.apply("layer_norm", eps, func(in []*ops.Node) *ops.Node { return ops.LayerNorm(in[0], in[1], in[2], eps) },
			x, p.input(p.base, width), p.input(p.base, width))
	},
	func(p *program) { // to itself, or to keys from outside
		q, ok := p.any(func(s []int) bool { return len(s) >= 2 && len(s) <= 4 && s[len(s)-1] > 0 })
		if !ok {
			return
		}
		s, k, v := p.shape(q), q, q
		if p.rng.IntN(2) == 0 {
			n := p.rng.IntN(12)
			batch := s[p.rng.IntN(len(s)-1) : len(s)-2]
			k = p.input(p.base, slices.Concat(batch, []int{n, s[len(s)-1]})...)
			v = p.input(p.base, slices.Concat(batch, []int{n, 1 + p.rng.IntN(9)})...)
		}
		o := ops.AttentionOptions{Causal: p.rng.IntN(2) == 0, Window: p.rng.IntN(2) * p.rng.IntN(5)}
		p.apply("attention", o, func(in []*ops.Node) *ops.Node { return ops.Attention(in[0], in[1], in[2], &o) }, q, k, v)
	},
	func(p *program) {
		if x, ok := p.image(); ok {
			s := p.shape(x)
			o := ops.PoolOptions{
				Size:     [2]int{1 + p.rng.IntN(min(s[2], 3)), 1 + p.rng.IntN(min(s[3], 3))},
				Stride:   [2]int{1 + p.rng.IntN(2), 1 + p.rng.IntN(2)},
				CountPad: p.rng.IntN(2) == 0,
			}
			p.apply("avg_pool2d", o, sample.One(func(x *ops.Node) *ops.Node { return ops.AvgPool2D(x, o) }), x)
		}
	},
	func(p *program) { // values that may be large go through a bounded function
		if x, ok := p.any(nil); ok {
			if y, ok := p.apply("tanh", nil, sample.One(ops.Tanh), x); ok {
				p.apply("exp", nil, sample.One(ops.Exp), y)
			}
		}
	},
}
