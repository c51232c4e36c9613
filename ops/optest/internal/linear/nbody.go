package linear

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/nbody"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Sums over pairs of points, pair by pair.

func init() {
	for name, forces := range map[string]bool{"nbody.forces": true, "nbody.potentials": false} {
		spec.Register(name, spec.Spec{
			Reference: func(c spec.Case) spec.Result { return pairs(c, forces) },
			Tolerance: spec.Summed("a compensated sum of terms of (3 + d + Power) roundings each, one of them of a square root: n·u·Σ|terms|"),
			Samples:   pairSamples(forces),
		})
	}
}

func pairs(c spec.Case, forces bool) spec.Result {
	law, x, s, w := reference.Attr[nbody.Law](c), c.In[0], c.In[1], c.In[2]
	d := x.Shape[1]
	// Rounding of a difference of coordinates and of squares counts Power times in a power of the distance.
	r := spec.Result{Array: spec.NewArray(x.DType, c.Shape...), Terms: make([]float64, spec.Count(c.Shape)), N: float64(8 + 4*law.Power)}
	for i := range x.Shape[0] {
		for j := range s.Shape[0] {
			away, r2 := make([]float64, d), law.Softening*law.Softening
			for k := range d {
				away[k] = s.F[j*d+k] - x.F[i*d+k]
				r2 += away[k] * away[k]
			}
			if r2 == 0 {
				continue
			}
			p := w.F[j] / math.Pow(r2, float64(law.Power)/2)
			if !forces {
				r.F[i] += p
				r.Terms[i] += math.Abs(p)
				continue
			}
			for k := range d {
				r.F[i*d+k] += p * away[k]
				r.Terms[i*d+k] += math.Abs(p) * math.Sqrt(r2)
			}
		}
	}
	return r
}

func pairSamples(forces bool) (all []spec.Sample) {
	f := nbody.Potentials
	if forces {
		f = nbody.Forces
	}
	for _, s := range []struct {
		label   string
		n, m, d int
		law     nbody.Law
	}{
		{"gravity", 21, 17, 3, nbody.Law{Power: 3, Softening: 0.5}},
		{"in the plane, few targets", 3, 2100, 2, nbody.Law{Power: 2, Softening: 0.25}},
		{"on a line", 9, 1, 1, nbody.Law{Power: 1, Softening: 1}},
		{"no sources", 2, 0, 3, nbody.Law{Power: 1, Softening: 1}},
		{"no targets", 0, 3, 2, nbody.Law{Power: 1, Softening: 1}},
	} {
		all = append(all, spec.Sample{
			Label: s.label, Operands: []spec.Operand{{Shape: []int{s.n, s.d}}, {Shape: []int{s.m, s.d}}, {Shape: []int{s.m}}}, Attr: s.law,
			Build: func(in []*ops.Node) *ops.Node { return f(in[0], in[1], in[2], s.law) },
		})
	}
	return all
}
