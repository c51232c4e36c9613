package tensor

import (
	"fmt"
	"strings"
)

// DType is the type of a tensor's elements.
type DType uint8

// The dtypes, in the order of [DTypes], and after them the complex ones. The zero value is not a dtype.
const (
	Invalid DType = iota
	Bool
	Int8
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float16
	BFloat16
	Float32
	Float64
	Complex64  // a float32 for the real part, and one for the imaginary part
	Complex128 // two float64s
)

// Elem is a Go type that holds one element; each dtype has exactly one.
type Elem interface {
	bool | int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 |
		Half | BF16 | float32 | float64 | complex64 | complex128
}

var dtypes = [...]struct {
	name string
	size int
}{
	Invalid:  {"invalid", 0},
	Bool:     {"bool", 1},
	Int8:     {"int8", 1},
	Uint8:    {"uint8", 1},
	Int16:    {"int16", 2},
	Uint16:   {"uint16", 2},
	Int32:    {"int32", 4},
	Uint32:   {"uint32", 4},
	Int64:    {"int64", 8},
	Uint64:   {"uint64", 8},
	Float16:  {"float16", 2},
	BFloat16: {"bfloat16", 2},
	Float32:  {"float32", 4},
	Float64:  {"float64", 8},

	Complex64:  {"complex64", 8},
	Complex128: {"complex128", 16},
}

// DTypes returns the dtypes whose elements are one number, in order: bool, the integers by width, the floats by width. Elements
// of [Complex64] and [Complex128] are two.
func DTypes() []DType {
	all := make([]DType, 0, Float64)
	for d := Bool; d <= Float64; d++ {
		all = append(all, d)
	}
	return all
}

// ParseDType returns the dtype whose [DType.String] is s.
func ParseDType(s string) (DType, error) {
	names := make([]string, 0, Complex128)
	for d := Bool; d <= Complex128; d++ {
		if dtypes[d].name == s {
			return d, nil
		}
		names = append(names, dtypes[d].name)
	}
	return Invalid, fmt.Errorf("tensor: %q is not a dtype; there are %s", s, strings.Join(names, ", "))
}

// MarshalText gives the name, as in JSON.
func (d DType) MarshalText() ([]byte, error) {
	if !d.Valid() {
		return nil, fmt.Errorf("tensor: %v is not a dtype", d)
	}
	return []byte(d.String()), nil
}

// UnmarshalText is [ParseDType].
func (d *DType) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDType(string(text))
	return err
}

// DTypeOf returns the dtype whose elements are held by T.
func DTypeOf[T Elem]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case uint8:
		return Uint8
	case int16:
		return Int16
	case uint16:
		return Uint16
	case int32:
		return Int32
	case uint32:
		return Uint32
	case int64:
		return Int64
	case uint64:
		return Uint64
	case Half:
		return Float16
	case BF16:
		return BFloat16
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	default:
		return Complex128
	}
}

// String returns the dtype's name, such as "float32".
func (d DType) String() string {
	if d > Complex128 {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size returns the bytes that one element takes, 0 when d is not valid.
func (d DType) Size() int {
	if d > Complex128 {
		return 0
	}
	return dtypes[d].size
}

// Valid reports whether d is a dtype: one of [DTypes], or complex.
func (d DType) Valid() bool { return d >= Bool && d <= Complex128 }

// IsComplex reports whether d is complex64 or complex128.
func (d DType) IsComplex() bool { return d == Complex64 || d == Complex128 }

// Part is the dtype of the real and the imaginary part of a complex one, and d itself of all others.
func (d DType) Part() DType {
	switch d {
	case Complex64:
		return Float32
	case Complex128:
		return Float64
	}
	return d
}

// Complex is the complex dtype whose parts are d; [Invalid] where d is not float32 or float64.
func (d DType) Complex() DType {
	switch d {
	case Float32:
		return Complex64
	case Float64:
		return Complex128
	}
	return Invalid
}

// IsFloat reports whether d is float16, bfloat16, float32 or float64.
func (d DType) IsFloat() bool { return d >= Float16 && d <= Float64 }

// IsInt reports whether d is a signed or unsigned integer; bool is not.
func (d DType) IsInt() bool { return d >= Int8 && d <= Uint64 }

// IsSigned reports whether d holds negative values: the signed integers and the floats.
func (d DType) IsSigned() bool {
	return d.IsFloat() || d == Int8 || d == Int16 || d == Int32 || d == Int64
}
