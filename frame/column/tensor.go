package column

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// Tensor returns the values as a tensor with one axis, without a copy but for bool. Dates, timestamps and durations
// are their integers, a dictionary column its codes. Errors: strings, decimals, and nulls, which a tensor has no place for.
func (c *Column) Tensor() (*tensor.Tensor, error) {
	dt, ok := c.typ.DType()
	if !ok {
		return nil, fmt.Errorf("column: %s is no dtype of a tensor", c.typ)
	}
	if c.nulls > 0 {
		return nil, fmt.Errorf("column: %d of %d values are null; fill them before they become a tensor", c.nulls, c.n)
	}
	if c.typ.Kind == Bool {
		v := make([]byte, c.n)
		for i := range v {
			if c.bits.Get(i) {
				v[i] = 1
			}
		}
		return tensor.FromBytes(dt, v, c.n)
	}
	return tensor.FromBytes(dt, c.data, c.n)
}

// FromTensor returns a column of the elements of a tensor with one axis, without a copy where they are contiguous and not
// bool. Float16 and bfloat16, which are no types of columns, become float32. Errors: another number of axes.
func FromTensor(t *tensor.Tensor) (*Column, error) {
	if t.Rank() != 1 {
		return nil, fmt.Errorf("column: a column has one axis, the tensor has shape %s", tensor.ShapeString(t.Shape()))
	}
	var typ Type
	switch t.DType() {
	case tensor.Bool:
		bits := NewBitmap(t.Len())
		data, _ := t.Contiguous().Bytes()
		for i, v := range data {
			bits.Set(i, v != 0)
		}
		return Bools(bits, Bitmap{})
	case tensor.Float16, tensor.BFloat16:
		wide, err := tensor.Cast(t, tensor.Float32)
		if err != nil {
			return nil, fmt.Errorf("column: %w", err)
		}
		return FromTensor(wide)
	case tensor.Int8:
		typ = Int8.Of()
	case tensor.Int16:
		typ = Int16.Of()
	case tensor.Int32:
		typ = Int32.Of()
	case tensor.Int64:
		typ = Int64.Of()
	case tensor.Uint8:
		typ = Uint8.Of()
	case tensor.Uint16:
		typ = Uint16.Of()
	case tensor.Uint32:
		typ = Uint32.Of()
	case tensor.Uint64:
		typ = Uint64.Of()
	case tensor.Float32:
		typ = Float32.Of()
	case tensor.Float64:
		typ = Float64.Of()
	default:
		return nil, fmt.Errorf("column: no column holds %s", t.DType())
	}
	data, _ := t.Contiguous().Bytes()
	return Fixed(typ, data, Bitmap{})
}
