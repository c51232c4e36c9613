package export

import (
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

var (
	_ = define("attention", attention)
	_ = define("attention_core", func(c *call) []string {
		if c.n.Attr().(ir.AttentionAttr).Operands() != 3 {
			return c.refused("the derivative of an attention has no counterpart")
		}
		return attention(c)
	})
)

// attention writes attention as products around a softmax, the form that runtimes look for.
func attention(c *call) []string {
	a := c.n.Attr().(ir.AttentionAttr)
	s, err := ir.NewAttentionShape(c.shape(0), c.shape(1), c.shape(2))
	switch {
	case err != nil:
		return nil
	case s.N == 0:
		return []string{c.expand(c.number(0, c.in[0].DType()), nil, s.Result())}
	}
	q, k, v, dt := c.arg(0), c.arg(1), c.arg(2), c.in[0].DType()
	wide := dt
	if dt.Size() < 4 {
		wide = tensor.Float32
		q, k, v = c.cast(q, wide), c.cast(k, wide), c.cast(v, wide)
	}
	grouped := func(v string, shape []int) (string, []int) {
		if s.Group == 1 {
			return v, shape
		}
		h := len(shape) - 3
		each := s.Group
		if shape[h] == s.Own[len(s.Own)-1] || shape[h] == 1 {
			each = 1
		}
		to := slices.Concat(shape[:h], []int{shape[h] / each, each}, shape[h+1:])
		return c.reshape(v, to...), to
	}
	gq, _ := grouped(q, c.shape(0))
	gk, shape := grouped(k, c.shape(1))
	gv, _ := grouped(v, c.shape(2))
	perm := ir.Range(0, len(shape))
	perm[len(perm)-1], perm[len(perm)-2] = perm[len(perm)-2], perm[len(perm)-1]
	scores := c.scaled(c.op("MatMul", []string{gq, c.transpose(gk, perm)}), a.ScaleOf(s.D))
	full := append(slices.Clone(s.Batch), s.M, s.N)
	flat := func(v string, last int) string {
		if s.Group == 1 {
			return v
		}
		return c.reshape(v, append(slices.Clone(full[:len(full)-1]), last)...)
	}
	scores = flat(scores, s.N)
	empty := false // a row may see no key
	if len(c.in) > 3 {
		mask := c.arg(3)
		if empty = true; c.in[3].DType() == tensor.Bool {
			scores = c.choose(mask, scores, c.like(scores, negInf))
		} else {
			scores = c.op("Add", []string{scores, c.cast(mask, wide)})
		}
	}
	if low, high := a.Band(s.M, s.N); low > -s.M || high < s.N-1 {
		seen := make([]bool, s.M*s.N)
		for i := range s.M {
			row := 0
			for j := range s.N {
				if seen[i*s.N+j] = j-i >= low && j-i <= high; seen[i*s.N+j] {
					row++
				}
			}
			empty = empty || row == 0
		}
		mask := c.x.initial("", tensor.Must(tensor.FromSlice(seen, s.M, s.N)))
		scores = c.choose(mask, scores, c.like(scores, negInf))
	}
	p := c.weights(scores, empty)
	if s.Group > 1 {
		h := len(full) - 3
		p = c.reshape(p, slices.Concat(full[:h], []int{full[h] / s.Group, s.Group}, full[h+1:])...)
	}
	y := flat(c.op("MatMul", []string{p, gv}), s.E)
	return []string{c.cast(y, dt)}
}

// weights is the softmax of scores, zeros where all of a row are -∞ if that may be.
func (c *call) weights(scores string, empty bool) string {
	if !empty {
		return c.op("Softmax", []string{scores}, anInt("axis", -1))
	}
	last := c.list(-1)
	top := c.op("ReduceMax", []string{scores, last}, anInt("keepdims", 1))
	top = c.choose(c.is("Equal", top, c.like(top, negInf)), c.like(top, 0), top)
	e := c.op("Exp", []string{c.op("Sub", []string{scores, top})})
	sum := c.op("ReduceSum", []string{e, last}, anInt("keepdims", 1))
	return c.op("Div", []string{e, c.choose(c.is("Equal", sum, c.like(sum, 0)), c.like(sum, 1), sum)})
}

// isWhole reports a number without a fraction.
func isWhole(v float64) bool { return v == math.Trunc(v) }
