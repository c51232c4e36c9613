package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

var units = map[arrow.TimeUnit]column.Unit{
	arrow.Second: column.Second, arrow.Millisecond: column.Millisecond, arrow.Microsecond: column.Microsecond,
	arrow.Nanosecond: column.Nanosecond,
}

var kinds = map[arrow.Type]column.Kind{
	arrow.BOOL: column.Bool, arrow.INT8: column.Int8, arrow.INT16: column.Int16, arrow.INT32: column.Int32, arrow.INT64: column.Int64,
	arrow.UINT8: column.Uint8, arrow.UINT16: column.Uint16, arrow.UINT32: column.Uint32, arrow.UINT64: column.Uint64,
	arrow.FLOAT16: column.Float32, arrow.FLOAT32: column.Float32, arrow.FLOAT64: column.Float64,
	arrow.DATE32: column.Date32, arrow.DATE64: column.Date32,
	arrow.STRING: column.String, arrow.LARGE_STRING: column.LargeString, arrow.STRING_VIEW: column.String, arrow.NULL: column.String,
}

// TypeOf returns the type of the column that an array of a type becomes. Errors: types that columns do not have.
func TypeOf(t arrow.DataType) (column.Type, error) {
	switch t := t.(type) {
	case *arrow.TimestampType:
		c := column.Type{Kind: column.Timestamp, Unit: units[t.Unit], Zone: t.TimeZone}
		return c, c.Check()
	case *arrow.DurationType:
		return column.Type{Kind: column.Duration, Unit: units[t.Unit]}, nil
	case *arrow.DictionaryType:
		v, err := TypeOf(t.ValueType)
		if err == nil && v.IsString() {
			return column.Dictionary.Of(), nil
		}
		return v, err
	case arrow.ExtensionType:
		return TypeOf(t.StorageType())
	case arrow.DecimalType:
		if t.ID() == arrow.DECIMAL256 {
			break
		}
		c := column.Type{Kind: column.Decimal128, Precision: uint8(t.GetPrecision()), Scale: int8(t.GetScale())}
		return c, c.Check()
	}
	if k, ok := kinds[t.ID()]; ok {
		return k.Of(), nil
	}
	return column.Type{}, fmt.Errorf("arrow: a column cannot be %s", t)
}

// DataType returns Arrow's type of a column's type: dictionaries have int32 codes and plain strings.
func DataType(t column.Type) arrow.DataType {
	switch t.Kind {
	case column.Bool:
		return arrow.FixedWidthTypes.Boolean
	case column.Int8:
		return arrow.PrimitiveTypes.Int8
	case column.Int16:
		return arrow.PrimitiveTypes.Int16
	case column.Int32:
		return arrow.PrimitiveTypes.Int32
	case column.Int64:
		return arrow.PrimitiveTypes.Int64
	case column.Uint8:
		return arrow.PrimitiveTypes.Uint8
	case column.Uint16:
		return arrow.PrimitiveTypes.Uint16
	case column.Uint32:
		return arrow.PrimitiveTypes.Uint32
	case column.Uint64:
		return arrow.PrimitiveTypes.Uint64
	case column.Float32:
		return arrow.PrimitiveTypes.Float32
	case column.Float64:
		return arrow.PrimitiveTypes.Float64
	case column.Date32:
		return arrow.FixedWidthTypes.Date32
	case column.Timestamp:
		return &arrow.TimestampType{Unit: timeUnit(t.Unit), TimeZone: t.Zone}
	case column.Duration:
		return &arrow.DurationType{Unit: timeUnit(t.Unit)}
	case column.Decimal128:
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
	case column.String:
		return arrow.BinaryTypes.String
	case column.LargeString:
		return arrow.BinaryTypes.LargeString
	case column.Dictionary:
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	}
	return arrow.Null
}

func timeUnit(u column.Unit) arrow.TimeUnit {
	for a, c := range units {
		if c == u {
			return a
		}
	}
	return arrow.Nanosecond
}

// Schema returns Arrow's schema of fields, all of which may be null.
func Schema(fields []frame.Field) *arrow.Schema {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		out[i] = arrow.Field{Name: f.Name, Type: DataType(f.Type), Nullable: true}
	}
	return arrow.NewSchema(out, nil)
}

// Fields returns names and types of the columns that a schema's arrays become. Errors: types that columns do not have, each with its name.
func Fields(s *arrow.Schema) ([]frame.Field, error) {
	var out []frame.Field
	for _, f := range s.Fields() {
		t, err := TypeOf(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		out = append(out, frame.Field{Name: f.Name, Type: t})
	}
	return out, nil
}
