package engine

import "github.com/anycl/anycl/tensor"

// Scalar is a function of scalars: the computation of an element-wise op for one element, in Go and as
// text for devices. An engine that compiles another language than OpenCL C knows a function by its name,
// or translates the text.
type Scalar struct {
	// Name is the function's identity: two of one name compute the same.
	Name string
	// Function identifies the scalar function to engines that treat some functions in a way of their own; 0: they know only
	// the fields here.
	Function Function
	Arity    int
	// OpenCL is the function as an OpenCL C expression over a, b, c and d, the
	// operands in their register types. $T stands for the register type of
	// the result, $A for that of operand a. Literals are written for float
	// (0.5f, M_PI_F); for double the suffix is removed.
	OpenCL string
	// OpenCLFor, where not nil, chooses another expression by the dtypes of the
	// operands; "" means OpenCL.
	OpenCLFor func(out tensor.DType, in []tensor.DType) string
	// Host computes len(dst) elements. dst may alias an operand of the same
	// register class.
	Host func(out tensor.DType, in []tensor.DType, dst Block, args []Block)
	// Flops is the cost of one element in floating-point operations: 1 for an
	// addition, about 20 for a transcendental function.
	Flops float64
}

func (s *Scalar) name() string {
	if s == nil {
		return "expr"
	}
	return s.Name
}

// Class is the type in which values of a dtype live between load and store.
type Class uint8

// The register classes of the host. A device keeps narrow integers in their
// own type, which gives the same results, because hosts wrap after every
// operation.
const (
	ClassF32 Class = iota // float16, bfloat16, float32
	ClassF64              // float64
	ClassI64              // int8 to int64
	ClassU64              // bool, uint8 to uint64
)

// ClassOf is the register class of dt.
func ClassOf(dt tensor.DType) Class {
	switch {
	case dt == tensor.Float64:
		return ClassF64
	case dt.IsFloat():
		return ClassF32
	case dt.IsSigned():
		return ClassI64
	default:
		return ClassU64
	}
}

// Block is a run of values in registers of the host. Exactly the slice of its
// class is set.
type Block struct {
	F32 []float32
	F64 []float64
	I64 []int64
	U64 []uint64
}

// Monoid is an associative fold with an identity.
type Monoid uint8

// The folds. ArgMin and ArgMax give the position of the first smallest or
// largest value, counted in row-major order over the folded axes, as int64;
// a NaN beats every number, as it does in Min and Max.
const (
	Sum Monoid = iota
	Prod
	Min
	Max
	ArgMin
	ArgMax
)

var monoidNames = [...]string{"sum", "prod", "min", "max", "argmin", "argmax"}

func (m Monoid) String() string { return monoidNames[m] }

// IsArg reports whether m folds to a position.
func (m Monoid) IsArg() bool { return m == ArgMin || m == ArgMax }

// AccType is the dtype in which values of dt are folded or contracted: at
// least 32 bits, floats in float32, float64 in float64.
func AccType(dt tensor.DType) tensor.DType {
	switch dt {
	case tensor.Float16, tensor.BFloat16:
		return tensor.Float32
	case tensor.Bool, tensor.Uint8, tensor.Uint16:
		return tensor.Uint32
	case tensor.Int8, tensor.Int16:
		return tensor.Int32
	}
	return dt
}
