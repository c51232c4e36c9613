package optest

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Verdict is the outcome of comparing one result with its reference.
type Verdict struct {
	Wrong    int          // elements beyond their bound
	Elements int          // elements compared
	DType    tensor.DType // of the result
	ULP      float64      // the largest error in units in the last place of the dtype
	Share    float64      // the largest error as a share of the allowed one
	Message  string       // shapes, or the first wrong element; empty when all is well
	// Bits is a hash of all bits of the result, whether it is right or not. The same kernels give the
	// same, by whatever way they came to the device.
	Bits uint64
}

// bitsOf is the hash of results.
func bitsOf(results ...*tensor.Tensor) uint64 {
	h := fnv.New64a()
	for _, t := range results {
		b, _ := t.Contiguous().Bytes()
		fmt.Fprint(h, t.DType(), t.Shape())
		_, _ = h.Write(b) // a hash does not fail
	}
	return h.Sum64()
}

// OK reports whether every element was within its bound.
func (v Verdict) OK() bool { return v.Message == "" }

// Compare checks got against the bounds of any of the references, element by
// element. There is more than one where a device may treat subnormal operands
// as zero.
func Compare(tol spec.Tolerance, got *tensor.Tensor, wants ...spec.Result) Verdict {
	g, want, bits := spec.FromTensor(got), wants[0], bitsOf(got)
	switch {
	case g.DType != want.DType:
		return Verdict{Message: fmt.Sprintf("dtype is %v, want %v", g.DType, want.DType), Bits: bits}
	case !slices.Equal(g.Shape, want.Shape):
		return Verdict{Message: fmt.Sprintf("shape is %v, want %v", g.Shape, want.Shape), Bits: bits}
	}
	v := Verdict{Elements: g.Len(), DType: g.DType, Bits: bits}
	for p := range g.Len() {
		best := math.Inf(1)
		var bestErr float64
		for _, w := range wants {
			err, bound := difference(tol, g, w, p)
			if share := shareOf(err, bound); share < best || math.IsInf(best, 1) {
				best, bestErr = min(best, share), err
			}
		}
		ulps := bestErr
		if g.F != nil && !math.IsInf(want.F[p], 0) && !math.IsNaN(want.F[p]) {
			ulps = bestErr / format.Of(g.DType).ULP(want.F[p])
		}
		if best > 1 {
			if v.Wrong == 0 {
				_, bound := difference(tol, g, want, p)
				v.Message = fmt.Sprintf("first at %v: got %s, want %s, off by %s ulp (error %.3g, allowed %.3g)",
					reference.Coordinate(g.Shape, p), reference.TextAt(g, p), reference.TextAt(want.Array, p), ulpText(ulps), bestErr, bound)
			}
			v.Wrong++
			continue
		}
		v.ULP, v.Share = max(v.ULP, ulps), max(v.Share, best)
	}
	if v.Wrong > 0 {
		v.Message = fmt.Sprintf("%d of %d elements are wrong, %s", v.Wrong, v.Elements, v.Message)
	}
	return v
}

// difference is the error of element p and the allowed one.
func difference(tol spec.Tolerance, got spec.Array, want spec.Result, p int) (err, bound float64) {
	switch {
	case got.I != nil:
		return distance(got.I[p] == want.I[p], float64(got.I[p])-float64(want.I[p])), 0
	case got.U != nil:
		return distance(got.U[p] == want.U[p], float64(got.U[p])-float64(want.U[p])), 0
	}
	g, w := got.F[p], want.F[p]
	switch {
	case math.IsNaN(w) || math.IsNaN(g):
		if math.IsNaN(w) && math.IsNaN(g) {
			return 0, 0
		}
		return math.Inf(1), 0
	case math.IsInf(w, 0):
		if g == w {
			return 0, 0
		}
		return math.Inf(1), 0
	}
	var terms float64
	if want.Terms != nil {
		terms = want.Terms[p]
	}
	bound = spec.ErrorBound(tol, got.DType, w, want.N, terms)
	if math.IsInf(g, 0) {
		// A number that rounds to infinity may be infinite, and so may one that is
		// less than its bound away from there.
		edge := math.Copysign(format.Of(got.DType).Overflow(), g)
		if g > 0 && w >= edge || g < 0 && w <= edge {
			return 0, bound
		}
		return math.Abs(edge - w), bound
	}
	if math.Abs(w) >= format.Of(got.DType).Overflow() {
		w = math.Copysign(format.Of(got.DType).Overflow(), w)
	}
	return math.Abs(g - w), bound
}

// distance is |d|, but never 0 for numbers that differ beyond float64.
func distance(same bool, d float64) float64 {
	if same {
		return 0
	}
	return max(math.Abs(d), 1)
}

func shareOf(err, bound float64) float64 {
	if err == 0 {
		return 0
	}
	return err / bound // infinite for exact ops
}

func ulpText(ulps float64) string {
	if math.IsInf(ulps, 0) || math.IsNaN(ulps) {
		return "infinitely many"
	}
	return fmt.Sprintf("%.4g", ulps)
}
