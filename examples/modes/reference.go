package main

import (
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// published are the lowest frequencies of a free square plate of side 1 with Poisson's ratio 0.3, ω √(ρh/D). Source: Leissa, The
// free vibration of rectangular plates, Journal of Sound and Vibration 31 (1973); the digits are those of Ritz's method with more
// functions (Liew, Xiang and Kitipornchai, Transverse vibration of thick rectangular plates, Computers and Structures 49, 1993).
var published = []float64{13.468, 19.596, 24.270, 34.801, 34.801, 61.093}

// residual is the largest length of a·v - λ·v, relative to λ, or to the shift for motions that bend nothing.
func residual(a *sparse.CSR[float64], e *sparse.Eigen) (largest float64, err error) {
	all, err := tensor.ToSlice[float64](e.Vectors)
	if err != nil {
		return 0, err
	}
	for k, value := range e.Values {
		v := all[k*a.Cols : (k+1)*a.Cols]
		y, err := a.Mul(v)
		if err != nil {
			return 0, err
		}
		sum := 0.0
		for i := range y {
			sum += (y[i] - value*v[i]) * (y[i] - value*v[i])
		}
		largest = max(largest, math.Sqrt(sum)/max(math.Abs(value), shift))
	}
	return largest, nil
}

// apart is the largest difference of two lists, relative to each number, infinite if they are not as long.
func apart(a, b []float64) (most float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		most = max(most, math.Abs(a[i]/b[i]-1))
	}
	return most
}

// check prints frequencies beside the published ones, and says whether they and their vectors are right.
func check(p *gallery.Program, o options, a *sparse.CSR[float64], results []gallery.Result[*sparse.Eigen]) error {
	e := results[0].Value
	f := frequencies(e.Values)
	p.Printf("%d products with the inverse; frequencies, without the %d motions that bend nothing:\n", e.Products, rigid)
	worst := 0.0
	for i, v := range f {
		p.Printf("%9.3f", v)
		if i < len(published) {
			worst = max(worst, math.Abs(v/published[i]-1))
			p.Printf("  published %9.3f", published[i])
		}
		p.Printf("\n")
	}
	largest, err := residual(a, e)
	if err != nil {
		return err
	}
	p.Check(e.Converged && largest < 1e-3, "all pairs have converged: A v - λ v is at most %.1e of λ", largest)
	bound := 12 / math.Pow(float64(o.points-1), 2) // the error falls with the square of the distance of points
	p.Check(worst < bound, "frequencies are the published ones to %.2f %%, less than %.2f", 100*worst, 100*bound)
	for _, r := range results[1:] {
		d := apart(frequencies(r.Value.Values), f)
		p.Check(d < 1e-6, "the engines' frequencies differ by at most %.1e of each", d)
	}
	return nil
}
