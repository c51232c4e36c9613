package lower

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/tensor"
)

// Constant is one value.
func (l *Graph) Constant(c *column.Column) (Value, error) {
	dt, ok := c.Type().DType()
	if !ok || c.Type().IsString() {
		return Value{}, fmt.Errorf("%s has no form as ops", c.Type())
	}
	if c.IsNull(0) {
		l.Note("null")
		return Value{Type: c.Type(), X: l.Ops.Zeros(dt), OK: l.Ops.Zeros(tensor.Bool)}, nil
	}
	data := c.Data()
	if dt == tensor.Bool {
		data = []byte{0}
		if c.Bits().Get(0) {
			data[0] = 1
		}
	}
	t, err := tensor.FromBytes(dt, append([]byte(nil), data...))
	if err != nil {
		return Value{}, err
	}
	v := Value{Type: c.Type(), Number: !dt.IsFloat() || !math.IsNaN(t.Float64At(0))}
	l.Note("constant %v", v.Number)
	if l.Inline {
		v.X = l.Ops.Const(t)
	} else {
		v.X = l.input(t)
	}
	if c.Type().Width() > 0 && !dt.IsFloat() {
		v.Span = l.spanOf(c)
	}
	return v, nil
}

// Load makes a column an input, at an extent.
func (l *Graph) Load(c *column.Column, dim int) (Value, error) {
	at := memory{c, dim}
	if v, ok := l.loaded[at]; ok {
		return v, nil
	}
	dt, ok := c.Type().DType()
	if !ok {
		return Value{}, fmt.Errorf("%s has no form as ops", c.Type())
	}
	l.Note("column %v", c.Type())
	v := Value{Type: c.Type(), Dict: c.Dictionary(), Number: !dt.IsFloat()}
	if dt == tensor.Bool {
		v.X = l.bits(c.Bits(), dim)
	} else {
		t, err := tensor.FromBytes(dt, c.Data(), c.Len())
		if err != nil {
			return v, err
		}
		v.X = l.input(t, dim)
	}
	if c.Nulls() > 0 {
		v.OK = l.bits(c.Validity(), dim)
	}
	switch {
	case v.Dict != nil:
		most := int64(v.Dict.Len()) - 1
		v.Span = func() (int64, int64, bool) { return 0, max(most, 0), true }
	case !dt.IsFloat():
		v.Span = l.spanOf(c)
	}
	l.loaded[at] = v
	return v, nil
}

// Bytes returns a byte for each bit.
func Bytes(p par.Pool, b column.Bitmap) ([]byte, error) {
	out := column.Make[uint8](b.Len())
	return out, p.Morsels(b.Len(), func(_, lo, hi int) error {
		part := b.Slice(lo, hi)
		for k := range part.Words() {
			w := part.Word(k)
			at := out[lo+64*k : min(lo+64*k+64, hi)]
			for i := range at {
				at[i] = byte(w >> i & 1)
			}
		}
		return nil
	})
}

// Bits returns a bit for each byte.
func Bits(p par.Pool, v []byte) (column.Bitmap, error) {
	out := column.NewBitmap(len(v))
	return out, p.Morsels(len(v), func(_, lo, hi int) error {
		part := out.Slice(lo, hi)
		for k := range part.Words() {
			var w uint64
			for i, x := range v[lo+64*k : min(lo+64*k+64, hi)] {
				w |= uint64(x&1) << i
			}
			part.SetWord(k, w)
		}
		return nil
	})
}

// spanOf measures a column, once and if it is asked for.
func (l *Graph) spanOf(c *column.Column) span {
	var least, most int64
	known, done := false, false
	return func() (int64, int64, bool) {
		if !done {
			least, most, known = RangeOf(l.Pool, c)
			done = true
		}
		return least, most, known
	}
}

// RangeOf returns the least and greatest value of a column of whole numbers, not known of others.
func RangeOf(p par.Pool, c *column.Column) (least, most int64, known bool) {
	switch c.Type().Kind {
	case column.Bool:
		return 0, 1, true
	case column.Int8:
		return widened(keys.Range(p, c, column.Values[int8](c)))
	case column.Int16:
		return widened(keys.Range(p, c, column.Values[int16](c)))
	case column.Int32, column.Date32:
		return widened(keys.Range(p, c, column.Values[int32](c)))
	case column.Int64, column.Timestamp, column.Duration:
		return widened(keys.Range(p, c, column.Values[int64](c)))
	case column.Uint8:
		return widened(keys.Range(p, c, column.Values[uint8](c)))
	case column.Uint16:
		return widened(keys.Range(p, c, column.Values[uint16](c)))
	case column.Uint32:
		return widened(keys.Range(p, c, column.Values[uint32](c)))
	case column.Uint64:
		least, most := keys.Range(p, c, column.Values[uint64](c))
		return int64(least), int64(most), most <= math.MaxInt64
	}
	return 0, 0, false
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func widened[T integer](least, most T) (int64, int64, bool) { return int64(least), int64(most), true }
