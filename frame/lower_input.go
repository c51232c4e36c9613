package frame

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/tensor"
)

func (l *lowering) constant(c *column.Column) (value, error) {
	dt, ok := c.Type().DType()
	if !ok || c.Type().IsString() {
		return value{}, fmt.Errorf("%s has no form as ops", c.Type())
	}
	if c.IsNull(0) {
		l.note("null")
		return value{typ: c.Type(), x: l.g.Zeros(dt), ok: l.g.Zeros(tensor.Bool)}, nil
	}
	data := c.Data()
	if dt == tensor.Bool {
		data = []byte{byte(bit(c.Bits().Get(0)))}
	}
	t, err := tensor.FromBytes(dt, append([]byte(nil), data...))
	if err != nil {
		return value{}, err
	}
	v := value{typ: c.Type(), number: !dt.IsFloat() || !math.IsNaN(t.Float64At(0))}
	l.note("constant %v", v.number)
	if l.inline {
		v.x = l.g.Const(t)
	} else {
		v.x = l.input(t)
	}
	if c.Type().Width() > 0 && !dt.IsFloat() {
		v.span = l.spanOf(c)
	}
	return v, nil
}

// load makes a column an input, at an extent.
func (l *lowering) load(c *column.Column, dim int) (value, error) {
	at := memory{c, dim}
	if v, ok := l.loaded[at]; ok {
		return v, nil
	}
	dt, ok := c.Type().DType()
	if !ok {
		return value{}, fmt.Errorf("%s has no form as ops", c.Type())
	}
	l.note("column %v", c.Type())
	v := value{typ: c.Type(), dict: c.Dictionary(), number: !dt.IsFloat()}
	if dt == tensor.Bool {
		v.x = l.bits(c.Bits(), dim)
	} else {
		t, err := tensor.FromBytes(dt, c.Data(), c.Len())
		if err != nil {
			return v, err
		}
		v.x = l.input(t, dim)
	}
	if c.Nulls() > 0 {
		v.ok = l.bits(c.Validity(), dim)
	}
	switch {
	case v.dict != nil:
		most := int64(v.dict.Len()) - 1
		v.span = func() (int64, int64, bool) { return 0, max(most, 0), true }
	case !dt.IsFloat():
		v.span = l.spanOf(c)
	}
	l.loaded[at] = v
	return v, nil
}

// expanded returns a byte for each bit.
func expanded(p par.Pool, b column.Bitmap) ([]byte, error) {
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

// packed1 returns a bit for each byte.
func packed1(p par.Pool, v []byte) (column.Bitmap, error) {
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
func (l *lowering) spanOf(c *column.Column) span {
	var least, most int64
	known, done := false, false
	return func() (int64, int64, bool) {
		if !done {
			least, most, known = rangeOf(l.pool, c)
			done = true
		}
		return least, most, known
	}
}

func rangeOf(p par.Pool, c *column.Column) (least, most int64, known bool) {
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

func widened[T number](least, most T) (int64, int64, bool) { return int64(least), int64(most), true }
