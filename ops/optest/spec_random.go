package optest

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Random numbers. They are part of the contract: every engine draws the same.
//
// Element i of the s-th random tensor of a graph (counted from 1) with a seed
// takes, in run r (counted from 0), the four words of Philox-4x32-10 with
// counter {i low, i high, r, s} and key {seed low, seed high}. Source: Salmon,
// Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011),
// section 3.3.

// randomSeed is the seed of all graphs of the suite: both words of the key
// matter.
const randomSeed = 0x0123456789abcdef

func init() {
	Register("uniform", Spec{
		Reference: func(c Case) Result {
			y := NewArray(c.DType, attr[[]int](c)...)
			for p := range y.F {
				w := philox(uint64(p), c.Stream)
				switch f := formatOf(c.DType); {
				case f.precision == 53:
					y.F[p] = fraction(uint64(w[0])<<32|uint64(w[1]), 64, 53)
				default: // as many bits as the dtype holds: rounding could reach 1
					y.F[p] = fraction(uint64(w[0]), 32, f.precision)
				}
			}
			return exactly(y)
		},
		Tolerance: Tolerance{ULP: 0.5, ULP64: 0.5, Moves: true, Source: "Salmon et al., Philox: bits as they come"},
		Samples:   randomSamples((*ops.Graph).Uniform),
	})
	Register("random_bits", Spec{
		Reference: func(c Case) Result {
			y := NewArray(c.DType, attr[[]int](c)...)
			for p := range y.U {
				w := philox(uint64(p), c.Stream)
				if y.U[p] = uint64(w[0]); c.DType == tensor.Uint64 {
					y.U[p] = uint64(w[0])<<32 | uint64(w[1])
				}
			}
			return exactly(y)
		},
		Tolerance: exact,
		Samples:   randomSamples((*ops.Graph).Bits),
	})
	Register("normal", Spec{
		Reference: func(c Case) Result {
			y := NewArray(c.DType, attr[[]int](c)...)
			terms := make([]float64, len(y.F))
			for p := range y.F {
				w := philox(uint64(p), c.Stream)
				a, b, width, bits := uint64(w[0]), uint64(w[1]), 32, 24
				if formatOf(c.DType).precision == 53 {
					a, b, width, bits = a<<32|b, uint64(w[2])<<32|uint64(w[3]), 64, 53
				}
				u := fraction(a, width, bits) + math.Ldexp(1, -bits) // in (0, 1]
				terms[p] = math.Sqrt(-2 * math.Log(u))
				y.F[p] = terms[p] * math.Cos(2*math.Pi*fraction(b, width, bits))
			}
			// An angle up to 2π, rounded, and a few functions of a few units each,
			// relative to the length of the arrow and not to its shadow.
			return Result{Array: y, Terms: terms, N: 2*2*math.Pi + 16}
		},
		Tolerance: Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: composition + ": relative to √(-2 ln u)"},
		Samples:   randomSamples((*ops.Graph).Normal),
	})
}

// fraction is the first bits of an integer of some width as a number in [0, 1).
func fraction(v uint64, width, bits int) float64 {
	return math.Ldexp(float64(v>>(width-bits)), -bits)
}

// philox gives the words of one element of the suite's random tensors.
func philox(at uint64, stream uint32) [4]uint32 {
	seed := uint64(randomSeed)
	return philoxBlock([4]uint32{uint32(at), uint32(at >> 32), 0, stream}, [2]uint32{uint32(seed), uint32(seed >> 32)})
}

// philoxBlock is Philox-4x32-10.
func philoxBlock(x [4]uint32, k [2]uint32) [4]uint32 {
	const m0, m1 = uint64(0xD2511F53), uint64(0xCD9E8D57)
	for range 10 {
		p0, p1 := m0*uint64(x[0]), m1*uint64(x[2])
		x = [4]uint32{uint32(p1>>32) ^ x[1] ^ k[0], uint32(p1), uint32(p0>>32) ^ x[3] ^ k[1], uint32(p0)}
		k[0], k[1] = k[0]+0x9E3779B9, k[1]+0xBB67AE85
	}
	return x
}

func randomSamples(call func(g *ops.Graph, dt tensor.DType, shape ...int) *ops.Node) []Sample {
	var out []Sample
	for _, shape := range [][]int{{}, {0, 3}, {3, 5, 7}, {1031}} {
		out = append(out, Sample{
			Label: fmt.Sprint(shape), Attr: shape,
			Source: func(g *ops.Graph, dt tensor.DType) *ops.Node { return call(g, dt, shape...) },
		})
	}
	return out
}
