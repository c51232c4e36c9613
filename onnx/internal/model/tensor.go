package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/anycl/anycl/tensor"
)

// DataType is TensorProto.DataType.
type DataType int32

// The element types that need a name here.
const (
	Float32 DataType = 1
	Int32   DataType = 6
	Int64   DataType = 7
	String  DataType = 8
	Bool    DataType = 9
)

var dataTypes = map[DataType]struct {
	name string
	dt   tensor.DType // Invalid: package tensor does not have it
	// bits of an element, where that is a dtype which only carries the values.
	bits int
}{
	1: {"float32", tensor.Float32, 0}, 2: {"uint8", tensor.Uint8, 0}, 3: {"int8", tensor.Int8, 0}, 4: {"uint16", tensor.Uint16, 0},
	5: {"int16", tensor.Int16, 0}, 6: {"int32", tensor.Int32, 0}, 7: {"int64", tensor.Int64, 0}, 8: {"string", 0, 0},
	9:  {"bool", tensor.Bool, 0},
	10: {"float16", tensor.Float16, 0}, 11: {"float64", tensor.Float64, 0}, 12: {"uint32", tensor.Uint32, 0}, 13: {"uint64", tensor.Uint64, 0},
	14: {"complex64", 0, 0}, 15: {"complex128", 0, 0}, 16: {"bfloat16", tensor.BFloat16, 0},
	17: {"float8e4m3fn", tensor.Float32, 8}, 18: {"float8e4m3fnuz", tensor.Float32, 8},
	19: {"float8e5m2", tensor.Float32, 8}, 20: {"float8e5m2fnuz", tensor.Float32, 8},
	21: {"uint4", tensor.Uint8, 4}, 22: {"int4", tensor.Int8, 4}, 23: {"float4e2m1", tensor.Float32, 4},
	24: {"float8e8m0", tensor.Float32, 8}, 25: {"uint2", tensor.Uint8, 2}, 26: {"int2", tensor.Int8, 2},
}

func (t DataType) String() string {
	if x, ok := dataTypes[t]; ok {
		return x.name
	}
	return fmt.Sprintf("element type %d", int32(t))
}

// DType is the dtype of package tensor, or for a narrow type the dtype that carries its values, Invalid where there is none.
func (t DataType) DType() tensor.DType { return dataTypes[t].dt }

// Narrow reports whether t is a type of 8 bits or fewer whose values a wider dtype carries.
func (t DataType) Narrow() bool { return dataTypes[t].bits > 0 }

// Bits is how many bits an element of a narrow type has.
func (t DataType) Bits() int { return dataTypes[t].bits }

// TypeOf is the element type of a dtype.
func TypeOf(dt tensor.DType) DataType {
	for t, x := range dataTypes {
		if x.dt == dt && dt != tensor.Invalid && x.bits == 0 {
			return t
		}
	}
	return 0
}

// Shape is the extents of t, checked.
func (t *Tensor) Shape() ([]int, error) {
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		if d < 0 || d > math.MaxInt {
			return nil, fmt.Errorf("tensor %q: extent %d", t.Name, d)
		}
		shape[i] = int(d)
	}
	if _, err := tensor.NumElems(shape); err != nil {
		return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	return shape, nil
}

// Tensor is the contents of t. External data are read by external, which may be nil. Raw data are not copied. Errors: an element type
// that package tensor does not have; data of another length than the shape says.
func (t *Tensor) Tensor(external func(location string, offset, length int64) ([]byte, error)) (*tensor.Tensor, error) {
	dt := t.Type.DType()
	if !dt.Valid() {
		return nil, &ElementTypeError{t.Name, t.Type.String()}
	}
	shape, err := t.Shape()
	if err != nil {
		return nil, err
	}
	n, _ := tensor.NumElems(shape)
	if n > math.MaxInt/8 {
		return nil, fmt.Errorf("tensor %q: %v%v has too many elements", t.Name, dt, shape)
	}
	if t.Type.Narrow() {
		return t.widened(external, shape, n)
	}
	raw := t.Raw
	switch {
	case t.External != nil:
		if raw, err = t.outside(external, int64(n)*int64(dt.Size())); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
	case !t.HasRaw:
		if have := t.listed(); have != n {
			return nil, fmt.Errorf("tensor %q: %v%v has %d elements, and %d are given", t.Name, dt, shape, n, have)
		}
		raw = t.pack(dt)
	}
	if len(raw) != n*dt.Size() {
		return nil, fmt.Errorf("tensor %q: %v%v takes %d bytes, and %d are given", t.Name, dt, shape, n*dt.Size(), len(raw))
	}
	if dt == tensor.Bool {
		for i, b := range raw {
			if b > 1 {
				return nil, fmt.Errorf("tensor %q: element %d of bool is %d", t.Name, i, b)
			}
		}
	}
	if !t.HasRaw || t.External != nil {
		b := tensor.AlignedBytes(len(raw))
		copy(b, raw)
		raw = b
	}
	return tensor.FromBytes(dt, raw, shape...)
}

// outside reads external data.
func (t *Tensor) outside(read func(string, int64, int64) ([]byte, error), want int64) ([]byte, error) {
	location := t.External["location"]
	if read == nil {
		return nil, fmt.Errorf("its data are in the file %q, which is read only where the model is a file too", location)
	}
	offset, length := int64(0), want
	var err error
	if s := t.External["offset"]; s != "" {
		if offset, err = strconv.ParseInt(s, 10, 64); err != nil || offset < 0 {
			return nil, fmt.Errorf("offset %q of its external data is no position", s)
		}
	}
	if s := t.External["length"]; s != "" {
		if length, err = strconv.ParseInt(s, 10, 64); err != nil || length < 0 {
			return nil, fmt.Errorf("length %q of its external data is no length", s)
		}
	}
	if length != want {
		return nil, fmt.Errorf("its external data have %d bytes, and it takes %d", length, want)
	}
	return read(location, offset, length)
}

// listed is how many elements the typed field of t has.
func (t *Tensor) listed() int {
	switch t.Type {
	case 1:
		return len(t.Floats)
	case 7:
		return len(t.Int64s)
	case 11:
		return len(t.Doubles)
	case 12, 13:
		return len(t.Uint64s)
	}
	return len(t.Int32s)
}

// pack makes little-endian bytes of the typed field.
func (t *Tensor) pack(dt tensor.DType) (b []byte) {
	le := binary.LittleEndian
	for _, v := range t.Floats {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	for _, v := range t.Doubles {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	for _, v := range t.Int64s {
		b = le.AppendUint64(b, uint64(v))
	}
	for _, v := range t.Uint64s {
		if dt == tensor.Uint32 {
			b = le.AppendUint32(b, uint32(v))
		} else {
			b = le.AppendUint64(b, v)
		}
	}
	for _, v := range t.Int32s {
		switch dt.Size() {
		case 1:
			b = append(b, byte(v))
		case 2:
			b = le.AppendUint16(b, uint16(v))
		default:
			b = le.AppendUint32(b, uint32(v))
		}
	}
	return b
}

// ElementTypeError is the error of an element type that package tensor does not have.
type ElementTypeError struct {
	Name string // of the tensor, input or output; empty: of an attribute
	Type string
}

func (e *ElementTypeError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("the element type %s is not supported", e.Type)
	}
	return fmt.Sprintf("%q is of element type %s, which is not supported", e.Name, e.Type)
}
