package column

import (
	"fmt"
	"time"

	"github.com/anycl/anycl/tensor"
)

// Kind is the family of a [Type].
type Kind uint8

// The kinds of columns.
const (
	Invalid Kind = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Date32     // days since 1970-01-01
	Timestamp  // units since 1970-01-01 00:00:00 UTC
	Duration   // units
	Decimal128 // an integer of 128 bits, divided by a power of ten
	String     // UTF-8 with offsets of 32 bits
	LargeString
	Dictionary // strings, each kept once
)

var kindNames = [...]string{"invalid", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"float32", "float64", "date32", "timestamp", "duration", "decimal128", "utf8", "large_utf8", "dictionary"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Unit is the unit of a timestamp or duration.
type Unit uint8

// Units of time.
const (
	Second Unit = iota
	Millisecond
	Microsecond
	Nanosecond
)

func (u Unit) String() string { return [...]string{"s", "ms", "us", "ns"}[u&3] }

// PerSecond returns how many units a second has.
func (u Unit) PerSecond() int64 { return [...]int64{1, 1e3, 1e6, 1e9}[u&3] }

// Duration returns one unit.
func (u Unit) Duration() time.Duration { return time.Second / time.Duration(u.PerSecond()) }

// Type is the type of a column's values. Types are compared with ==.
type Type struct {
	Kind      Kind
	Unit      Unit   // of Timestamp and Duration
	Zone      string // of Timestamp: an IANA name or an offset as +02:00; "" is a time without zone
	Precision uint8  // of Decimal128: decimal digits, 1 to 38
	Scale     int8   // of Decimal128: digits after the point
}

// Of returns the type of a kind that needs no parameters. Timestamps and durations are in nanoseconds and without zone,
// decimals have 38 digits and none after the point.
func (k Kind) Of() Type {
	switch k {
	case Timestamp, Duration:
		return Type{Kind: k, Unit: Nanosecond}
	case Decimal128:
		return Type{Kind: k, Precision: 38}
	}
	return Type{Kind: k}
}

// String returns Arrow's name of the type.
func (t Type) String() string {
	switch t.Kind {
	case Timestamp:
		if t.Zone != "" {
			return fmt.Sprintf("timestamp[%s, %s]", t.Unit, t.Zone)
		}
		return fmt.Sprintf("timestamp[%s]", t.Unit)
	case Duration:
		return fmt.Sprintf("duration[%s]", t.Unit)
	case Decimal128:
		return fmt.Sprintf("decimal128(%d, %d)", t.Precision, t.Scale)
	}
	return t.Kind.String()
}

// Width returns the bytes of a value, of a code for dictionaries, and 0 for bool and strings.
func (t Type) Width() int {
	switch t.Kind {
	case Int8, Uint8:
		return 1
	case Int16, Uint16:
		return 2
	case Int32, Uint32, Float32, Date32, Dictionary:
		return 4
	case Int64, Uint64, Float64, Timestamp, Duration:
		return 8
	case Decimal128:
		return 16
	}
	return 0
}

// IsString reports whether values are strings, in any of the three layouts.
func (t Type) IsString() bool { return t.Kind >= String && t.Kind <= Dictionary }

// IsFloat reports whether values are floating-point numbers.
func (t Type) IsFloat() bool { return t.Kind == Float32 || t.Kind == Float64 }

// IsInteger reports whether values are integers, with sign or without.
func (t Type) IsInteger() bool { return t.Kind >= Int8 && t.Kind <= Uint64 }

// IsUnsigned reports whether values are integers without sign.
func (t Type) IsUnsigned() bool { return t.Kind >= Uint8 && t.Kind <= Uint64 }

// IsNumeric reports whether values are integers or floating-point numbers.
func (t Type) IsNumeric() bool { return t.Kind >= Int8 && t.Kind <= Float64 }

// IsTemporal reports whether values are dates, timestamps or durations.
func (t Type) IsTemporal() bool { return t.Kind >= Date32 && t.Kind <= Duration }

// Check returns an error for a type that does not exist: a decimal of no or more than 38 digits, a zone that is unknown.
func (t Type) Check() error {
	switch {
	case t.Kind == Invalid || t.Kind > Dictionary:
		return fmt.Errorf("column: there is no type %s", t)
	case t.Unit > Nanosecond:
		return fmt.Errorf("column: there is no unit of time %d", uint8(t.Unit))
	case t.Kind == Decimal128 && (t.Precision < 1 || t.Precision > 38):
		return fmt.Errorf("column: a decimal has 1 to 38 digits, not %d", t.Precision)
	}
	if t.Kind == Timestamp {
		if _, err := t.Location(); err != nil {
			return err
		}
	}
	return nil
}

// DType returns the dtype of the tensor that holds the values: those of dates, timestamps and durations are integers,
// codes of a dictionary int32. Strings and decimals have none.
func (t Type) DType() (tensor.DType, bool) {
	switch t.Kind {
	case Bool:
		return tensor.Bool, true
	case Int8:
		return tensor.Int8, true
	case Int16:
		return tensor.Int16, true
	case Int32, Date32, Dictionary:
		return tensor.Int32, true
	case Int64, Timestamp, Duration:
		return tensor.Int64, true
	case Uint8:
		return tensor.Uint8, true
	case Uint16:
		return tensor.Uint16, true
	case Uint32:
		return tensor.Uint32, true
	case Uint64:
		return tensor.Uint64, true
	case Float32:
		return tensor.Float32, true
	case Float64:
		return tensor.Float64, true
	}
	return tensor.Invalid, false
}
