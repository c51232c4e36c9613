package linear

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/ops/stencil"
)

// Stencils applied several times. The reference goes from one tensor to the next and looks for each neighbour by itself.

func init() {
	spec.Register("stencil.steps", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			s := reference.Attr[stencilCase](c)
			x := c.In[0]
			r := spec.Result{Array: spec.NewArray(x.DType, c.Shape...), Terms: make([]float64, len(x.F)), N: float64(s.steps * len(s.o.Weights))}
			values, terms := x.F, make([]float64, len(x.F))
			for i, v := range values {
				terms[i] = math.Abs(v)
			}
			for range s.steps {
				next, nextTerms := make([]float64, len(values)), make([]float64, len(values))
				for i := range next {
					next[i], nextTerms[i] = s.sum(c.Shape, values, terms, i)
				}
				values, terms = next, nextTerms
			}
			copy(r.F, values)
			copy(r.Terms, terms)
			return r
		},
		Tolerance: spec.Summed("sums in any order, one after another: n·u·Σ|terms| with all weights and steps counted"),
		Samples:   stencilSamples(),
	})
}

type stencilCase struct {
	o     ops.StencilOptions
	steps int
}

// sum is the result of the stencil for element at, and the sum of the magnitudes of its terms.
func (s *stencilCase) sum(shape []int, values, terms []float64, at int) (v, sizes float64) {
	place := make([]int, len(shape))
	for i, rest := len(shape)-1, at; i >= 0; i-- {
		place[i], rest = rest%shape[i], rest/shape[i]
	}
	for k, w := range s.o.Weights {
		p, rest := append([]int(nil), place...), k
		for i := len(s.o.Axes) - 1; i >= 0; i-- {
			p[s.o.Axes[i]] += rest%s.o.Size[i] - s.o.Size[i]/2
			rest /= s.o.Size[i]
		}
		from, outside := 0, false
		for i, n := range shape {
			switch {
			case p[i] >= 0 && p[i] < n:
			case s.o.Border == "constant" || s.o.Border == "zero":
				outside = true
			case s.o.Border == "wrap":
				p[i] = ((p[i] % n) + n) % n
			case s.o.Border == "edge":
				p[i] = min(max(p[i], 0), n-1)
			default:
				edge := 1 // between mirror images
				if s.o.Border == "reflect" {
					edge = 0
				}
				for n > 1 && (p[i] < 0 || p[i] >= n) {
					if p[i] < 0 {
						p[i] = -p[i] - edge
					} else {
						p[i] = 2*(n-1) + edge - p[i]
					}
				}
				if n == 1 {
					p[i] = 0
				}
			}
			from = from*n + p[i]
		}
		if outside {
			v += w * s.o.Value
			sizes += math.Abs(w * s.o.Value)
			continue
		}
		v += w * values[from]
		sizes += math.Abs(w) * terms[from]
	}
	return v, sizes
}

func stencilSamples() (all []spec.Sample) {
	for _, s := range []struct {
		label string
		shape []int
		stencilCase
	}{
		{"along rows, edges", []int{3, 70}, stencilCase{ops.StencilOptions{Axes: []int{1}, Size: []int{3}, Weights: []float64{0.25, 0.5, 0.25}},
			9}},
		{"of an even size, mirrored", []int{67, 41}, stencilCase{ops.StencilOptions{
			Axes: []int{0, 1}, Size: []int{2, 3}, Weights: []float64{0.5, -0.25, 0, 0.125, 0.25, -0.5}, Border: "reflect",
		}, 5}},
		{"columns around a value", []int{2, 130, 9}, stencilCase{ops.StencilOptions{
			Axes: []int{1}, Size: []int{5}, Weights: []float64{0.125, 0, 0.5, 0.25, 0.125}, Border: "constant", Value: 2,
		}, 4}},
		{"three axes, periodic", []int{11, 6, 35}, stencilCase{ops.StencilOptions{
			Axes: []int{0, 1, 2}, Size: []int{3, 3, 1}, Weights: []float64{0, 0.25, 0, 0.125, 0.25, 0.125, 0, 0.25, 0}, Border: "wrap",
		}, 3}},
		{"nothing", []int{0, 4}, stencilCase{ops.StencilOptions{Axes: []int{0, 1}, Size: []int{1, 3}, Weights: []float64{1, 2, 3},
			Border: "zero"}, 2}},
	} {
		all = append(all, spec.Sample{
			Label: s.label, Operands: []spec.Operand{{Shape: s.shape}}, Attr: s.edges(),
			Build: func(in []*ops.Node) *ops.Node { return stencil.Steps(in[0], s.o, s.steps) },
		})
	}
	return all
}

// edges is s with the border that it has by default.
func (s stencilCase) edges() stencilCase {
	if s.o.Border == "" {
		s.o.Border = "edge"
	}
	return s
}
