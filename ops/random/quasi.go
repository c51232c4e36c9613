package random

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Quasi says which points of a sequence there are, and in which form. The zero value and nil are the first ones.
type Quasi struct {
	// Skip is how many points at the beginning are left out.
	Skip int
	// Shift moves all points by a random vector, anew at every Run: exclusive or for [Sobol], a sum modulo 1 for [Halton]. Points stay as
	// even, and means over them are without bias.
	Shift bool
}

// MostDimensions is how many dimensions the sequences have.
const MostDimensions = 64

// Sobol is n points of Sobol's sequence in the cube [0, 1)^d, float32 or float64 [n, d], in the order of Gray's code; the first one is 0.
// The numbers have 32 bits, in float32 the first 24. Errors: dtype; d is not from 1 to [MostDimensions]; n is negative, or n + Skip above
// 2^32.
// Source: Sobol, On the distribution of points in a cube (1967); Antonov and Saleev (1979); Joe and Kuo (2008).
func Sobol(g *ops.Graph, dt tensor.DType, n, d int, o *Quasi) *ops.Node {
	if err := checkQuasi(dt, n, d, &o); err != nil {
		return g.Fail("random.Sobol", err)
	}
	i := ops.Add(g.Iota(tensor.Uint32, 0, n, 1), uint32(o.Skip))
	gray := ops.Xor(i, ops.ShiftRight(i, uint32(1)))
	bits := 1
	for n+o.Skip > 1<<bits {
		bits++
	}
	directions := directionsOf(d)
	x := g.Full(tensor.Uint32, 0, n, d)
	for b := range min(bits, 32) {
		row := g.Const(tensor.Must(tensor.FromSlice(directions[b], 1, d)))
		x = ops.Xor(x, ops.Mul(ops.And(ops.ShiftRight(gray, uint32(b)), uint32(1)), row))
	}
	if o.Shift {
		x = ops.Xor(x, g.Bits(tensor.Uint32, 1, d))
	}
	if dt == tensor.Float32 {
		return ops.Mul(ops.Cast(ops.ShiftRight(x, uint32(8)), dt), 0x1p-24)
	}
	return ops.Mul(ops.Cast(x, dt), 0x1p-32)
}

func checkQuasi(dt tensor.DType, n, d int, o **Quasi) error {
	if *o == nil {
		*o = new(Quasi)
	}
	switch skip := (*o).Skip; {
	case dt != tensor.Float32 && dt != tensor.Float64:
		return fmt.Errorf("the dtype is %v, not float32 or float64", dt)
	case d < 1 || d > MostDimensions:
		return fmt.Errorf("%d dimensions, not 1 to %d", d, MostDimensions)
	case n < 0 || skip < 0 || n > 1<<32 || skip > 1<<32-n:
		return fmt.Errorf("%d points after %d", n, skip)
	}
	return nil
}

// directionsOf are the direction numbers of each bit, for d dimensions.
func directionsOf(d int) (v [32][]uint32) {
	for b := range v {
		v[b] = make([]uint32, d)
		v[b][0] = 1 << (31 - b)
	}
	for k, row := range sobolTable()[:d-1] {
		poly, m := row[0], row[1:]
		degree := len(m)
		for b := range v {
			if b < degree {
				v[b][k+1] = m[b] << (31 - b)
				continue
			}
			x := v[b-degree][k+1]
			x ^= x >> degree
			for j := 1; j < degree; j++ {
				if poly>>(degree-j)&1 == 1 {
					x ^= v[b-j][k+1]
				}
			}
			v[b][k+1] = x
		}
	}
	return v
}

// Halton is n points of Halton's sequence in the cube [0, 1)^d, float32 or float64 [n, d]: the number of a point written in a base and read
// backwards, the bases the first primes. From about ten dimensions on the first thousands of points are uneven. Errors: as [Sobol].
// Source: Halton, On the efficiency of certain quasi-random sequences of points in evaluating multi-dimensional integrals (1960).
func Halton(g *ops.Graph, dt tensor.DType, n, d int, o *Quasi) *ops.Node {
	if err := checkQuasi(dt, n, d, &o); err != nil {
		return g.Fail("random.Halton", err)
	}
	bases := make([]uint32, 0, d)
	for p := uint32(2); len(bases) < d; p++ {
		prime := true
		for _, q := range bases {
			prime = prime && p%q != 0
		}
		if prime {
			bases = append(bases, p)
		}
	}
	scales := make([]float64, d)
	for k := range scales {
		scales[k] = 1
	}
	base := g.Const(tensor.Must(tensor.FromSlice(bases, 1, d)))
	i := ops.Add(g.Iota(tensor.Uint32, 0, n, d), uint32(o.Skip))
	// In float64 and rounded at the end, so that points differ that do.
	y := g.Zeros(tensor.Float64, n, d)
	for last := uint64(max(n+o.Skip-1, 0)); last > 0; last /= 2 {
		for k, b := range bases {
			scales[k] /= float64(b)
		}
		next := ops.Div(i, base)
		digit := ops.Cast(ops.Sub(i, ops.Mul(next, base)), tensor.Float64)
		y = ops.Add(y, ops.Mul(digit, g.Const(tensor.Must(tensor.FromSlice(append([]float64(nil), scales...), 1, d)))))
		i = next
	}
	if o.Shift {
		y = ops.Add(y, g.Uniform(tensor.Float64, 1, d))
		y = ops.Sub(y, ops.Floor(y))
	}
	if dt == tensor.Float32 {
		return ops.Minimum(ops.Cast(y, dt), float64(math.Nextafter32(1, 0)))
	}
	return y
}
