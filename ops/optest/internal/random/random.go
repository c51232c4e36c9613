// Package random has the specs of random tensors.
package random

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Random numbers. They are part of the contract: every engine draws the same.
//
// Element i of the s-th random tensor of a graph (counted from 1) with a seed
// takes, in run r (counted from 0), the four words of Philox-4x32-10 with
// counter {i low, i high, r, s} and key {seed low, seed high}. Source: Salmon,
// Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011),
// section 3.3.

func init() {
	spec.Register("uniform", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y := spec.NewArray(c.DType, reference.Attr[[]int](c)...)
			for p := range y.F {
				w := reference.Philox(uint64(p), c.Stream)
				switch f := format.Of(c.DType); {
				case f.Precision == 53:
					y.F[p] = reference.Fraction(uint64(w[0])<<32|uint64(w[1]), 64, 53)
				default: // as many bits as the dtype holds: rounding could reach 1
					y.F[p] = reference.Fraction(uint64(w[0]), 32, f.Precision)
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Moves: true, Source: "Salmon et al., Philox: bits as they come"},
		Samples:   randomSamples((*ops.Graph).Uniform),
	})
	spec.Register("random_bits", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y := spec.NewArray(c.DType, reference.Attr[[]int](c)...)
			for p := range y.U {
				w := reference.Philox(uint64(p), c.Stream)
				if y.U[p] = uint64(w[0]); c.DType == tensor.Uint64 {
					y.U[p] = uint64(w[0])<<32 | uint64(w[1])
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples:   randomSamples((*ops.Graph).Bits),
	})
	spec.Register("normal", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y := spec.NewArray(c.DType, reference.Attr[[]int](c)...)
			terms := make([]float64, len(y.F))
			for p := range y.F {
				w := reference.Philox(uint64(p), c.Stream)
				a, b, width, bits := uint64(w[0]), uint64(w[1]), 32, 24
				if format.Of(c.DType).Precision == 53 {
					a, b, width, bits = a<<32|b, uint64(w[2])<<32|uint64(w[3]), 64, 53
				}
				u := reference.Fraction(a, width, bits) + math.Ldexp(1, -bits) // in (0, 1]
				terms[p] = math.Sqrt(-2 * math.Log(u))
				y.F[p] = terms[p] * math.Cos(2*math.Pi*reference.Fraction(b, width, bits))
			}
			// An angle up to 2π, rounded, and a few functions of a few units each,
			// relative to the length of the arrow and not to its shadow.
			return spec.Result{Array: y, Terms: terms, N: 2*2*math.Pi + 16}
		},
		Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: spec.Composition + ": relative to √(-2 ln u)"},
		Samples:   randomSamples((*ops.Graph).Normal),
	})
}

func randomSamples(call func(g *ops.Graph, dt tensor.DType, shape ...int) *ops.Node) []spec.Sample {
	var out []spec.Sample
	for _, shape := range [][]int{{}, {0, 3}, {3, 5, 7}, {1031}} {
		out = append(out, spec.Sample{
			Label: fmt.Sprint(shape), Attr: shape,
			Source: func(g *ops.Graph, dt tensor.DType) *ops.Node { return call(g, dt, shape...) },
		})
	}
	return out
}
