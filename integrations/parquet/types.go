package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/anycl/anycl/frame/column"
)

// typeOf returns the type of the column that a leaf becomes, with plain strings.
func typeOf(c *parquet.Column, o Options) (column.Type, error) {
	if !c.Leaf() {
		return column.Type{}, fmt.Errorf("columns within columns are not read (%s)", kindOf(c))
	}
	if c.Repeated() {
		return column.Type{}, fmt.Errorf("lists are not read")
	}
	t := c.Type()
	kind := t.Kind()
	refuse := fmt.Errorf("%s is not read", t)
	if l := t.LogicalType(); l != nil && l.Value != nil {
		return logical(l.Value, kind, t.Length(), refuse)
	}
	if ct := t.ConvertedType(); ct != nil {
		switch *ct {
		case deprecated.UTF8, deprecated.Enum, deprecated.Json:
			return column.String.Of(), nil
		case deprecated.TimeMillis, deprecated.TimeMicros, deprecated.Bson, deprecated.Interval, deprecated.Map, deprecated.List,
			deprecated.MapKeyValue:
			return column.Type{}, refuse
		}
	}
	switch kind {
	case parquet.Boolean:
		return column.Bool.Of(), nil
	case parquet.Int32:
		return column.Int32.Of(), nil
	case parquet.Int64:
		return column.Int64.Of(), nil
	case parquet.Int96:
		return column.Timestamp.Of(), nil
	case parquet.Float:
		return column.Float32.Of(), nil
	case parquet.Double:
		return column.Float64.Of(), nil
	case parquet.ByteArray:
		if o.BinaryAsString {
			return column.String.Of(), nil
		}
		return column.Type{}, fmt.Errorf("binary data are not read (Options.BinaryAsString takes them for strings)")
	}
	return column.Type{}, refuse
}

func kindOf(c *parquet.Column) string {
	if l := c.Type().LogicalType(); l != nil && l.Value != nil {
		return l.String()
	}
	return "group"
}

func logical(v format.LogicalTypeValue, kind parquet.Kind, length int, refuse error) (column.Type, error) {
	switch l := v.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		if kind == parquet.ByteArray {
			return column.String.Of(), nil
		}
	case *format.DateType:
		if kind == parquet.Int32 {
			return column.Date32.Of(), nil
		}
	case *format.Float16Type:
		if kind == parquet.FixedLenByteArray && length == 2 {
			return column.Float32.Of(), nil
		}
	case *format.DecimalType:
		t := column.Type{Kind: column.Decimal128, Precision: uint8(l.Precision), Scale: int8(l.Scale)}
		if l.Precision > 38 || l.Scale > 38 || l.Scale < 0 {
			return t, fmt.Errorf("%w: more than 38 digits", refuse)
		}
		if kind == parquet.FixedLenByteArray && length > 16 || kind == parquet.Float || kind == parquet.Double || kind == parquet.Boolean ||
			kind == parquet.Int96 {
			return t, refuse
		}
		return t, t.Check()
	case *format.TimestampType:
		if kind != parquet.Int64 {
			return column.Type{}, refuse
		}
		t := column.Type{Kind: column.Timestamp}
		switch l.Unit.Value.(type) {
		case *format.MilliSeconds:
			t.Unit = column.Millisecond
		case *format.MicroSeconds:
			t.Unit = column.Microsecond
		case *format.NanoSeconds:
			t.Unit = column.Nanosecond
		default:
			return t, refuse
		}
		if l.IsAdjustedToUTC {
			t.Zone = "UTC"
		}
		return t, nil
	case *format.IntType:
		k, ok := map[int8]column.Kind{8: column.Int8, 16: column.Int16, 32: column.Int32, 64: column.Int64}[l.BitWidth]
		if ok && (kind == parquet.Int32 && l.BitWidth <= 32 || kind == parquet.Int64 && l.BitWidth == 64) {
			if !l.IsSigned {
				k += column.Uint8 - column.Int8
			}
			return k.Of(), nil
		}
	}
	return column.Type{}, refuse
}

// restored is the type that a note in the file's metadata gives a column whose type Parquet does not have; false if they do not fit.
func restored(noted note, stored column.Type) (column.Type, bool) {
	t := column.Type{Kind: stored.Kind, Unit: noted.Unit, Zone: noted.Zone}
	switch {
	case noted.Kind == "duration" && stored.Kind == column.Int64:
		t.Kind = column.Duration
	case noted.Kind == "timestamp" && stored.Kind == column.Timestamp:
		if noted.Unit != stored.Unit && (noted.Unit != column.Second || stored.Unit != column.Millisecond) {
			return t, false
		}
	default:
		return t, false
	}
	return t, t.Check() == nil
}

// note is a type that Parquet does not have.
type note struct {
	Kind string
	Unit column.Unit
	Zone string
}

// notes is the key of the notes, a JSON object by columns, in the file's metadata.
const notes = "anycl:types"
