package elementwise

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

func init() {
	spec.Register("cast", spec.Spec{
		Reference: cast,
		Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Source: "OpenCL C 3.0, section 6.2.3: rounded once, to nearest even"},
		Samples:   casts(),
	})
}

// cast rounds by itself: conversions have one right result.
func cast(c spec.Case) spec.Result {
	x := c.In[0]
	y := spec.NewArray(reference.Attr[tensor.DType](c), x.Shape...)
	for p := range y.Len() {
		switch {
		case y.DType == tensor.Bool:
			y.U[p] = reference.Truth(x.F != nil && x.F[p] != 0 || x.I != nil && x.I[p] != 0 || x.U != nil && x.U[p] != 0)
		case y.F != nil:
			y.F[p] = castToFloat(x, p, y.DType)
		case y.I != nil:
			y.I[p] = reference.WrapInt(y.DType, castToInt(x, p, y.DType).Int64())
		default:
			y.U[p] = reference.WrapUint(y.DType, castToInt(x, p, y.DType).Uint64())
		}
	}
	return reference.Exactly(y)
}

// castToFloat rounds once, to nearest even.
func castToFloat(x spec.Array, p int, dt tensor.DType) float64 {
	if x.F != nil {
		return format.Round(dt, x.F[p])
	}
	whole := new(big.Float).SetPrec(64)
	if x.I != nil {
		whole.SetInt64(x.I[p])
	} else {
		whole.SetUint64(x.U[p])
	}
	v, _ := whole.SetMode(big.ToNearestEven).SetPrec(uint(format.Of(dt).Precision)).Float64()
	return format.Round(dt, v) // an overflow of float16
}

// castToInt is an integer whose low bits are those that an integer of dt
// keeps: integers wrap, floats saturate.
func castToInt(x spec.Array, p int, dt tensor.DType) *big.Int {
	switch {
	case x.U != nil:
		return twosComplement(new(big.Int).SetUint64(x.U[p]), dt)
	case x.I != nil:
		return twosComplement(big.NewInt(x.I[p]), dt)
	case math.IsNaN(x.F[p]):
		return new(big.Int)
	}
	low, high := integerRange(dt)
	if math.IsInf(x.F[p], 0) {
		if x.F[p] > 0 {
			return high
		}
		return low
	}
	v, _ := big.NewFloat(x.F[p]).Int(nil) // toward zero
	switch {
	case v.Cmp(low) < 0:
		return low
	case v.Cmp(high) > 0:
		return high
	}
	return v
}

// integerRange are the smallest and largest integers of dt.
func integerRange(dt tensor.DType) (low, high *big.Int) {
	bits := uint(8 * dt.Size())
	one := big.NewInt(1)
	if dt.IsSigned() {
		high = new(big.Int).Lsh(one, bits-1)
		low = new(big.Int).Neg(high)
	} else {
		low, high = new(big.Int), new(big.Int).Lsh(one, bits)
	}
	return low, high.Sub(high, one)
}

// twosComplement is v modulo 2^bits, in the range of dt.
func twosComplement(v *big.Int, dt tensor.DType) *big.Int {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(8*dt.Size()))
	_, high := integerRange(dt)
	if v.Mod(v, modulus); v.Cmp(high) > 0 {
		v.Sub(v, modulus)
	}
	return v
}

// casts try every pair of dtypes, with values inside and outside the range of
// the narrower.
func casts() []spec.Sample {
	var out []spec.Sample
	for _, to := range tensor.DTypes() {
		from := slices.DeleteFunc(tensor.DTypes(), func(dt tensor.DType) bool { return dt == to })
		for _, s := range []spec.Sample{
			{Label: "near", Operands: []spec.Operand{{Shape: []int{211}, Lo: -300, Hi: 300, Special: true}}},
			{Label: "far", Operands: []spec.Operand{{Shape: []int{67, 3}, Lo: -4e18, Hi: 4e18}}},
			{Label: "small", Operands: []spec.Operand{{Shape: []int{5, 7}, Lo: -1.5, Hi: 1.5}}},
			{Label: "scalar", Operands: []spec.Operand{{}}},
			{Label: "empty", Operands: []spec.Operand{{Shape: []int{3, 0}}}},
		} {
			s.Label = fmt.Sprintf("to %v %s", to, s.Label)
			s.Build = func(in []*ops.Node) *ops.Node { return ops.Cast(in[0], to) }
			s.Attr, s.Only = to, from
			out = append(out, s)
		}
	}
	return out
}
