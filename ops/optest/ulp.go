package optest

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// format is a binary floating-point format: precision in bits with the
// implicit one, and the exponents of its smallest and largest normal number.
type format struct {
	precision  int
	minExp     int
	maxExp     int
	subnormals bool // whether devices must keep them
}

// formatOf gives the format of a float dtype. OpenCL lets a device flush
// float32 subnormals to zero (OpenCL C 3.0, section 7.5.3: the single
// precision case is CL_FP_DENORM, which is optional), and bfloat16 lives in
// float32 registers. Subnormals of float16 are normal numbers there.
func formatOf(dt tensor.DType) format {
	switch dt {
	case tensor.Float16:
		return format{11, -14, 15, true}
	case tensor.BFloat16:
		return format{8, -126, 127, false}
	case tensor.Float32:
		return format{24, -126, 127, false}
	default:
		return format{53, -1022, 1023, true}
	}
}

// ulp is the distance between the two neighbours of v in a format: the unit in
// the last place as OpenCL C 3.0 section 7.4 defines it.
func (f format) ulp(v float64) float64 {
	exp := f.minExp
	if v != 0 && !math.IsInf(v, 0) {
		_, e := math.Frexp(v) // v = m · 2^e with m in [1/2, 1)
		exp = min(max(e-1, f.minExp), f.maxExp)
	}
	return math.Ldexp(1, exp-f.precision+1)
}

// unit is the unit roundoff: half an ulp of 1.
func (f format) unit() float64 { return math.Ldexp(1, -f.precision) }

// minNormal is the smallest positive normal number.
func (f format) minNormal() float64 { return math.Ldexp(1, f.minExp) }

// overflow is the value from which on rounding gives infinity.
func (f format) overflow() float64 {
	top := math.Ldexp(1, f.maxExp) // twice this could be beyond float64
	return top * (2 - math.Ldexp(1, -f.precision))
}

// round rounds v to dt.
func round(dt tensor.DType, v float64) float64 {
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

// accumulator is the format in which values of dt are computed between load
// and store.
func accumulator(dt tensor.DType) format {
	if dt == tensor.Float64 {
		return formatOf(dt)
	}
	return formatOf(tensor.Float32)
}
