package reference

import (
	"math"
	"slices"
	"sync"

	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Terms1 is a reference for a function of one float whose error is relative to the terms of a sum, of n roundings. Engines that are
// compared meet the same numbers: f, which may take its time, is called once for each.
func Terms1(n float64, f func(x float64) (y, terms float64)) spec.Reference {
	type result struct{ y, terms float64 }
	var known sync.Map // of results, by the bits of x
	at := func(x float64) (y, terms float64) {
		bits := math.Float64bits(x)
		if r, ok := known.Load(bits); ok {
			return r.(result).y, r.(result).terms
		}
		y, terms = f(x)
		known.Store(bits, result{y, terms})
		return y, terms
	}
	return func(c spec.Case) spec.Result {
		x := c.In[0]
		r := spec.Result{Array: spec.NewArray(x.DType, x.Shape...), Terms: make([]float64, x.Len()), N: n}
		for p := range r.F {
			r.F[p], r.Terms[p] = at(x.F[p])
		}
		return r
	}
}

// Terms2 is terms1 for a function of two floats, which broadcast.
func Terms2(n float64, f func(a, b float64) (y, terms float64)) spec.Reference {
	return func(c spec.Case) spec.Result {
		a, b := c.In[0], c.In[1]
		shape := Broadcast(a.Shape, b.Shape)
		r := spec.Result{Array: spec.NewArray(a.DType, shape...), Terms: make([]float64, spec.Count(shape)), N: n}
		for p, at := range Coordinates(shape) {
			r.F[p], r.Terms[p] = f(a.F[Stretched(a.Shape, at)], b.F[Stretched(b.Shape, at)])
		}
		return r
	}
}

func Absolutes(xs []float64) []float64 {
	out := slices.Clone(xs)
	for i, v := range out {
		out[i] = math.Abs(v)
	}
	return out
}

// Shift is the number to subtract from exponents of which top is the largest: 0 for an infinity, which would give NaN.
func Shift(top float64) float64 {
	if math.IsInf(top, 0) {
		return 0
	}
	return top
}
