package engine

import "github.com/anycl/anycl/tensor"

// HostOf1 is the Host of a [Scalar] that is a function of one float. Floats of 16 and 32 bits are computed in 64 and rounded.
func HostOf1(f func(x float64) float64) func(out tensor.DType, in []tensor.DType, dst Block, args []Block) {
	return func(out tensor.DType, _ []tensor.DType, dst Block, args []Block) {
		if ClassOf(out) == ClassF64 {
			x := args[0].F64[:len(dst.F64)]
			for i := range dst.F64 {
				dst.F64[i] = f(x[i])
			}
			return
		}
		x := args[0].F32[:len(dst.F32)]
		for i := range dst.F32 {
			dst.F32[i] = float32(f(float64(x[i])))
		}
	}
}

// HostOf2 is [HostOf1] for a function of two floats.
func HostOf2(f func(x, y float64) float64) func(out tensor.DType, in []tensor.DType, dst Block, args []Block) {
	return func(out tensor.DType, _ []tensor.DType, dst Block, args []Block) {
		if ClassOf(out) == ClassF64 {
			x, y := args[0].F64[:len(dst.F64)], args[1].F64[:len(dst.F64)]
			for i := range dst.F64 {
				dst.F64[i] = f(x[i], y[i])
			}
			return
		}
		x, y := args[0].F32[:len(dst.F32)], args[1].F32[:len(dst.F32)]
		for i := range dst.F32 {
			dst.F32[i] = float32(f(float64(x[i]), float64(y[i])))
		}
	}
}

// HostOf3 is [HostOf1] for a function of three floats.
func HostOf3(f func(x, y, z float64) float64) func(out tensor.DType, in []tensor.DType, dst Block, args []Block) {
	return func(out tensor.DType, _ []tensor.DType, dst Block, args []Block) {
		if ClassOf(out) == ClassF64 {
			x, y, z := args[0].F64[:len(dst.F64)], args[1].F64[:len(dst.F64)], args[2].F64[:len(dst.F64)]
			for i := range dst.F64 {
				dst.F64[i] = f(x[i], y[i], z[i])
			}
			return
		}
		x, y, z := args[0].F32[:len(dst.F32)], args[1].F32[:len(dst.F32)], args[2].F32[:len(dst.F32)]
		for i := range dst.F32 {
			dst.F32[i] = float32(f(float64(x[i]), float64(y[i]), float64(z[i])))
		}
	}
}
