package ocltest

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// RequireSame compares buffers of dt element by element: integers are equal, floats differ by no more than tol, and one rounding
// of short floats, of the larger of the value and scale. NaN is as good as NaN.
func RequireSame(t testing.TB, dt tensor.DType, want, got []byte, tol, scale float64, plan engine.Plan) {
	t.Helper()
	ulp := map[tensor.DType]float64{tensor.Float16: 0x1p-10, tensor.BFloat16: 0x1p-7}[dt]
	for j := range len(want) / dt.Size() {
		w, g := NumberAt(dt, want, j), NumberAt(dt, got, j)
		if w == g || w != w && g != g {
			continue
		}
		ok := dt.IsFloat() && math.Abs(w-g) <= (tol+ulp)*max(math.Abs(w), scale)
		if dt == tensor.Float16 && math.Abs(w-g) <= 0x1p-24 {
			ok = true // one step of its subnormals
		}
		if !ok {
			require.Failf(t, "wrong value", "element %d is %v, not %v\n%s %v\n%s", j, g, w, plan.Variant, plan.Launch, plan.Source)
		}
	}
}

// RequireEqual wants the same numbers in both buffers; zeros of either sign are equal, and NaN is as good as NaN.
func RequireEqual(t testing.TB, dt tensor.DType, want, got []byte, plan engine.Plan) {
	t.Helper()
	require.Len(t, got, len(want))
	for j := range len(want) / dt.Size() {
		if w, g := NumberAt(dt, want, j), NumberAt(dt, got, j); w != g && (w == w || g == g) {
			require.Failf(t, "wrong value", "element %d is %v, not %v\n%s %v", j, g, w, plan.Variant, plan.Launch)
		}
	}
}

// RequireClose compares buffers of dt element by element. Integers are equal;
// floats differ by no more than terms roundings of a sum of that many terms.
func RequireClose(t testing.TB, dt tensor.DType, terms int64, want, got []byte) {
	t.Helper()
	require.Len(t, got, len(want))
	eps := map[tensor.DType]float64{tensor.Float16: 1e-3, tensor.BFloat16: 8e-3, tensor.Float32: 1e-6, tensor.Float64: 1e-14}[dt]
	if eps == 0 {
		require.Equal(t, want, got)
		return
	}
	for i := range len(want) / dt.Size() {
		w, g := NumberAt(dt, want, i), NumberAt(dt, got, i)
		if tol := eps*math.Abs(w) + math.Min(eps, 1e-6)*(1+math.Sqrt(float64(terms))); !(math.Abs(w-g) <= tol) {
			t.Fatalf("element %d: %v, not %v (%g apart)", i, g, w, math.Abs(w-g))
		}
	}
}

// NumberAt is element i of memory, as a float64.
func NumberAt(dt tensor.DType, mem []byte, i int) float64 {
	b := mem[i*dt.Size():]
	switch dt {
	case tensor.Bool, tensor.Uint8:
		return float64(b[0])
	case tensor.Int8:
		return float64(int8(b[0]))
	case tensor.Int16:
		return float64(int16(binary.NativeEndian.Uint16(b)))
	case tensor.Uint16:
		return float64(binary.NativeEndian.Uint16(b))
	case tensor.Int32:
		return float64(int32(binary.NativeEndian.Uint32(b)))
	case tensor.Uint32:
		return float64(binary.NativeEndian.Uint32(b))
	case tensor.Int64:
		return float64(int64(binary.NativeEndian.Uint64(b)))
	case tensor.Uint64:
		return float64(binary.NativeEndian.Uint64(b))
	case tensor.Float16:
		return tensor.Half(binary.NativeEndian.Uint16(b)).Float64()
	case tensor.BFloat16:
		return tensor.BF16(binary.NativeEndian.Uint16(b)).Float64()
	case tensor.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	default:
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	}
}
