package column

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"time"
)

// Value returns value i as a Go value, nil for a null: bool, int8 to uint64, float32, float64, string, [Decimal],
// time.Time for dates and timestamps, time.Duration for durations that it can hold and else their int64.
func (c *Column) Value(i int) any {
	if c.IsNull(i) {
		return nil
	}
	switch c.typ.Kind {
	case Bool:
		return c.bits.Get(i)
	case Int8:
		return cast[int8](c.data)[i]
	case Int16:
		return cast[int16](c.data)[i]
	case Int32:
		return cast[int32](c.data)[i]
	case Int64:
		return cast[int64](c.data)[i]
	case Uint8:
		return c.data[i]
	case Uint16:
		return cast[uint16](c.data)[i]
	case Uint32:
		return cast[uint32](c.data)[i]
	case Uint64:
		return cast[uint64](c.data)[i]
	case Float32:
		return cast[float32](c.data)[i]
	case Float64:
		return cast[float64](c.data)[i]
	case Decimal128:
		return cast[Decimal](c.data)[i]
	case Date32:
		return time.Unix(int64(cast[int32](c.data)[i])*86400, 0).UTC()
	case Timestamp:
		return c.typ.Time(cast[int64](c.data)[i])
	case Duration:
		v, u := cast[int64](c.data)[i], int64(c.typ.Unit.Duration())
		if v > math.MaxInt64/u || v < math.MinInt64/u {
			return v
		}
		return time.Duration(v * u)
	default:
		return c.Text(i)
	}
}

// Time returns the time of a timestamp's value, in its zone, or in UTC where the zone is unknown.
func (t Type) Time(v int64) time.Time {
	per := t.Unit.PerSecond()
	s, rest := v/per, v%per
	if rest < 0 {
		s, rest = s-1, rest+per
	}
	u := time.Unix(s, rest*int64(t.Unit.Duration()))
	if loc, err := t.Location(); err == nil {
		return u.In(loc)
	}
	return u.UTC()
}

// Format returns value i as text, "null" for a null.
func (c *Column) Format(i int) string {
	switch v := c.Value(i).(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return v
	case Decimal:
		return v.Format(int(c.typ.Scale))
	case time.Duration:
		return v.String()
	case time.Time:
		switch {
		case c.typ.Kind == Date32:
			return v.Format("2006-01-02")
		case c.typ.Zone == "":
			return v.Format("2006-01-02T15:04:05.999999999")
		}
		return v.Format(time.RFC3339Nano)
	default:
		if c.typ.Kind == Uint64 {
			return strconv.FormatUint(cast[uint64](c.data)[i], 10)
		}
		return strconv.FormatInt(c.int(i), 10)
	}
}

// int returns an integer of fixed width.
func (c *Column) int(i int) int64 {
	switch c.typ.Kind {
	case Int8:
		return int64(cast[int8](c.data)[i])
	case Int16:
		return int64(cast[int16](c.data)[i])
	case Uint8:
		return int64(c.data[i])
	case Uint16:
		return int64(cast[uint16](c.data)[i])
	case Uint32:
		return int64(cast[uint32](c.data)[i])
	case Int32, Date32, Dictionary:
		return int64(cast[int32](c.data)[i])
	}
	return cast[int64](c.data)[i]
}

// Big returns the integer of a decimal.
func (d Decimal) Big() *big.Int {
	b := new(big.Int).Lsh(big.NewInt(d.Hi), 64)
	return b.Add(b, new(big.Int).SetUint64(d.Lo))
}

// Float returns the decimal of the scale as a number.
func (d Decimal) Float(scale int) float64 {
	f := float64(d.Hi)*0x1p64 + float64(d.Lo)
	if d.Hi == int64(d.Lo)>>63 {
		f = float64(int64(d.Lo))
	}
	return f / math.Pow10(scale)
}

// Format returns the decimal with scale digits after the point.
func (d Decimal) Format(scale int) string {
	s := d.Big().String()
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	if scale <= 0 {
		if s != "0" {
			s += string(bytes.Repeat([]byte("0"), -scale))
		}
		return sign + s
	}
	for len(s) <= scale {
		s = "0" + s
	}
	return sign + s[:len(s)-scale] + "." + s[len(s)-scale:]
}

// Equal reports whether two columns have equal types, nulls and values. NaN is equal to NaN, 0 differs from -0, and strings are equal in
// any layout.
func Equal(a, b *Column) bool {
	if a.n != b.n || a.nulls != b.nulls || a.typ != b.typ && !(a.typ.IsString() && b.typ.IsString()) {
		return false
	}
	w := a.typ.Width()
	for i := range a.n {
		null := a.IsNull(i)
		if null != b.IsNull(i) {
			return false
		}
		if null {
			continue
		}
		switch {
		case a.typ.IsString():
			if a.Text(i) != b.Text(i) {
				return false
			}
		case a.typ.Kind == Bool:
			if a.bits.Get(i) != b.bits.Get(i) {
				return false
			}
		case a.typ.IsFloat():
			x, y := a.float(i), b.float(i)
			if math.Float64bits(x) != math.Float64bits(y) && !(x != x && y != y) {
				return false
			}
		default:
			if !bytes.Equal(a.data[i*w:(i+1)*w], b.data[i*w:(i+1)*w]) {
				return false
			}
		}
	}
	return true
}

func (c *Column) float(i int) float64 {
	if c.typ.Kind == Float32 {
		return float64(cast[float32](c.data)[i])
	}
	return cast[float64](c.data)[i]
}
