package sample

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/tensor"
)

// Scalar functions as package ops defines them.

// Scalar2 is a function of two numbers: of floats f64, of integers i64.
func Scalar2(name, c string, f64 func(a, b float64) float64, i64 func(a, b int64) int64) *engine.Scalar {
	return &engine.Scalar{Name: name, Arity: 2, OpenCL: c, Flops: 1, Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		switch engine.ClassOf(out) {
		case engine.ClassF32:
			dst.F32[0] = float32(f64(float64(args[0].F32[0]), float64(args[1].F32[0])))
		case engine.ClassF64:
			dst.F64[0] = f64(args[0].F64[0], args[1].F64[0])
		case engine.ClassI64:
			dst.I64[0] = i64(args[0].I64[0], args[1].I64[0])
		default:
			dst.U64[0] = uint64(i64(int64(args[0].U64[0]), int64(args[1].U64[0])))
		}
	}}
}

// known is s, which computes f.
func known(f engine.Function, s *engine.Scalar) *engine.Scalar {
	s.Function = f
	return s
}

var (
	Add = known(engine.FnAdd, Scalar2("add", "a + b", func(a, b float64) float64 { return a + b }, func(a, b int64) int64 { return a + b }))
	Sub = known(engine.FnSub, Scalar2("sub", "a - b", func(a, b float64) float64 { return a - b }, func(a, b int64) int64 { return a - b }))
	Mul = known(engine.FnMul, Scalar2("mul", "a * b", func(a, b float64) float64 { return a * b }, func(a, b int64) int64 { return a * b }))
	Div = known(engine.FnDiv, Scalar2("div", "a / b", func(a, b float64) float64 { return a / b }, nil))

	// Mix has literals of both kinds and a constant, for the rewriting to double.
	Mix = Scalar2("mix", "0.5f * a + 0x1p-2f * b * M_PI_F", func(a, b float64) float64 { return 0.5*a + 0.25*b*math.Pi }, nil)

	Less = &engine.Scalar{Name: "less", Function: engine.FnLess, Arity: 2, OpenCL: "a < b", Flops: 1, Host: func(_ tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
		var y bool
		switch engine.ClassOf(in[0]) {
		case engine.ClassF32:
			y = args[0].F32[0] < args[1].F32[0]
		case engine.ClassF64:
			y = args[0].F64[0] < args[1].F64[0]
		case engine.ClassI64:
			y = args[0].I64[0] < args[1].I64[0]
		default:
			y = args[0].U64[0] < args[1].U64[0]
		}
		dst.U64[0] = 0
		if y {
			dst.U64[0] = 1
		}
	}}

	Where = &engine.Scalar{Name: "where", Function: engine.FnSelect, Arity: 3, OpenCL: "a ? b : c", Flops: 1, Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		from := args[2]
		if args[0].U64[0] != 0 {
			from = args[1]
		}
		copy(dst.F32, from.F32)
		copy(dst.F64, from.F64)
		copy(dst.I64, from.I64)
		copy(dst.U64, from.U64)
	}}

	Exp = &engine.Scalar{Name: "exp", Function: engine.FnExp, Arity: 1, OpenCL: "exp(a)", Flops: 20, Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		if out == tensor.Float64 {
			dst.F64[0] = math.Exp(args[0].F64[0])
			return
		}
		dst.F32[0] = float32(math.Exp(float64(args[0].F32[0])))
	}}

	Abs = &engine.Scalar{Name: "abs", Function: engine.FnAbs, Arity: 1, OpenCL: "fabs(a)", Flops: 1, Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		dst.F32[0] = float32(math.Abs(float64(args[0].F32[0])))
	}}

	Cast = &engine.Scalar{Name: "cast", Function: engine.FnCast, Arity: 1, OpenCL: "$cast(a)", Flops: 1, Host: hostCast}
)

// hostCast converts with tensor.Cast, whose rules hold everywhere.
func hostCast(out tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
	src := tensor.Must(tensor.New(in[0]))
	switch engine.ClassOf(in[0]) {
	case engine.ClassF32:
		ocltest.PutAt(in[0], raw(src), 0, float64(args[0].F32[0]), 0)
	case engine.ClassF64:
		ocltest.PutAt(in[0], raw(src), 0, args[0].F64[0], 0)
	case engine.ClassI64:
		ocltest.PutAt(in[0], raw(src), 0, 0, uint64(args[0].I64[0]))
	default:
		ocltest.PutAt(in[0], raw(src), 0, 0, args[0].U64[0])
	}
	res := tensor.Must(tensor.Cast(src, out))
	switch engine.ClassOf(out) {
	case engine.ClassF32:
		dst.F32[0] = float32(ocltest.NumberAt(out, raw(res), 0))
	case engine.ClassF64:
		dst.F64[0] = ocltest.NumberAt(out, raw(res), 0)
	case engine.ClassI64:
		v, _ := tensor.ToSlice[int64](tensor.Must(tensor.Cast(res, tensor.Int64)))
		dst.I64[0] = v[0]
	default:
		v, _ := tensor.ToSlice[uint64](tensor.Must(tensor.Cast(res, tensor.Uint64)))
		dst.U64[0] = v[0]
	}
}

func raw(t *tensor.Tensor) []byte {
	b, _ := t.Bytes()
	return b
}
