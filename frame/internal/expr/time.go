package expr

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/calendar"
	"github.com/anycl/anycl/frame/internal/lower"
)

func isTime(n *Node) bool {
	switch Bare(n).Value.(type) {
	case time.Time, time.Duration:
		return true
	}
	return false
}

func timeHint(op string, t column.Type) column.Type {
	if op == "sub" || t.Kind == column.Duration {
		return t
	}
	return column.Type{}
}

// timeArithmetic combines times and durations.
func timeArithmetic(op string, x, y Bound) (Bound, error) {
	a, b := x.Type, y.Type
	var t column.Type
	switch {
	case a.Kind == column.Date32 && b.Kind == column.Date32 && op == "sub":
		return binary(column.Type{Kind: column.Duration}, x, y, func(m *Morsel, p, q *column.Column) (*column.Column, error) {
			p, err := castIn(m, p, column.Int64.Of(), true)
			if err != nil {
				return nil, err
			}
			q, err = castIn(m, q, column.Int64.Of(), true)
			if err != nil {
				return nil, err
			}
			days := arithOf[int64](m, "sub", column.Int64.Of(), p, q)
			return arithOf[int64](m, "mul", column.Type{Kind: column.Duration}, days, column.Of([]int64{86400})), nil
		}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.DaysBetween(v[0], v[1]), nil }, x, y), nil
	case isInstant(a) && isInstant(b) && op == "sub":
		u, err := Unify(a, b)
		if err != nil {
			return x, err
		}
		a, b = u, u
		t = column.Type{Kind: column.Duration, Unit: u.Unit}
	case isInstant(a) && b.Kind == column.Duration && (op == "add" || op == "sub"):
		a, b = withUnit(a, b)
		t = a
	case a.Kind == column.Duration && isInstant(b) && op == "add":
		b, a = withUnit(b, a)
		t = b
	case a.Kind == column.Duration && b.Kind == column.Duration:
		u, _ := Unify(a, b)
		a, b, t = u, u, u
		switch op {
		case "div":
			a, b, t = column.Int64.Of(), column.Int64.Of(), column.Float64.Of()
		case "intdiv":
			t = column.Int64.Of()
		case "mul", "pow":
			return x, fmt.Errorf("%s and %s have no %s", a, b, op)
		}
		var err error
		if x, err = CastTo(x, u, true); err == nil {
			y, err = CastTo(y, u, true)
		}
		if err != nil {
			return x, err
		}
		if op == "div" {
			a, b = column.Float64.Of(), column.Float64.Of()
			if x, err = CastTo(x, column.Int64.Of(), true); err == nil {
				y, err = CastTo(y, column.Int64.Of(), true)
			}
			if err != nil {
				return x, err
			}
		}
	case a.Kind == column.Duration && b.IsInteger() && (op == "mul" || op == "intdiv"):
		b, t = column.Int64.Of(), a
	case a.IsInteger() && b.Kind == column.Duration && op == "mul":
		a, t = column.Int64.Of(), b
	default:
		return x, fmt.Errorf("%s and %s have no %s", a, b, op)
	}
	x, err := CastTo(x, a, true)
	if err != nil {
		return x, err
	}
	if y, err = CastTo(y, b, true); err != nil {
		return y, err
	}
	k := KernelsFor(t)
	return binary(t, x, y, func(m *Morsel, p, q *column.Column) (*column.Column, error) { return k.arith(m, op, t, p, q), nil }).
		on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Arith(op, t, v[0], v[1]), nil }, x, y), nil
}

func isInstant(t column.Type) bool { return t.Kind == column.Date32 || t.Kind == column.Timestamp }

// withUnit returns the types in which an instant and a duration are added: a date becomes a timestamp.
func withUnit(at, d column.Type) (column.Type, column.Type) {
	if at.Kind == column.Date32 {
		at = column.Type{Kind: column.Timestamp, Unit: d.Unit}
	}
	at.Unit = max(at.Unit, d.Unit)
	d.Unit = at.Unit
	return at, d
}

// temporal binds parts of dates and times.
func (b *Binder) temporal(n *Node) (Bound, error) {
	x, err := b.Bind(n.Args[0])
	if err != nil {
		return x, err
	}
	t := x.Type
	if n.Op == "epoch" {
		if !t.IsTemporal() {
			return x, fmt.Errorf("%s is no time", t)
		}
		return CastTo(x, column.Int64.Of(), true)
	}
	if !isInstant(t) {
		return x, fmt.Errorf("%s is no date or timestamp", t)
	}
	if _, err := calendar.ZoneOf(t); err != nil {
		return x, err
	}
	period, _ := n.Value.(string)
	if n.Op == "truncate" {
		switch period {
		case "year", "quarter", "month", "week", "day":
		case "hour", "minute", "second":
			if t.Kind == column.Date32 {
				return x, fmt.Errorf("a date has no %s", period)
			}
		default:
			return x, fmt.Errorf("there is no period %q", period)
		}
		return single(t, x, func(m *Morsel, a *column.Column) (*column.Column, error) { return truncated(m, a, period) }).
			on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Truncate(v[0], period) }, x), nil
	}
	result := column.Int32.Of()
	return single(result, x, func(m *Morsel, a *column.Column) (*column.Column, error) {
		v, _, _ := KernelsFor(t).Widen(m, a)
		out := scratch[int32](m, len(v))
		z, err := calendar.ZoneOf(t)
		if err != nil {
			return nil, err
		}
		per := int64(1)
		if t.Kind == column.Timestamp {
			per = t.Unit.PerSecond()
		}
		for i, at := range v {
			days, second := at, int64(0)
			if t.Kind == column.Timestamp {
				s := z.Local(calendar.FloorDiv(at, per))
				days = calendar.FloorDiv(s, 86400)
				second = s - days*86400
			}
			out[i] = timePart(n.Op, days, second)
		}
		return column.FixedOf(result, out, a.Validity()), nil
	}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.TimePart(n.Op, v[0]) }, x), nil
}

func timePart(op string, days, second int64) int32 {
	switch op {
	case "hour":
		return int32(second / 3600)
	case "minute":
		return int32(second / 60 % 60)
	case "second":
		return int32(second % 60)
	case "weekday":
		return int32((days+3)-calendar.FloorDiv(days+3, 7)*7) + 1
	}
	y, m, d := calendar.Civil(days)
	switch op {
	case "year":
		return int32(y)
	case "month":
		return int32(m)
	case "quarter":
		return int32(m+2) / 3
	case "yearday":
		return int32(days-calendar.DayOf(y, 1, 1)) + 1
	}
	return int32(d)
}

// truncated returns the beginnings of periods.
func truncated(m *Morsel, a *column.Column, period string) (*column.Column, error) {
	t := a.Type()
	v, _, _ := KernelsFor(t).Widen(m, a)
	if t.Kind == column.Date32 {
		out := scratch[int32](m, len(v))
		for i, d := range v {
			out[i] = int32(calendar.FirstDay(d, period))
		}
		return column.FixedOf(t, out, a.Validity()), nil
	}
	z, err := calendar.ZoneOf(t)
	if err != nil {
		return nil, err
	}
	per := t.Unit.PerSecond()
	out := scratch[int64](m, len(v))
	for i, at := range v {
		s := calendar.FloorDiv(at, per)
		local := z.Local(s)
		switch period {
		case "second":
		case "minute":
			s -= local - calendar.FloorDiv(local, 60)*60
		case "hour":
			s -= local - calendar.FloorDiv(local, 3600)*3600
		default:
			day := calendar.FirstDay(calendar.FloorDiv(local, 86400), period)
			s = day * 86400
			if z.Location != nil { // midnight may have had another offset
				y, mo, d := calendar.Civil(day)
				s = time.Date(int(y), time.Month(mo), d, 0, 0, 0, 0, z.Location).Unix()
			}
		}
		hi, _ := bits.Mul64(uint64(max(s, -s)), uint64(per))
		if hi != 0 {
			return nil, fmt.Errorf("%s does not reach the beginning of the %s", t, period)
		}
		out[i] = s * per
	}
	return column.FixedOf(t, out, a.Validity()), nil
}
