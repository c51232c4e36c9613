package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Pooling over one to three axes.

// poolMoves is the attribute of a sample: how windows move, with everything given.
type poolMoves struct {
	moves
	size, after []int
	countPad    bool
	divisor     int
	whole       bool
	p           float64
	adaptive    bool
}

// each visits the elements q of x under the window of element p of y, in row-major order, and says how many taps of the padded tensor there
// are.
func (m poolMoves) each(x, y []int, visit func(p, q, tap int)) (padded []int) {
	n := len(m.size)
	lead := len(x) - n
	padded = make([]int, spec.Count(y))
	for p, at := range reference.Coordinates(y) {
		size := slices.Clone(m.size)
		start := make([]int, n)
		for a := range n {
			i, in, out := at[lead+a], x[lead+a], y[lead+a]
			if m.adaptive {
				start[a] = i * in / out
				size[a] = (i*in+in+out-1)/out - start[a]
			} else {
				start[a] = i*m.stride[a] - m.before[a]
			}
		}
		for tap, u := range reference.Coordinates(size) {
			q, inside, inPadding := slices.Clone(at), true, true
			for a := range n {
				v := start[a] + u[a]*m.dilation[a]
				q[lead+a] = v
				inside = inside && v >= 0 && v < x[lead+a]
				inPadding = inPadding && (m.adaptive || v < x[lead+a]+m.after[a])
			}
			if inPadding {
				padded[p]++
			}
			if inside {
				visit(p, reference.Position(x, q), tap)
			}
		}
	}
	return padded
}

func maxOf(c spec.Case) (y spec.Array, at []int) {
	m, x := reference.Attr[poolMoves](c), c.In[0]
	n := len(m.size)
	shape := c.Shape
	y, at = spec.NewArray(x.DType, shape...), make([]int, spec.Count(shape))
	for i := range at {
		at[i] = -1
	}
	m.each(x.Shape, shape, func(p, q, _ int) {
		if at[p] < 0 || reference.Beats(x, q, y, p, false) {
			reference.CopyElement(y, p, x, q)
			at[p] = q
		}
	})
	if !m.whole {
		for i := range at {
			at[i] %= spec.Count(x.Shape[len(x.Shape)-n:])
		}
	}
	return y, at
}

func sumOf(c spec.Case, each func(v float64) float64) (s reference.Sum, n, padded []int) {
	m, x := reference.Attr[poolMoves](c), c.In[0]
	s = reference.NewSum(x.DType, c.Shape)
	n = make([]int, spec.Count(c.Shape))
	padded = m.each(x.Shape, c.Shape, func(p, q, _ int) {
		v := each(x.F[q])
		s.Y.F[p] += v
		s.Terms[p] += math.Abs(v)
		n[p]++
	})
	return s, n, padded
}

// meanOf is the reference of the averages.
func meanOf(c spec.Case) spec.Result {
	m := reference.Attr[poolMoves](c)
	s, n, padded := sumOf(c, func(v float64) float64 { return v })
	most := 0
	for p := range s.Y.F {
		d := n[p]
		if m.countPad {
			d = padded[p]
		}
		if m.divisor > 0 {
			d = m.divisor
		}
		s.Y.F[p] /= float64(d)
		s.Terms[p] /= float64(d)
		most = max(most, n[p])
	}
	return spec.Result{Array: s.Y, Terms: s.Terms, N: float64(most + 6)}
}

func init() {
	type options = ops.PoolingOptions
	spec.Register("max_pool", spec.Spec{
		Reference: func(c spec.Case) spec.Result { y, _ := maxOf(c); return reference.Exactly(y) },
		Tolerance: spec.Exact,
		Samples: []spec.Sample{
			poolNDCase("one axis, ceil", ops.MaxPool, []int{2, 3, 8}, options{Size: []int{3}, Stride: []int{2}, Ceil: true},
				poolMoves{moves: moves{stride: []int{2}}}),
			poolNDCase("two axes, asymmetric", ops.MaxPool, []int{2, 5, 6},
				options{Size: []int{2, 3}, Stride: []int{1, 2}, Pad: []int{0, 1}, PadAfter: []int{1, 2}},
				poolMoves{moves: moves{stride: []int{1, 2}, before: []int{0, 1}}}),
			poolNDCase("two axes, dilated", ops.MaxPool, []int{1, 2, 7, 8},
				options{Size: []int{2, 3}, Dilation: []int{2}, Stride: []int{1}, Pad: []int{1}},
				poolMoves{moves: moves{stride: []int{1, 1}, before: []int{1, 1}, dilation: []int{2, 2}}}),
			poolNDCase("volume", ops.MaxPool, []int{2, 4, 5, 6},
				options{Size: []int{2, 3, 2}, Stride: []int{2, 1, 2}, Pad: []int{1, 1, 0}, Ceil: true},
				poolMoves{moves: moves{stride: []int{2, 1, 2}, before: []int{1, 1, 0}}}),
			poolNDCase("same", ops.MaxPool, []int{1, 1, 7}, options{Size: []int{4}, Stride: []int{3}, Mode: ops.PadSame},
				poolMoves{moves: moves{stride: []int{3}, before: []int{1}}}),
		},
	})
	indices := func(whole bool) func(x *ops.Node, o options) *ops.Node {
		return func(x *ops.Node, o options) *ops.Node { _, at := ops.MaxPoolWithIndices(x, o, whole); return at }
	}
	spec.Register("max_pool_indices", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y, at := maxOf(c)
			if c.DType != c.In[0].DType {
				y = spec.NewArray(c.DType, c.Shape...)
				for p, q := range at {
					y.I[p] = int64(q)
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples: []spec.Sample{
			notInt64(poolNDCase("indices, one axis", indices(false), []int{2, 3, 8}, options{Size: []int{3}, Stride: []int{2}, Pad: []int{1}},
				poolMoves{moves: moves{stride: []int{2}, before: []int{1}}})),
			notInt64(poolNDCase("indices, two axes", indices(true), []int{2, 3, 5, 6},
				options{Size: []int{2, 3}, Pad: []int{1}, Dilation: []int{1, 2}, Stride: []int{1, 2}},
				poolMoves{moves: moves{stride: []int{1, 2}, before: []int{1, 1}, dilation: []int{1, 2}}, whole: true})),
			poolNDCase("values", func(x *ops.Node, o options) *ops.Node { y, _ := ops.MaxPoolWithIndices(x, o, false); return y },
				[]int{1, 2, 3, 4, 5},
				options{Size: []int{2, 2, 2}, Stride: []int{1}}, poolMoves{moves: moves{stride: []int{1, 1, 1}}}),
		},
	})
	spec.Register("avg_pool", spec.Spec{
		Reference: meanOf,
		Tolerance: spec.Tolerance{ULP: 4, ULP64: 2, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples: []spec.Sample{
			poolNDCase("one axis, ceil", ops.AvgPool, []int{2, 3, 8},
				options{Size: []int{3}, Stride: []int{2}, Pad: []int{1}, Ceil: true, CountPad: true},
				poolMoves{moves: moves{stride: []int{2}, before: []int{1}}, countPad: true}),
			poolNDCase("two axes", ops.AvgPool, []int{2, 5, 6}, options{Size: []int{2, 3}, Stride: []int{1, 2}, Pad: []int{1}},
				poolMoves{moves: moves{stride: []int{1, 2}, before: []int{1, 1}}}),
			poolNDCase("two axes, asymmetric", ops.AvgPool, []int{2, 2, 5, 6},
				options{Size: []int{2, 3}, Dilation: []int{1, 2}, Stride: []int{1}, Pad: []int{0, 1}, PadAfter: []int{1, 3}},
				poolMoves{moves: moves{stride: []int{1, 1}, before: []int{0, 1}, dilation: []int{1, 2}}}),
			poolNDCase("volume", ops.AvgPool, []int{2, 4, 5, 6}, options{Size: []int{2, 3, 2}, Divisor: 5},
				poolMoves{moves: moves{stride: []int{2, 3, 2}}, divisor: 5}),
		},
	})
	spec.Register("lp_pool", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			p := reference.Attr[poolMoves](c).p
			s, _, _ := sumOf(c, func(v float64) float64 { return math.Pow(math.Abs(v), p) })
			for i, v := range s.Y.F {
				s.Y.F[i] = math.Pow(v, 1/p)
				s.Terms[i] = s.Y.F[i]
			}
			return spec.Result{Array: s.Y, Terms: s.Terms, N: 64}
		},
		Tolerance: spec.Tolerance{ULP: 64, ULP64: 64, Terms: 1, Stored: 2, Source: spec.Composition},
		Samples: []spec.Sample{
			poolNDCase("one axis", func(x *ops.Node, o options) *ops.Node { return ops.LPPool(x, 2, o) }, []int{2, 3, 8},
				options{Size: []int{3}, Stride: []int{2}}, poolMoves{moves: moves{stride: []int{2}}, p: 2}),
			poolNDCase("two axes", func(x *ops.Node, o options) *ops.Node { return ops.LPPool(x, 3, o) }, []int{2, 5, 6},
				options{Size: []int{2, 3}, Pad: []int{1}}, poolMoves{moves: moves{stride: []int{2, 3}, before: []int{1, 1}}, p: 3}),
		},
	})
	spec.Register("adaptive_avg_pool", spec.Spec{
		Reference: meanOf,
		Tolerance: spec.Tolerance{ULP: 4, ULP64: 2, Terms: 1, Stored: 3, Source: spec.Composition},
		Samples: []spec.Sample{
			adaptiveCase("divides", ops.AdaptiveAvgPool, []int{2, 3, 8, 6}, 4, -1),
			adaptiveCase("overlaps", ops.AdaptiveAvgPool, []int{2, 7, 9}, 3, 4),
			adaptiveCase("volume", ops.AdaptiveAvgPool, []int{2, 4, 11, 3}, 2, 3, 5), adaptiveCase("one", ops.AdaptiveAvgPool, []int{1, 3, 7}, 1),
		},
	})
	spec.Register("adaptive_max_pool", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y, at := maxOf(c)
			if c.DType != c.In[0].DType {
				y = spec.NewArray(c.DType, c.Shape...)
				for p, q := range at {
					y.I[p] = int64(q)
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples: []spec.Sample{
			adaptiveCase("overlaps", firstResult(ops.AdaptiveMaxPool), []int{2, 7, 9}, 3, 4),
			adaptiveCase("volume", firstResult(ops.AdaptiveMaxPool), []int{2, 4, 11, 3}, 2, 3, 5),
			notInt64(adaptiveCase("indices", secondOf(ops.AdaptiveMaxPool), []int{2, 7, 9}, 3, 4)),
			adaptiveCase("divides", firstResult(ops.AdaptiveMaxPool), []int{1, 2, 8}, 4),
			adaptiveCase("even windows", firstResult(ops.AdaptiveMaxPool), []int{2, 7, 7}, 3, 2),
			notInt64(adaptiveCase("indices of even windows", secondOf(ops.AdaptiveMaxPool), []int{2, 7, 7}, 3, 2)),
		},
	})
}

func init() {
	unpool := func(label string, x, size []int, only []tensor.DType) spec.Sample {
		return spec.Sample{
			Label: label, Attr: size, Only: only,
			Operands: []spec.Operand{{Shape: x}, {Shape: x, DType: tensor.Int64, Lo: -1, Hi: float64(spec.Count(size))}},
			Build:    func(in []*ops.Node) *ops.Node { return ops.MaxUnpool(in[0], in[1], size...) },
		}
	}
	// Positions that are all different within a row: of others the derivative is PyTorch's, not that of the result.
	apart := func(label string, x, size []int, only []tensor.DType) spec.Sample {
		s := unpool(label, x, size, only)
		own := spec.Count(x[len(x)-len(size):])
		s.Through = func(in []*ops.Node) []*ops.Node {
			at := in[1].Graph().Iota(tensor.Int64, -1, spec.Count(x)/own, own)
			return []*ops.Node{in[0], ops.Add(ops.Mul(ops.Reshape(at, x...), 2), ops.Add(1, ops.Mul(in[1], 0)))}
		}
		return s
	}
	spec.Register("max_unpool", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			y := spec.NewArray(x.DType, c.Shape...)
			size := reference.Attr[[]int](c)
			volume, own := spec.Count(size), spec.Count(x.Shape[len(x.Shape)-len(size):])
			for p := range x.Len() {
				if at := reference.IndexAt(c.In[1], p); at >= 0 && at < volume {
					reference.CopyElement(y, p/own*volume+at, x, p)
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{
			unpool("sequence", []int{2, 3, 4}, []int{9}, []tensor.DType{tensor.Bool, tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16,
				tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64}),
			apart("images", []int{2, 3, 2, 3}, []int{5, 4}, sample.FloatDTypes),
			apart("volumes", []int{2, 2, 1, 3}, []int{3, 2, 4}, sample.FloatDTypes[2:]),
		},
	})
}

// notInt64 leaves out the dtype that the reference tells indices from values by.
func notInt64(s spec.Sample) spec.Sample {
	s.Only = slices.DeleteFunc(slices.Clone(sample.NumberDTypes), func(dt tensor.DType) bool { return dt == tensor.Int64 })
	return s
}

func firstResult(f func(x *ops.Node, size ...int) (a, b *ops.Node)) func(x *ops.Node, size ...int) *ops.Node {
	return func(x *ops.Node, size ...int) *ops.Node { a, _ := f(x, size...); return a }
}

func secondOf(f func(x *ops.Node, size ...int) (a, b *ops.Node)) func(x *ops.Node, size ...int) *ops.Node {
	return func(x *ops.Node, size ...int) *ops.Node { _, b := f(x, size...); return b }
}

func poolNDCase(label string, call func(x *ops.Node, o ops.PoolingOptions) *ops.Node, x []int, o ops.PoolingOptions,
	m poolMoves) spec.Sample {
	m.size, m.moves = o.Size, m.normal(len(o.Size))
	if m.after = m.before; o.PadAfter != nil {
		m.after = o.PadAfter
	}
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: x, Distinct: true}}, Attr: m,
		Build: func(in []*ops.Node) *ops.Node { return call(in[0], o) },
	}
}

func adaptiveCase(label string, call func(x *ops.Node, size ...int) *ops.Node, x []int, size ...int) spec.Sample {
	m := poolMoves{adaptive: true, moves: moves{}.normal(len(size)), size: size}
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: x, Distinct: true}}, Attr: m,
		Build: func(in []*ops.Node) *ops.Node { return call(in[0], size...) },
	}
}
