package parquet

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"github.com/anycl/anycl/frame/column"
)

// writeColumn writes the values of a row group.
func writeColumn(w *parquet.ColumnWriter, c *column.Column) error {
	value, err := valueOf(c)
	if err != nil {
		return err
	}
	var buf [128]parquet.Value // after which a page may end
	for from := 0; from < c.Len(); from += len(buf) {
		part := buf[:min(len(buf), c.Len()-from)]
		for i := range part {
			if c.IsNull(from + i) {
				part[i] = parquet.Value{}.Level(0, 0, 0)
			} else {
				part[i] = value(from+i).Level(0, 1, 0)
			}
		}
		if _, err := w.WriteRowValues(part); err != nil {
			return err
		}
	}
	return w.Close()
}

// valueOf returns a function for the values of a column that are not null.
func valueOf(c *column.Column) (func(i int) parquet.Value, error) {
	switch t := c.Type(); t.Kind {
	case column.Bool:
		return func(i int) parquet.Value { return parquet.BooleanValue(c.Bits().Get(i)) }, nil
	case column.Int8:
		return small[int8](c), nil
	case column.Int16:
		return small[int16](c), nil
	case column.Int32, column.Date32:
		return small[int32](c), nil
	case column.Uint8:
		return small[uint8](c), nil
	case column.Uint16:
		return small[uint16](c), nil
	case column.Uint32:
		return small[uint32](c), nil
	case column.Uint64:
		v := column.Values[uint64](c)
		return func(i int) parquet.Value { return parquet.Int64Value(int64(v[i])) }, nil
	case column.Int64, column.Timestamp, column.Duration:
		v := column.Values[int64](c)
		if t.Kind == column.Timestamp && t.Unit == column.Second {
			for i, s := range v {
				if s*1000/1000 != s && !c.IsNull(i) {
					return nil, fmt.Errorf("%d s is beyond what a timestamp in milliseconds holds", s)
				}
			}
			return func(i int) parquet.Value { return parquet.Int64Value(v[i] * 1000) }, nil
		}
		return func(i int) parquet.Value { return parquet.Int64Value(v[i]) }, nil
	case column.Float32:
		v := column.Values[float32](c)
		return func(i int) parquet.Value { return parquet.FloatValue(v[i]) }, nil
	case column.Float64:
		v := column.Values[float64](c)
		return func(i int) parquet.Value { return parquet.DoubleValue(v[i]) }, nil
	case column.Decimal128:
		v := column.Values[column.Decimal](c)
		return func(i int) parquet.Value {
			b := make([]byte, 16)
			binary.BigEndian.PutUint64(b, uint64(v[i].Hi))
			binary.BigEndian.PutUint64(b[8:], v[i].Lo)
			return parquet.FixedLenByteArrayValue(b)
		}, nil
	default:
		return func(i int) parquet.Value {
			s := c.Text(i)
			return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s)))
		}, nil
	}
}

func small[T int8 | int16 | int32 | uint8 | uint16 | uint32](c *column.Column) func(i int) parquet.Value {
	v := column.Values[T](c)
	return func(i int) parquet.Value { return parquet.Int32Value(int32(v[i])) }
}
