package model

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Float is a format of floats of 8 bits and fewer.
type Float struct {
	Fraction int // bits of the fraction
	Bias     int // of the exponent
	Max      float64
	Inf      bool // it has infinities
	NaN      bool // it has a NaN
}

// floats are the narrow formats. Source: ONNX, Float stored in 8 bits, and Float stored in 4 bits; OCP, Microscaling Formats.
var floats = map[DataType]Float{
	17: {3, 7, 448, false, true}, 18: {3, 8, 240, false, true},
	19: {2, 15, 57344, true, true}, 20: {2, 16, 57344, false, true},
	23: {1, 1, 6, false, false}, 24: {0, 127, math.Ldexp(1, 127), false, true},
}

// Float is the format of a narrow float.
func (t DataType) Float() (Float, bool) {
	f, ok := floats[t]
	return f, ok
}

// Unsigned reports whether a narrow type has no negative values.
func (t DataType) Unsigned() bool { return t == 21 || t == 25 || t == 24 }

// value is the number that the bits of an element encode.
func (t DataType) value(code int) float64 {
	bits := t.Bits()
	f, ok := floats[t]
	switch {
	case !ok && t.Unsigned():
		return float64(code)
	case !ok:
		return float64(code << (64 - bits) >> (64 - bits))
	case t == 24:
		if code == 0xff {
			return math.NaN()
		}
		return math.Ldexp(1, code-f.Bias)
	}
	sign, mask := code>>(bits-1), 1<<(bits-1)-1
	magnitude := code & mask
	exponent, fraction := magnitude>>f.Fraction, magnitude&(1<<f.Fraction-1)
	top := mask >> f.Fraction
	switch {
	case (t == 18 || t == 20) && code == 1<<(bits-1), t == 17 && magnitude == mask:
		return math.NaN()
	case t == 19 && exponent == top && fraction != 0:
		return math.NaN()
	case t == 19 && exponent == top:
		return math.Inf(1 - 2*sign)
	}
	v := math.Ldexp(float64(fraction), 1-f.Bias-f.Fraction)
	if exponent > 0 {
		v = math.Ldexp(float64(fraction+1<<f.Fraction), exponent-f.Bias-f.Fraction)
	}
	if sign == 1 {
		return -v
	}
	return v
}

// widened are the values of a narrow tensor. Elements of fewer than 8 bits lie in bytes from the low bits on.
func (t *Tensor) widened(external func(string, int64, int64) ([]byte, error), shape []int, n int) (*tensor.Tensor, error) {
	bits := t.Type.Bits()
	each := 8 / bits
	want := (n + each - 1) / each
	raw := t.Raw
	switch {
	case t.External != nil:
		var err error
		if raw, err = t.outside(external, int64(want)); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
	case !t.HasRaw:
		raw = make([]byte, 0, len(t.Int32s))
		for _, v := range t.Int32s {
			raw = append(raw, byte(v))
		}
	}
	if len(raw) != want {
		return nil, fmt.Errorf("tensor %q: %v%v takes %d bytes, and %d are given", t.Name, t.Type, shape, want, len(raw))
	}
	var table [256]float64
	for code := range 1 << bits {
		table[code] = t.Type.value(code)
	}
	x, err := tensor.New(t.Type.DType(), shape...)
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	for i := range n {
		x.SetFloat64(i, table[int(raw[i/each])>>(i%each*bits)&(1<<bits-1)])
	}
	return x, nil
}
