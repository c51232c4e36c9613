package ocl

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Scalar functions as package ops would define them.

func scalar2(name, c string, f64 func(a, b float64) float64, i64 func(a, b int64) int64) *engine.Scalar {
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

var (
	fnAdd = scalar2("add", "a + b", func(a, b float64) float64 { return a + b }, func(a, b int64) int64 { return a + b })
	fnSub = scalar2("sub", "a - b", func(a, b float64) float64 { return a - b }, func(a, b int64) int64 { return a - b })
	fnMul = scalar2("mul", "a * b", func(a, b float64) float64 { return a * b }, func(a, b int64) int64 { return a * b })
	fnDiv = scalar2("div", "a / b", func(a, b float64) float64 { return a / b }, nil)

	// fnMix has literals of both kinds and a constant, for the rewriting to double.
	fnMix = scalar2("mix", "0.5f * a + 0x1p-2f * b * M_PI_F", func(a, b float64) float64 { return 0.5*a + 0.25*b*math.Pi }, nil)

	fnLess = &engine.Scalar{Name: "less", Arity: 2, OpenCL: "a < b", Flops: 1, Host: func(_ tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
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

	fnWhere = &engine.Scalar{Name: "where", Arity: 3, OpenCL: "a ? b : c", Flops: 1, Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		from := args[2]
		if args[0].U64[0] != 0 {
			from = args[1]
		}
		copy(dst.F32, from.F32)
		copy(dst.F64, from.F64)
		copy(dst.I64, from.I64)
		copy(dst.U64, from.U64)
	}}

	fnExp = &engine.Scalar{Name: "exp", Arity: 1, OpenCL: "exp(a)", Flops: 20, Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		if out == tensor.Float64 {
			dst.F64[0] = math.Exp(args[0].F64[0])
			return
		}
		dst.F32[0] = float32(math.Exp(float64(args[0].F32[0])))
	}}

	fnAbs = &engine.Scalar{Name: "abs", Arity: 1, OpenCL: "fabs(a)", Flops: 1, Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		dst.F32[0] = float32(math.Abs(float64(args[0].F32[0])))
	}}

	fnCast = &engine.Scalar{Name: "cast", Arity: 1, OpenCL: "$cast(a)", Flops: 1, Host: hostCast}
)

// hostCast converts with tensor.Cast, whose rules hold everywhere.
func hostCast(out tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
	src := tensor.Must(tensor.New(in[0]))
	switch engine.ClassOf(in[0]) {
	case engine.ClassF32:
		putAt(in[0], raw(src), 0, float64(args[0].F32[0]), 0)
	case engine.ClassF64:
		putAt(in[0], raw(src), 0, args[0].F64[0], 0)
	case engine.ClassI64:
		putAt(in[0], raw(src), 0, 0, uint64(args[0].I64[0]))
	default:
		putAt(in[0], raw(src), 0, 0, args[0].U64[0])
	}
	res := tensor.Must(tensor.Cast(src, out))
	switch engine.ClassOf(out) {
	case engine.ClassF32:
		dst.F32[0] = float32(numberAt(out, raw(res), 0))
	case engine.ClassF64:
		dst.F64[0] = numberAt(out, raw(res), 0)
	case engine.ClassI64:
		v, _ := tensor.ToSlice[int64](tensor.Must(tensor.Cast(res, tensor.Int64)))
		dst.I64[0] = v[0]
	default:
		v, _ := tensor.ToSlice[uint64](tensor.Must(tensor.Cast(res, tensor.Uint64)))
		dst.U64[0] = v[0]
	}
}

// denseAt is the row-major position of a point of axes.
func denseAt(dom engine.Domain, axes ...int) *engine.Index {
	x := engine.ConstIndex(0)
	for _, a := range axes {
		x = x.Mul(int64(dom[a])).Add(engine.AxisIndex(a))
	}
	return x
}

func constant(dt tensor.DType, v float64) *engine.Expr {
	return engine.Constant(dt, engine.Const{Float: v, Int: int64(v)})
}

func mapTask(dom engine.Domain, v *engine.Expr, ins ...engine.Operand) *engine.Task {
	return &engine.Task{
		Kind: engine.Map, Name: "test", Axes: dom, Groups: []int{len(dom)},
		Ins: ins, Outs: []engine.Operand{{DType: v.DType, Len: dom.Size()}}, Values: []*engine.Expr{v},
	}
}

// reduceTask folds the last axes of dom, after the first out.
func reduceTask(dom engine.Domain, out int, f engine.Monoid, v *engine.Expr, ins ...engine.Operand) *engine.Task {
	acc := engine.AccType(v.DType)
	if f.IsArg() {
		acc = tensor.Int64
	}
	return &engine.Task{
		Kind: engine.Reduce, Name: "test", Axes: dom, Groups: []int{out, len(dom) - out},
		Ins: ins, Outs: []engine.Operand{{DType: acc, Len: dom[:out].Size()}},
		Folds: []engine.Fold{{Monoid: f, Value: v, Acc: acc}}, Values: []*engine.Expr{engine.Acc(0, acc)},
	}
}

func raw(t *tensor.Tensor) []byte {
	b, _ := t.Bytes()
	return b
}
