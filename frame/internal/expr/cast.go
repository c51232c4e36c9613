package expr

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/calendar"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/table"
)

// CastTo converts an expression. Strict says that a value which the type cannot hold is an error and not null.
func CastTo(x Bound, t column.Type, strict bool) (Bound, error) {
	if x.Type == t || x.Type.IsString() && t.IsString() && t.Kind != column.Dictionary && x.Type.Kind != column.Dictionary {
		return x, nil
	}
	if err := Castable(x.Type, t); err != nil {
		return x, err
	}
	if x.Constant {
		c, err := x.Eval(&Morsel{n: 1})
		if err != nil {
			return x, err
		}
		c, err = Cast(c, t, strict)
		return constant(c), err
	}
	return single(t, x, func(m *Morsel, a *column.Column) (*column.Column, error) { return castIn(m, a, t, strict) }).
		on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Cast(v[0], t, strict) }, x), nil
}

// Castable is an error if no value of one type can become one of the other.
func Castable(from, to column.Type) error {
	if err := to.Check(); err != nil {
		return err
	}
	plain := func(t column.Type) bool { return t.IsNumeric() || t.Kind == column.Bool }
	switch {
	case from.IsString() || to.IsString(), plain(from) && plain(to):
		return nil
	case from.Kind == column.Decimal128 && (to.IsNumeric() || to.Kind == column.Decimal128),
		to.Kind == column.Decimal128 && from.IsNumeric():
		return nil
	case from.IsTemporal() && to.IsInteger(), from.IsInteger() && to.IsTemporal():
		return nil
	case from.Kind == to.Kind, from.Kind == column.Date32 && to.Kind == column.Timestamp,
		from.Kind == column.Timestamp && to.Kind == column.Date32:
		return nil
	}
	return fmt.Errorf("%s cannot become %s", from, to)
}

// Cast converts a column.
func Cast(c *column.Column, t column.Type, strict bool) (*column.Column, error) {
	return castIn(&Morsel{n: c.Len()}, c, t, strict)
}

func castIn(m *Morsel, a *column.Column, t column.Type, strict bool) (*column.Column, error) {
	from := a.Type()
	if from == t {
		return a, nil
	}
	out, valid, err := converted(m, a, t)
	if err != nil {
		return nil, err
	}
	all := column.And(valid, a.Validity())
	if strict && !valid.IsNone() {
		for i := range a.Len() {
			if !a.IsNull(i) && !valid.Get(i) {
				return nil, fmt.Errorf("%s %q cannot be held by %s", from, table.Short(a.Format(i)), t)
			}
		}
	}
	return out.WithValidity(all)
}

// converted returns the values, and a bitmap of those that the type can hold, none if it can hold all.
func converted(m *Morsel, a *column.Column, t column.Type) (*column.Column, column.Bitmap, error) {
	from := a.Type()
	none := column.Bitmap{}
	switch {
	case t.IsString():
		if from.IsString() {
			if t.Kind == column.Dictionary {
				c, err := a.Encode()
				return c, none, err
			}
			return a.Plain(), none, nil
		}
		b := column.NewBuilder(t, a.Len())
		for i := range a.Len() {
			b.Text(a.Format(i))
		}
		return b.Finish(), none, nil
	case from.IsString():
		return parsed(a, t)
	case from.Kind == column.Decimal128 || t.Kind == column.Decimal128:
		return decimals(a, t)
	case t.Kind == column.Bool:
		out := m.bitmap(a.Len())
		i64, u64, f64 := KernelsFor(from).Widen(m, a)
		for i := range a.Len() {
			out.Set(i, i64 != nil && i64[i] != 0 || u64 != nil && u64[i] != 0 || f64 != nil && f64[i] != 0)
		}
		c, err := column.Bools(out, none)
		return c, none, err
	case from.Kind == column.Bool:
		v := scratch[int64](m, a.Len())
		for i := range v {
			v[i] = int64(bit(a.Bits().Get(i)))
		}
		c, valid := KernelsFor(t).narrow(m, t, v, nil, nil, none)
		return c, valid, nil
	case from.IsTemporal() && t.IsTemporal():
		return retimed(m, a, t)
	}
	i, u, f := KernelsFor(from).Widen(m, a)
	c, valid := KernelsFor(t).narrow(m, t, i, u, f, a.Validity())
	return c, valid, nil
}

// widenOf returns values as the widest type of their family.
func widenOf[T Number](m *Morsel, a *column.Column) (i []int64, u []uint64, f []float64) {
	x := column.Values[T](a)
	n := len(x)
	switch v := any(x).(type) {
	case []int64:
		return v[:n:n], nil, nil
	case []uint64:
		return nil, v, nil
	case []float64:
		return nil, nil, v
	}
	if isFloat[T]() {
		f = scratch[float64](m, n)
		for k, v := range x {
			f[k] = float64(v)
		}
		return nil, nil, nonNil(f)
	}
	i = scratch[int64](m, n)
	for k, v := range x {
		i[k] = int64(v)
	}
	return nonNil(i), nil, nil
}

func nonNil[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// narrowOf converts wide values; the bitmap has a 0 where T does not hold one.
func narrowOf[T Number](m *Morsel, t column.Type, i []int64, u []uint64, f []float64, valid column.Bitmap) (*column.Column, column.Bitmap) {
	n := max(len(i), len(u), len(f))
	out := scratch[T](m, n)
	lost := false
	var is column.Bitmap
	lose := func(k int) {
		if !lost {
			lost, is = true, m.bitmap(n)
			is.Fill()
		}
		is.Set(k, false)
	}
	switch {
	case f != nil && isFloat[T]():
		for k, v := range f {
			out[k] = T(v)
		}
	case f != nil:
		low, high := bounds[T]()
		for k, v := range f {
			if v = math.Trunc(v); v >= low && v < high {
				out[k] = T(v)
			} else if out[k] = 0; valid.IsNone() || valid.Get(k) {
				lose(k)
			}
		}
	case i != nil:
		for k, v := range i {
			out[k] = T(v)
		}
		if !isFloat[T]() {
			for k, v := range i {
				if (int64(out[k]) != v || out[k] < 0 != (v < 0)) && (valid.IsNone() || valid.Get(k)) {
					lose(k)
				}
			}
		}
	default:
		for k, v := range u {
			out[k] = T(v)
		}
		if !isFloat[T]() {
			for k, v := range u {
				if (uint64(out[k]) != v || out[k] < 0) && (valid.IsNone() || valid.Get(k)) {
					lose(k)
				}
			}
		}
	}
	return column.FixedOf(t, out, column.Bitmap{}), is
}

// bounds returns the least value of an integer type, and the power of two above its greatest.
func bounds[T Number]() (low, high float64) {
	var z T
	bits := 8
	switch any(z).(type) {
	case int16, uint16:
		bits = 16
	case int32, uint32:
		bits = 32
	case int64, uint64:
		bits = 64
	}
	if z-1 > 0 {
		return 0, math.Ldexp(1, bits)
	}
	return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
}

// parsed reads values from strings.
func parsed(a *column.Column, t column.Type) (*column.Column, column.Bitmap, error) {
	loc, err := t.Location()
	if err != nil {
		return nil, column.Bitmap{}, err
	}
	b := column.NewBuilder(t, a.Len())
	valid := column.NewBitmap(a.Len())
	valid.Fill()
	lost := false
	for i := range a.Len() {
		if a.IsNull(i) || !parseInto(b, t, a.Text(i), loc) {
			lost = lost || !a.IsNull(i)
			valid.Set(i, a.IsNull(i))
			b.Null()
		}
	}
	if !lost {
		valid = column.Bitmap{}
	}
	c := b.Finish()
	c, err = c.WithValidity(column.Bitmap{})
	return c, valid, err
}

func parseInto(b *column.Builder, t column.Type, s string, loc *time.Location) bool {
	s = strings.TrimSpace(s)
	switch {
	case t.Kind == column.Bool:
		switch strings.ToLower(s) {
		case "true", "t", "1":
			b.Bool(true)
		case "false", "f", "0":
			b.Bool(false)
		default:
			return false
		}
		return true
	case t.IsUnsigned():
		v, err := strconv.ParseUint(s, 10, 8*t.Width())
		if err != nil {
			return false
		}
		b.Int(int64(v))
		return true
	case t.IsInteger():
		v, err := strconv.ParseInt(s, 10, 8*t.Width())
		if err != nil {
			return false
		}
		b.Int(v)
		return true
	case t.IsFloat():
		v, err := strconv.ParseFloat(s, 8*t.Width())
		if err != nil && !math.IsInf(v, 0) {
			return false
		}
		b.Float(v)
		return true
	case t.Kind == column.Date32:
		v, err := time.Parse(time.DateOnly, s)
		if err != nil {
			return false
		}
		b.Int(v.Unix() / 86400)
		return true
	case t.Kind == column.Timestamp:
		v, ok := parseTime(s, loc)
		if !ok {
			return false
		}
		per := t.Unit.PerSecond()
		if sec := v.Unix(); sec >= math.MaxInt64/per || sec <= math.MinInt64/per {
			return false
		}
		b.Int(v.Unix()*per + int64(v.Nanosecond())/int64(t.Unit.Duration()))
		return true
	case t.Kind == column.Duration:
		v, err := time.ParseDuration(s)
		if err != nil {
			return false
		}
		b.Int(int64(v / t.Unit.Duration()))
		return true
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || len(s) > 100 || strings.ContainsAny(s, "eE/xXpP_") {
		return false
	}
	d, ok := scaled(r, int(t.Scale), int(t.Precision))
	if ok {
		b.Decimal(d)
	}
	return ok
}

func parseTime(s string, loc *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if v, err := time.ParseInLocation(layout, s, loc); err == nil {
			return v, true
		}
	}
	return time.Time{}, false
}

// scaled returns a number as a decimal of some digits after the point, rounded half away from 0.
func scaled(r *big.Rat, scale, precision int) (column.Decimal, bool) {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
	if scale >= 0 {
		r = new(big.Rat).Mul(r, new(big.Rat).SetInt(ten))
	} else {
		r = new(big.Rat).Quo(r, new(big.Rat).SetInt(ten))
	}
	num, den := new(big.Int).Mul(r.Num(), big.NewInt(2)), r.Denom()
	if num.Sign() >= 0 {
		num.Add(num, den)
	} else {
		num.Sub(num, den)
	}
	q := new(big.Int).Quo(num, new(big.Int).Mul(den, big.NewInt(2)))
	if new(big.Int).Abs(q).Cmp(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)) >= 0 {
		return column.Decimal{}, false
	}
	return decimalOf(q), true
}

func decimalOf(q *big.Int) column.Decimal {
	low := new(big.Int).And(q, new(big.Int).SetUint64(math.MaxUint64))
	return column.Decimal{Lo: low.Uint64(), Hi: new(big.Int).Rsh(q, 64).Int64()}
}

// decimals converts from or to decimals.
func decimals(a *column.Column, t column.Type) (*column.Column, column.Bitmap, error) {
	from := a.Type()
	if t.IsFloat() {
		b := column.NewBuilder(t, a.Len())
		for _, d := range column.Values[column.Decimal](a) {
			b.Float(d.Float(int(from.Scale)))
		}
		return b.Finish(), column.Bitmap{}, nil
	}
	valid := column.NewBitmap(a.Len())
	b := column.NewBuilder(t, a.Len())
	for i := range a.Len() {
		ok := false
		if !a.IsNull(i) {
			r, known := new(big.Rat).SetString(a.Format(i))
			if known {
				if t.Kind != column.Decimal128 {
					q := new(big.Int).Quo(r.Num(), r.Denom())
					ok = parseInto(b, t, q.String(), time.UTC)
				} else if d, fits := scaled(r, int(t.Scale), int(t.Precision)); fits {
					b.Decimal(d)
					ok = true
				}
			}
		} else {
			valid.Set(i, true)
		}
		if ok {
			valid.Set(i, true)
		} else {
			b.Null()
		}
	}
	c, err := b.Finish().WithValidity(column.Bitmap{})
	return c, valid, err
}

// retimed converts between dates, timestamps and units.
func retimed(m *Morsel, a *column.Column, t column.Type) (*column.Column, column.Bitmap, error) {
	from := a.Type()
	i, _, _ := KernelsFor(from).Widen(m, a)
	out := scratch[int64](m, len(i))
	valid := m.bitmap(len(i))
	valid.Fill()
	switch {
	case from.Kind == column.Date32 && t.Kind == column.Timestamp:
		loc, err := t.Location()
		if err != nil {
			return nil, valid, err
		}
		for k, v := range i {
			s := v * 86400
			if loc != time.UTC {
				day := time.Unix(s, 0).UTC()
				s = time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, loc).Unix()
			}
			var ok bool
			out[k], ok = multiplied(s, t.Unit.PerSecond())
			valid.Set(k, ok)
		}
	case t.Kind == column.Date32:
		zone, err := calendar.ZoneOf(from)
		if err != nil {
			return nil, valid, err
		}
		for k, v := range i {
			out[k] = calendar.FloorDiv(zone.Local(calendar.FloorDiv(v, from.Unit.PerSecond())), 86400)
		}
		c, lost := KernelsFor(t).narrow(m, t, out, nil, nil, a.Validity())
		return c, lost, nil
	default:
		p, q := t.Unit.PerSecond(), from.Unit.PerSecond()
		for k, v := range i {
			ok := true
			if p >= q {
				v, ok = multiplied(v, p/q)
			} else {
				v = calendar.FloorDiv(v, q/p)
			}
			out[k] = v
			valid.Set(k, ok)
		}
	}
	return column.FixedOf(t, out, column.Bitmap{}), valid, nil
}

func multiplied(v, by int64) (int64, bool) {
	p := v * by
	return p, v == 0 || p/v == by && (v != -1 || by != math.MinInt64)
}

// Integers returns the integers behind a column of dates, timestamps, durations or numbers other than floats.
func Integers(c *column.Column) (*column.Column, error) {
	t := c.Type()
	switch {
	case t.Kind == column.Timestamp || t.Kind == column.Duration || t.Kind == column.Uint64: // of which differences are right
		return c.WithType(column.Int64.Of())
	case t.Kind == column.Date32:
		var err error
		if c, err = c.WithType(column.Int32.Of()); err != nil {
			return nil, err
		}
	}
	return Cast(c, column.Int64.Of(), true)
}
