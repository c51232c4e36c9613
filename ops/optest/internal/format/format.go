// Package format describes the binary floating-point formats of dtypes.
package format

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// Format is a binary floating-point format: precision in bits with the
// implicit one, and the exponents of its smallest and largest normal number.
type Format struct {
	Precision  int
	minExp     int
	maxExp     int
	Subnormals bool // whether devices must keep them
}

// Of gives the format of a float dtype. OpenCL lets a device flush
// float32 subnormals to zero (OpenCL C 3.0, section 7.5.3: the single
// Precision case is CL_FP_DENORM, which is optional), and bfloat16 lives in
// float32 registers. Subnormals of float16 are normal numbers there.
func Of(dt tensor.DType) Format {
	switch dt {
	case tensor.Float16:
		return Format{11, -14, 15, true}
	case tensor.BFloat16:
		return Format{8, -126, 127, false}
	case tensor.Float32:
		return Format{24, -126, 127, false}
	default:
		return Format{53, -1022, 1023, true}
	}
}

// ULP is the distance between the two neighbours of v in a format: the unit in
// the last place as OpenCL C 3.0 section 7.4 defines it.
func (f Format) ULP(v float64) float64 {
	exp := f.minExp
	if v != 0 && !math.IsInf(v, 0) {
		_, e := math.Frexp(v) // v = m · 2^e with m in [1/2, 1)
		exp = min(max(e-1, f.minExp), f.maxExp)
	}
	return math.Ldexp(1, exp-f.Precision+1)
}

// Unit is the unit roundoff: half an ulp of 1.
func (f Format) Unit() float64 { return math.Ldexp(1, -f.Precision) }

// MinNormal is the smallest positive normal number.
func (f Format) MinNormal() float64 { return math.Ldexp(1, f.minExp) }

// Overflow is the value from which on rounding gives infinity.
func (f Format) Overflow() float64 {
	top := math.Ldexp(1, f.maxExp) // twice this could be beyond float64
	return top * (2 - math.Ldexp(1, -f.Precision))
}

// Round rounds v to dt.
func Round(dt tensor.DType, v float64) float64 {
	switch dt {
	case tensor.Float16:
		return tensor.HalfFrom64(v).Float64()
	case tensor.BFloat16:
		return tensor.BF16From64(v).Float64()
	case tensor.Float32:
		return float64(float32(v))
	}
	return v
}

// Accumulator is the format in which values of dt are computed between load
// and store.
func Accumulator(dt tensor.DType) Format {
	if dt == tensor.Float64 {
		return Of(dt)
	}
	return Of(tensor.Float32)
}
