package spec

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/tensor"
)

// Fill gives the values of an operand of dtype dt, the same for the same seed
// on every machine. Values are representable in dt.
func Fill(o Operand, dt tensor.DType, seed uint64) *tensor.Tensor {
	if o.DType.Valid() {
		dt = o.DType
	}
	rng := rand.New(rand.NewPCG(seed, uint64(dt)))
	a := NewArray(dt, o.Shape...)
	switch {
	case dt == tensor.Bool:
		fillBools(a, rng)
	case dt.IsFloat():
		fillFloats(a, o, rng)
	default:
		fillInts(a, o, rng)
	}
	return a.Tensor()
}

// Seed makes a seed of the words that name a cell.
func Seed(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// fillBools mixes runs of false, of true and of both, so that "any" and "all"
// see every outcome.
func fillBools(a Array, rng *rand.Rand) {
	run, kind := 0, 0
	for p := range a.U {
		if run == 0 {
			run, kind = 1+rng.IntN(40), rng.IntN(3)
		}
		run--
		switch kind {
		case 1:
			a.U[p] = 1
		case 2:
			a.U[p] = uint64(rng.IntN(2))
		}
	}
}

func fillFloats(a Array, o Operand, rng *rand.Rand) {
	lo, hi := o.Lo, o.Hi
	if lo == 0 && hi == 0 {
		lo, hi = -4, 4
	}
	for p := range a.F {
		a.F[p] = lo + (hi-lo)*rng.Float64()
	}
	if o.Distinct {
		step := (hi - lo) / float64(max(len(a.F), 1))
		for p, k := range rng.Perm(len(a.F)) {
			a.F[p] = lo + step*(float64(k)+0.5)
		}
	}
	if o.Special {
		sprinkle(a.F, specialFloats(a.DType), rng)
	}
	for p, v := range a.F {
		a.F[p] = format.Round(a.DType, v)
	}
}

// specialFloats are the values at which functions break.
func specialFloats(dt tensor.DType) []float64 {
	f := format.Of(dt)
	largest := f.Overflow() - f.ULP(f.Overflow())/2
	if dt == tensor.Float64 {
		largest = math.MaxFloat64
	}
	return []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1),
		1, -1, 0.5, -0.5, 2, -3, largest, -largest,
		f.MinNormal(), -f.MinNormal(), f.ULP(0) * 3,
	}
}

func fillInts(a Array, o Operand, rng *rand.Rand) {
	lowest, highest := Limits(a.DType)
	lo, hi := o.Lo, o.Hi
	if lo == 0 && hi == 0 {
		lo, hi = -100, 100
	}
	lo, hi = math.Ceil(max(lo, lowest)), math.Floor(min(hi, highest))
	if lo > hi {
		hi = lo
	}
	draw := func() float64 { return lo + math.Floor(rng.Float64()*(hi-lo+1)) }
	for p := range a.Len() {
		switch v := draw(); {
		case a.I != nil:
			a.I[p] = int64(v)
		default:
			a.U[p] = uint64(v)
		}
	}
	if o.Distinct && float64(a.Len()) <= hi-lo+1 {
		for p, k := range rng.Perm(a.Len()) {
			if a.I != nil {
				a.I[p] = int64(lo) + int64(k)
			} else {
				a.U[p] = uint64(lo) + uint64(k)
			}
		}
	}
	if !o.Special {
		return
	}
	bits := 8*a.DType.Size() - 1
	if a.I != nil {
		smallest := int64(-1) << bits
		sprinkle(a.I, []int64{smallest, -(smallest + 1), 0, 1, -1, smallest + 1, 2, 7}, rng)
		return
	}
	top := uint64(1) << bits
	sprinkle(a.U, []uint64{2*top - 1, top, top - 1, 0, 1, 2, 7}, rng)
}

// Limits are the smallest and largest integers of a dtype, as floats.
func Limits(dt tensor.DType) (lo, hi float64) {
	bits := 8 * dt.Size()
	if dt.IsSigned() {
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1
	}
	return 0, math.Ldexp(1, bits) - 1
}

// sprinkle puts special values first in a short list, so that all of them
// occur, and here and there in a long one, so that folds over parts of it see
// some and not all.
func sprinkle[T any](dst, special []T, rng *rand.Rand) {
	if len(dst) <= 300 {
		copy(dst, special)
		return
	}
	for p := range dst {
		if rng.IntN(20) == 0 {
			dst[p] = special[rng.IntN(len(special))]
		}
	}
}

// Flushed is a with subnormals of float32 replaced by zeros of their sign, and
// whether there were any: a device may see these instead.
func Flushed(a Array) (Array, bool) {
	f := format.Of(a.DType)
	if a.F == nil || f.Subnormals {
		return a, false
	}
	b, any := NewArray(a.DType, a.Shape...), false
	for p, v := range a.F {
		if v != 0 && math.Abs(v) < f.MinNormal() {
			v, any = math.Copysign(0, v), true
		}
		b.F[p] = v
	}
	return b, any
}
