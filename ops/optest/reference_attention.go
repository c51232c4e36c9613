package optest

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func init() { reference("attention", attention) }

// attention follows the definition, with whole rows of scores.
func attention(c Case) Result {
	q, k, v, o := c.In[0], c.In[1], c.In[2], attr[ops.AttentionOptions](c)
	last := func(a Array, i int) int { return a.Shape[len(a.Shape)-i] }
	m, n, d, e := last(q, 2), last(k, 2), last(q, 1), last(v, 1)
	shape := c.Shape
	if shape == nil { // of a random graph, where q has all the axes before the last two
		shape = append(slices.Clone(q.Shape[:len(q.Shape)-1]), e)
	}
	y := NewArray(q.DType, shape...)
	terms := make([]float64, y.Len())
	scale := o.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(d))
	}
	batch := shape[:len(shape)-2]
	for p := range y.Len() {
		at := coordinate(shape, p)
		row, column := at[len(batch)], at[len(batch)+1]
		where := func(a Array, i, j int) int {
			return stretched(a.Shape, append(headOf(a.Shape, batch, at[:len(batch)]), i, j))
		}
		s := make([]float64, n)
		off := make([]float64, n) // the error of each score, in units
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
		run := newSlice(s)
		if n == 0 || math.IsInf(slices.Max(s), -1) {
			continue
		}
		var size, spread float64
		for j, x := range run.exps {
			if x == 0 {
				continue
			}
			w := x / run.sum
			y.F[p] += w * v.F[where(v, j, column)]
			size += w * math.Abs(v.F[where(v, j, column)])
			spread = max(spread, off[j]+2*math.Abs(s[j])+2*math.Abs(run.shifted[j]))
		}
		terms[p] = size * (2*spread + 2*float64(n) + float64(e) + 16)
	}
	return Result{Array: y, Terms: terms, N: 1}
}

// headOf is where an operand of the given shape has what the result has at a
// position of its batch axes: several heads may share one.
func headOf(shape, batch, at []int) []int {
	at = slices.Clone(at)
	if h, own := len(batch)-1, len(shape)-3; h >= 0 && own >= 0 && shape[own] > 1 {
		at[h] /= batch[h] / shape[own]
	}
	return at
}
