package export

import (
	"slices"
	"sync"

	"github.com/anycl/anycl/tensor"
)

// signature is which element types an operator takes.
type signature struct {
	typed   int            // the input whose type counts
	types   []tensor.DType // nil: all
	later   []tensor.DType // types that it takes from version since on
	since   int64
	other   []int          // inputs whose types are their own
	results []tensor.DType // those that are not of the type that counts
}

const (
	f16  = tensor.Float16
	bf16 = tensor.BFloat16
	f32  = tensor.Float32
	f64  = tensor.Float64
	i8   = tensor.Int8
	i16  = tensor.Int16
	i32  = tensor.Int32
	i64  = tensor.Int64
	u8   = tensor.Uint8
	u16  = tensor.Uint16
	u32  = tensor.Uint32
	u64  = tensor.Uint64
	bit  = tensor.Bool
)

var (
	plain    = []tensor.DType{f16, f32, f64}
	bfloat   = []tensor.DType{bf16}
	floats   = []tensor.DType{f16, f32, f64, bf16}
	integers = []tensor.DType{i8, i16, i32, i64, u8, u16, u32, u64}
	numbers  = slices.Concat(floats, integers)
	noBfloat = slices.Concat(plain, integers)
	words    = []tensor.DType{i32, i64, u32, u64}
	precise  = slices.Concat(floats, words)
)

// takes reports whether the operator takes dt in a version.
func (s *signature) takes(dt tensor.DType, version int64) bool {
	return s.types == nil || slices.Contains(s.types, dt) || version >= s.since && slices.Contains(s.later, dt)
}

// wider is a type that the operator takes and that holds all values of dt; invalid where there is none.
func (s *signature) wider(dt tensor.DType, version int64) tensor.DType {
	var try []tensor.DType
	switch dt {
	case f16, bf16:
		try = []tensor.DType{f32, f64}
	case f32:
		try = []tensor.DType{f64}
	case f64: // no wider float, and a narrower one would lose digits
	case bit:
		try = []tensor.DType{u8, i32}
	case i8, u8, i16, u16:
		try = []tensor.DType{i16, i32, i64, f32}
	case i32, u32:
		try = []tensor.DType{i64, f64}
	}
	for _, t := range try {
		if (dt == u8 || dt == u16) && t == i16 && dt == u16 {
			continue
		}
		if s.takes(t, version) {
			return t
		}
	}
	return tensor.Invalid
}

// signatures are the signatures of all operators that are written. Some operators have fewer types here than in the specification:
// types that runtimes lack are cast to others and back. They are made when a graph is first written.
var signatures = sync.OnceValue(func() signatureTable {
	all := signatureTable{}
	all.fill()
	return all
})

// signatureTable has signatures by operator.
type signatureTable map[string]*signature

func (all signatureTable) sign(types []tensor.DType, names ...string) {
	for _, name := range names {
		all[name] = &signature{types: types}
	}
}

// newer lets operators take more types from a version on.
func (all signatureTable) newer(since int64, types []tensor.DType, names ...string) {
	for _, name := range names {
		s := *all[name]
		s.later, s.since = types, since
		all[name] = &s
	}
}

func (all signatureTable) gives(dt tensor.DType, names ...string) {
	for _, name := range names {
		s := *all[name]
		s.results = []tensor.DType{dt}
		all[name] = &s
	}
}

func (all signatureTable) fill() {
	all.sign(nil, "Identity", "Reshape", "Transpose", "Slice", "Concat", "Expand", "Gather", "GatherElements", "GatherND", "ScatterElements",
		"ScatterND",
		"Tile", "Squeeze", "Unsqueeze", "Trilu", "Pad", "DepthToSpace", "SpaceToDepth", "Shape", "Equal", "Split", "NonZero", "GridSample",
		"Resize")
	all.sign([]tensor.DType{f16, bf16, f32, f64, i32, i64, u8, u64}, "Where")
	all.sign(slices.Concat(floats, []tensor.DType{i8, u8}, words), "Max", "Min")
	all.sign(numbers, "Add", "Sub", "Mul", "Div", "Abs", "Sign", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Clip", "Mod", "ArgMax",
		"ArgMin")
	all.sign(slices.Concat(floats, []tensor.DType{i8, i16, i32, i64}), "Neg")
	all.sign(floats, "Sqrt", "Exp", "Log", "Tanh", "Sigmoid", "Erf", "Ceil", "Floor", "Reciprocal", "LeakyRelu", "Softmax", "LogSoftmax",
		"IsNaN",
		"BatchNormalization", "LayerNormalization", "LRN", "Gelu", "GroupNormalization", "RMSNormalization", "Attention", "RotaryEmbedding",
		"Pow")
	all.sign(plain, "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Round", "Softplus", "Elu",
		"Selu", "HardSigmoid",
		"HardSwish", "Mish", "ThresholdedRelu", "Softsign", "Conv", "ConvTranspose", "AveragePool", "LpPool", "GlobalAveragePool",
		"GlobalMaxPool",
		"InstanceNormalization", "LSTM", "GRU", "RNN", "Det")
	all.newer(22, bfloat, "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Round", "Softplus", "Elu",
		"Selu", "HardSigmoid",
		"HardSwish", "Mish", "ThresholdedRelu", "Softsign", "Conv", "ConvTranspose", "AveragePool", "LpPool", "GlobalAveragePool",
		"GlobalMaxPool",
		"InstanceNormalization", "LSTM", "GRU", "RNN", "Det")
	all.sign([]tensor.DType{f32}, "Celu", "NonMaxSuppression", "DynamicQuantizeLinear")
	all.sign(slices.Concat(floats, words), "PRelu", "MatMul", "Gemm")
	all.sign(slices.Concat(floats, []tensor.DType{i8, i16, i32, i64}), "Relu")
	all.sign(precise, "ReduceSum", "ReduceProd", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "CumSum")
	all.sign(slices.Concat(precise, []tensor.DType{i8, u8}), "ReduceMax", "ReduceMin")
	all.newer(20, []tensor.DType{bit}, "ReduceMax", "ReduceMin")
	all.sign(noBfloat, "Einsum", "Shrink", "TopK")
	all.sign([]tensor.DType{f32, f64, i8, i64}, "Unique")
	all.sign(slices.Concat(plain, []tensor.DType{i8, u8}), "MaxPool")
	all.newer(22, bfloat, "MaxPool")
	all.sign(integers, "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot")
	all.sign([]tensor.DType{u8, u16, u32, u64}, "BitShift")
	all.sign([]tensor.DType{f32, f64}, "DFT")
	all.sign([]tensor.DType{f32, f64, i32, i64}, "TreeEnsembleRegressor")
	all.sign([]tensor.DType{bit}, "And", "Or", "Xor", "Not")
	all.sign([]tensor.DType{f32, f64}, "IsInf")
	all.newer(20, []tensor.DType{f16, bf16}, "IsInf")
	all.sign([]tensor.DType{i8, u8}, "MatMulInteger", "ConvInteger")
	all.sign([]tensor.DType{f32, i32}, "QuantizeLinear")
	all.newer(19, []tensor.DType{f16, bf16}, "QuantizeLinear")
	all.sign([]tensor.DType{i8, u8, i32}, "DequantizeLinear")
	all.newer(21, []tensor.DType{i16, u16}, "DequantizeLinear")
	all.gives(bit, "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal", "IsNaN", "IsInf")
	all.gives(i64, "Shape", "ArgMax", "ArgMin", "NonMaxSuppression", "NonZero")
	all.gives(i32, "MatMulInteger", "ConvInteger")
	all.gives(f32, "TreeEnsembleRegressor")
	all.special()
}

// special sets the fields that few operators have.
func (all signatureTable) special() {
	all["Where"].typed, all["Where"].other = 1, []int{0}
	all["TopK"].results = []tensor.DType{tensor.Invalid, i64}
	all["TopK"].other = []int{1}
	all["Unique"].results = []tensor.DType{tensor.Invalid, i64, i64, i64}
	all["DynamicQuantizeLinear"].results = []tensor.DType{u8, f32, u8}
	all["MaxPool"].results = []tensor.DType{tensor.Invalid, i64}
	all["CumSum"].other = []int{1}
	for _, name := range []string{"ReduceSum", "ReduceProd", "ReduceMean", "ReduceMax", "ReduceMin"} {
		all[name].other = []int{1}
	}
}
