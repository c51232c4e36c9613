package lower

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/calendar"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// DaysBetween is the difference of two dates, in seconds.
func (l *Graph) DaysBetween(a, b Value) Value {
	days := ops.Sub(ops.Cast(a.X, tensor.Int64), ops.Cast(b.X, tensor.Int64))
	v := Value{Type: column.Type{Kind: column.Duration}, X: ops.Mul(days, 86400), OK: Both(a.OK, b.OK), Number: true}
	v.Span = spanned2(Value{Span: spanned2(a, b, subSpans)}, Value{Span: between(86400, 86400)}, mulSpans)
	return v
}

// clock returns days since 1970 and seconds of the day. The seconds of a date are nil.
func (l *Graph) clock(a Value) (days, second *ops.Node, span span, err error) {
	x := ops.Cast(a.X, tensor.Int64)
	if a.Type.Kind == column.Date32 {
		return x, nil, a.Span, nil
	}
	if z, err := calendar.ZoneOf(a.Type); err != nil || z.Location != nil {
		return nil, nil, nil, fmt.Errorf("the clock of %s has no form as ops", a.Type)
	}
	if per := a.Type.Unit.PerSecond(); per > 1 {
		x = ops.FloorDivide(x, per)
	}
	by := 86400 * a.Type.Unit.PerSecond()
	days = ops.FloorDivide(x, 86400)
	return days, ops.Sub(x, ops.Mul(days, 86400)), spanned1(a, func(v int64) int64 { return calendar.FloorDiv(v, by) }), nil
}

// date is [calendar.Civil] as ops.
func date(days *ops.Node) (year, month, day *ops.Node) {
	z := ops.Add(days, 719468)
	era := ops.FloorDivide(z, 146097)
	doe := ops.Sub(z, ops.Mul(era, 146097))
	by := func(x *ops.Node, d int) *ops.Node { return ops.TruncDivide(x, d) } // of values that are not negative
	yoe := by(ops.Sub(ops.Add(ops.Sub(doe, by(doe, 1460)), by(doe, 36524)), by(doe, 146096)), 365)
	doy := ops.Sub(doe, ops.Sub(ops.Add(ops.Mul(yoe, 365), by(yoe, 4)), by(yoe, 100)))
	mp := by(ops.Add(ops.Mul(doy, 5), 2), 153)
	day = ops.Add(ops.Sub(doy, by(ops.Add(ops.Mul(mp, 153), 2), 5)), 1)
	late := ops.Greater(mp, 9)
	month = ops.Where(late, ops.Sub(mp, 9), ops.Add(mp, 3))
	year = ops.Add(ops.Add(yoe, ops.Mul(era, 400)), ops.Cast(late, tensor.Int64))
	return year, month, day
}

// dayNode is [calendar.DayOf] as ops, for the first day of a month.
func dayNode(year, month *ops.Node) *ops.Node {
	early := ops.LessEqual(month, 2)
	year = ops.Sub(year, ops.Cast(early, tensor.Int64))
	month = ops.Where(early, ops.Add(month, 9), ops.Sub(month, 3))
	era := ops.FloorDivide(year, 400)
	yoe := ops.Sub(year, ops.Mul(era, 400))
	doy := ops.TruncDivide(ops.Add(ops.Mul(month, 153), 2), 5)
	days := ops.Sub(ops.Add(ops.Mul(yoe, 365), ops.TruncDivide(yoe, 4)), ops.TruncDivide(yoe, 100))
	return ops.Sub(ops.Add(ops.Add(ops.Mul(era, 146097), days), doy), 719468)
}

// TimePart is a part of a date or time.
func (l *Graph) TimePart(op string, a Value) (Value, error) {
	days, second, span, err := l.clock(a)
	if err != nil {
		return a, err
	}
	if second == nil {
		second = l.Ops.Zeros(tensor.Int64)
	}
	v := Value{Type: column.Int32.Of(), OK: a.OK, Number: true}
	var x *ops.Node
	switch op {
	case "hour":
		x, v.Span = ops.TruncDivide(second, 3600), between(0, 23)
	case "minute":
		x, v.Span = ops.Rem(ops.TruncDivide(second, 60), 60), between(0, 59)
	case "second":
		x, v.Span = ops.Rem(second, 60), between(0, 59)
	case "weekday":
		x, v.Span = ops.Add(ops.Mod(ops.Add(days, 3), 7), 1), between(1, 7)
	default:
		y, m, d := date(days)
		switch op {
		case "year":
			x = y
			v.Span = within(spanned1(Value{Span: span}, func(day int64) int64 { year, _, _ := calendar.Civil(day); return year }), v.Type)
		case "month":
			x, v.Span = m, between(1, 12)
		case "quarter":
			x, v.Span = ops.TruncDivide(ops.Add(m, 2), 3), between(1, 4)
		case "yearday":
			x, v.Span = ops.Add(ops.Sub(days, dayNode(y, l.Ops.Ones(tensor.Int64))), 1), between(1, 366)
		default:
			x, v.Span = d, between(1, 31)
		}
	}
	v.X = ops.Cast(x, tensor.Int32)
	return v, nil
}

// Truncate returns the beginnings of periods. A timestamp whose beginning is out of reach makes the run fail.
func (l *Graph) Truncate(a Value, period string) (Value, error) {
	days, second, daySpan, err := l.clock(a)
	if err != nil {
		return a, err
	}
	first := func(day int64) int64 { return calendar.FirstDay(day, period) }
	v := Value{Type: a.Type, OK: a.OK, Number: true}
	switch period {
	case "hour", "minute", "second":
		by := map[string]int64{"hour": 3600, "minute": 60, "second": 1}[period]
		per := a.Type.Unit.PerSecond()
		s := ops.Add(ops.Mul(days, 86400), ops.Mul(ops.TruncDivide(second, by), by))
		v.Span = spanned1(a, func(at int64) int64 { return calendar.FloorDiv(at, by*per) * by * per })
		return l.reaches(v, s, per), nil
	case "week":
		days = ops.Sub(ops.Mul(ops.FloorDivide(ops.Add(days, 3), 7), 7), 3)
	case "year", "quarter", "month":
		y, m, _ := date(days)
		switch period {
		case "year":
			m = l.Ops.Ones(tensor.Int64)
		case "quarter":
			m = ops.Add(ops.Mul(ops.TruncDivide(ops.Sub(m, 1), 3), 3), 1)
		}
		days = dayNode(y, m)
	}
	if a.Type.Kind == column.Date32 {
		v.X, v.Span = ops.Cast(days, tensor.Int32), within(spanned1(Value{Span: daySpan}, first), column.Int32.Of())
		return v, nil
	}
	by := 86400 * a.Type.Unit.PerSecond()
	v.Span = spanned2(Value{Span: spanned1(Value{Span: daySpan}, first)}, Value{Span: between(by, by)}, mulSpans)
	return l.reaches(v, ops.Mul(days, 86400), a.Type.Unit.PerSecond()), nil
}

// reaches makes seconds a timestamp.
func (l *Graph) reaches(v Value, s *ops.Node, per int64) Value {
	v.X = ops.Mul(s, per)
	if per == 1 {
		return v
	}
	return l.lose(v, ops.Less(s, math.MinInt64/per), true)
}
