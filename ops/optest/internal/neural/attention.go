package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

func init() {
	spec.Register("attention", spec.Spec{
		Reference: attention,
		Tolerance: spec.Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: spec.Composition},
		Samples:   attentionSamples(),
	})
}

// attention follows the definition, with whole rows of scores.
func attention(c spec.Case) spec.Result {
	q, k, v, o := c.In[0], c.In[1], c.In[2], reference.Attr[ops.AttentionOptions](c)
	last := func(a spec.Array, i int) int { return a.Shape[len(a.Shape)-i] }
	m, n, d, e := last(q, 2), last(k, 2), last(q, 1), last(v, 1)
	shape := c.Shape
	if shape == nil { // of a random graph, where q has all the axes before the last two
		shape = append(slices.Clone(q.Shape[:len(q.Shape)-1]), e)
	}
	y := spec.NewArray(q.DType, shape...)
	terms := make([]float64, y.Len())
	scale := o.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(d))
	}
	batch := shape[:len(shape)-2]
	// scores returns the scores of a row, and the error of each, in units.
	scores := func(row int, where func(a spec.Array, i, j int) int) (s, off []float64) {
		s, off = make([]float64, n), make([]float64, n)
		for j := range s {
			for x := range d {
				t := scale * q.F[where(q, row, x)] * k.F[where(k, j, x)]
				s[j] += t
				off[j] += math.Abs(t) * float64(d+4)
			}
			if len(c.In) > 3 {
				switch mask := c.In[3]; {
				case mask.DType != tensor.Bool:
					s[j] += mask.F[where(mask, row, j)]
					off[j] += 2 * math.Abs(mask.F[where(mask, row, j)])
				case mask.U[where(mask, row, j)] == 0:
					s[j] = math.Inf(-1)
				}
			}
			away := j - row - (n - m)
			if o.Causal && away > 0 || o.Window > 0 && max(away, -away) >= o.Window {
				s[j] = math.Inf(-1)
			}
		}
		return s, off
	}
	var s, off []float64
	var run reference.Slice
	for p := range y.Len() {
		at := reference.Coordinate(shape, p)
		row, column := at[len(batch)], at[len(batch)+1]
		where := func(a spec.Array, i, j int) int {
			return reference.Stretched(a.Shape, append(headOf(a.Shape, batch, at[:len(batch)]), i, j))
		}
		if column == 0 { // all columns of a row have its scores
			s, off = scores(row, where)
			run = reference.NewSlice(s)
		}
		if n == 0 || math.IsInf(slices.Max(s), -1) {
			continue
		}
		var size, spread float64
		for j, x := range run.Exps {
			if x == 0 {
				continue
			}
			w := x / run.Sum
			y.F[p] += w * v.F[where(v, j, column)]
			size += w * math.Abs(v.F[where(v, j, column)])
			spread = max(spread, off[j]+2*math.Abs(s[j])+2*math.Abs(run.Shifted[j]))
		}
		terms[p] = size * (2*spread + 2*float64(n) + float64(e) + 16)
	}
	return spec.Result{Array: y, Terms: terms, N: 1}
}

// headOf is the position in an operand of the given shape of the head that the result has at a
// position of its batch axes: several heads may share one.
func headOf(shape, batch, at []int) []int {
	at = slices.Clone(at)
	if h, own := len(batch)-1, len(shape)-3; h >= 0 && own >= 0 && shape[own] > 1 {
		at[h] /= batch[h] / shape[own]
	}
	return at
}

// attentionSamples cover shapes, masks, and rows without visible keys.
func attentionSamples() []spec.Sample {
	return []spec.Sample{
		attentionCase("square", []int{2, 3, 16, 8}, []int{2, 3, 16, 8}, nil, ops.AttentionOptions{}),
		attentionCase("odd", []int{3, 37, 5}, []int{3, 71, 5}, []int{3, 71, 9}, ops.AttentionOptions{}),
		attentionCase("no batch", []int{19, 33}, []int{90, 33}, nil, ops.AttentionOptions{Scale: 0.3}),
		attentionCase("one query", []int{2, 4, 1, 64}, []int{2, 4, 75, 64}, nil, ops.AttentionOptions{Causal: true}),
		attentionCase("one key", []int{2, 5, 7}, []int{2, 1, 7}, []int{2, 1, 1}, ops.AttentionOptions{}),
		attentionCase("causal", []int{2, 2, 67, 16}, []int{2, 2, 67, 16}, nil, ops.AttentionOptions{Causal: true}),
		attentionCase("causal, keys before", []int{2, 5, 8}, []int{2, 40, 8}, nil, ops.AttentionOptions{Causal: true}),
		attentionCase("causal, queries without keys", []int{1, 40, 8}, []int{1, 33, 8}, nil, ops.AttentionOptions{Causal: true}),
		attentionCase("window", []int{2, 70, 4}, []int{2, 70, 4}, nil, ops.AttentionOptions{Window: 5}),
		attentionCase("causal window", []int{1, 2, 70, 4}, []int{1, 2, 75, 4}, nil, ops.AttentionOptions{Window: 9, Causal: true}),
		attentionCase("grouped queries", []int{2, 6, 9, 8}, []int{2, 2, 11, 8}, nil, ops.AttentionOptions{Causal: true}),
		attentionCase("one head of keys", []int{2, 3, 9, 8}, []int{2, 1, 11, 8}, []int{2, 1, 11, 6}, ops.AttentionOptions{}),
		attentionCase("keys of all batches", []int{3, 4, 5, 8}, []int{2, 7, 8}, nil, ops.AttentionOptions{}),
		attentionCase("queries of all batches", []int{4, 5, 8}, []int{3, 1, 7, 8}, []int{3, 4, 7, 2}, ops.AttentionOptions{}),
		attentionCase("no keys", []int{2, 3, 4}, []int{2, 0, 4}, nil, ops.AttentionOptions{}),
		attentionCase("no queries", []int{2, 0, 4}, []int{2, 3, 4}, nil, ops.AttentionOptions{}),
		masked("bool mask", []int{2, 3, 18, 8}, []int{2, 3, 35, 8}, spec.Operand{Shape: []int{18, 35}, DType: tensor.Bool}),
		masked("padding", []int{2, 3, 18, 8}, []int{2, 3, 35, 8}, spec.Operand{Shape: []int{2, 1, 1, 35}, DType: tensor.Bool}),
		masked("rows without keys", []int{2, 18, 8}, []int{2, 9, 8}, spec.Operand{Shape: []int{18, 1}, DType: tensor.Bool}),
		masked("additive mask", []int{2, 4, 18, 8}, []int{2, 2, 35, 8}, spec.Operand{Shape: []int{4, 18, 35}}),
		masked("bias of keys", []int{2, 18, 8}, []int{2, 35, 8}, spec.Operand{Shape: []int{35}}),
		attentionCase("few queries", []int{2, 3, 4, 8}, []int{2, 3, 90, 8}, nil, ops.AttentionOptions{Causal: true}),
		attentionCase("few queries of a window", []int{3, 3, 8}, []int{3, 90, 8}, []int{3, 90, 5},
			ops.AttentionOptions{Causal: true, Window: 20}),
		attentionCase("single queries that share keys", []int{2, 6, 1, 8}, []int{2, 2, 90, 8}, []int{2, 2, 90, 3},
			ops.AttentionOptions{Causal: true}),
		attentionCase("few queries that share keys", []int{2, 6, 2, 8}, []int{3, 90, 8}, nil, ops.AttentionOptions{Causal: true, Window: 60}),
		masked("mask of a single query", []int{2, 4, 1, 8}, []int{2, 2, 90, 8}, spec.Operand{Shape: []int{4, 1, 90}, DType: tensor.Bool}),
		masked("bias of few queries", []int{2, 4, 2, 8}, []int{2, 2, 90, 8}, spec.Operand{Shape: []int{4, 2, 90}}),
		headsLast("heads last", []int{2, 9, 3, 8}, []int{2, 21, 3, 8}),
	}
}

func attentionCase(label string, q, k, v []int, o ops.AttentionOptions) spec.Sample {
	if v == nil {
		v = k
	}
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: q}, {Shape: k}, {Shape: v}}, Attr: o,
		Build: func(in []*ops.Node) *ops.Node {
			o := o
			if len(in) > 3 {
				o.Mask = in[3]
			}
			return ops.Attention(in[0], in[1], in[2], &o)
		},
	}
}

func masked(label string, q, k []int, mask spec.Operand) spec.Sample {
	s := attentionCase(label, q, k, nil, ops.AttentionOptions{})
	s.Operands = append(s.Operands, mask)
	return s
}

// headsLast reads operands [B, L, H, D], as they come out of a dense layer.
func headsLast(label string, q, k []int) spec.Sample {
	s := attentionCase(label, q, k, nil, ops.AttentionOptions{Causal: true})
	s.Through = func(in []*ops.Node) []*ops.Node {
		var out []*ops.Node
		for _, x := range in {
			out = append(out, ops.Transpose(x, 0, 2, 1, 3))
		}
		return out
	}
	return s
}
