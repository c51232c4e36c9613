package frame

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// daysBetween is the difference of two dates, in seconds.
func (l *lowering) daysBetween(a, b value) value {
	days := ops.Sub(ops.Cast(a.x, tensor.Int64), ops.Cast(b.x, tensor.Int64))
	v := value{typ: column.Type{Kind: column.Duration}, x: ops.Mul(days, 86400), ok: both(a.ok, b.ok), number: true}
	v.span = spanned2(value{span: spanned2(a, b, subSpans)}, value{span: between(86400, 86400)}, mulSpans)
	return v
}

// clock returns days since 1970 and seconds of the day. The seconds of a date are nil.
func (l *lowering) clock(a value) (days, second *ops.Node, span span, err error) {
	x := ops.Cast(a.x, tensor.Int64)
	if a.typ.Kind == column.Date32 {
		return x, nil, a.span, nil
	}
	if z, err := zoneOf(a.typ); err != nil || z.loc != nil {
		return nil, nil, nil, fmt.Errorf("the clock of %s has no form as ops", a.typ)
	}
	if per := a.typ.Unit.PerSecond(); per > 1 {
		x = ops.FloorDivide(x, per)
	}
	by := 86400 * a.typ.Unit.PerSecond()
	days = ops.FloorDivide(x, 86400)
	return days, ops.Sub(x, ops.Mul(days, 86400)), spanned1(a, func(v int64) int64 { return floorDiv(v, by) }), nil
}

// date is what [civil] computes.
func date(days *ops.Node) (year, month, day *ops.Node) {
	z := ops.Add(days, 719468)
	era := ops.FloorDivide(z, 146097)
	doe := ops.Sub(z, ops.Mul(era, 146097))
	by := func(x *ops.Node, d int) *ops.Node { return ops.TruncDivide(x, d) } // of what is not negative
	yoe := by(ops.Sub(ops.Add(ops.Sub(doe, by(doe, 1460)), by(doe, 36524)), by(doe, 146096)), 365)
	doy := ops.Sub(doe, ops.Sub(ops.Add(ops.Mul(yoe, 365), by(yoe, 4)), by(yoe, 100)))
	mp := by(ops.Add(ops.Mul(doy, 5), 2), 153)
	day = ops.Add(ops.Sub(doy, by(ops.Add(ops.Mul(mp, 153), 2), 5)), 1)
	late := ops.Greater(mp, 9)
	month = ops.Where(late, ops.Sub(mp, 9), ops.Add(mp, 3))
	year = ops.Add(ops.Add(yoe, ops.Mul(era, 400)), ops.Cast(late, tensor.Int64))
	return year, month, day
}

// dayNode is what [dayOf] computes for the first day of a month.
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

func (l *lowering) timePart(op string, a value) (value, error) {
	days, second, span, err := l.clock(a)
	if err != nil {
		return a, err
	}
	if second == nil {
		second = l.g.Zeros(tensor.Int64)
	}
	v := value{typ: column.Int32.Of(), ok: a.ok, number: true}
	var x *ops.Node
	switch op {
	case "hour":
		x, v.span = ops.TruncDivide(second, 3600), between(0, 23)
	case "minute":
		x, v.span = ops.Rem(ops.TruncDivide(second, 60), 60), between(0, 59)
	case "second":
		x, v.span = ops.Rem(second, 60), between(0, 59)
	case "weekday":
		x, v.span = ops.Add(ops.Mod(ops.Add(days, 3), 7), 1), between(1, 7)
	default:
		y, m, d := date(days)
		switch op {
		case "year":
			x = y
			v.span = within(spanned1(value{span: span}, func(day int64) int64 { year, _, _ := civil(day); return year }), v.typ)
		case "month":
			x, v.span = m, between(1, 12)
		case "quarter":
			x, v.span = ops.TruncDivide(ops.Add(m, 2), 3), between(1, 4)
		case "yearday":
			x, v.span = ops.Add(ops.Sub(days, dayNode(y, l.g.Ones(tensor.Int64))), 1), between(1, 366)
		default:
			x, v.span = d, between(1, 31)
		}
	}
	v.x = ops.Cast(x, tensor.Int32)
	return v, nil
}

// truncate returns the beginnings of periods. A timestamp whose beginning is out of reach makes the run fail.
func (l *lowering) truncate(a value, period string) (value, error) {
	days, second, daySpan, err := l.clock(a)
	if err != nil {
		return a, err
	}
	first := func(day int64) int64 { return firstDay(day, period) }
	v := value{typ: a.typ, ok: a.ok, number: true}
	switch period {
	case "hour", "minute", "second":
		by := map[string]int64{"hour": 3600, "minute": 60, "second": 1}[period]
		per := a.typ.Unit.PerSecond()
		s := ops.Add(ops.Mul(days, 86400), ops.Mul(ops.TruncDivide(second, by), by))
		v.span = spanned1(a, func(at int64) int64 { return floorDiv(at, by*per) * by * per })
		return l.reaches(v, s, per), nil
	case "week":
		days = ops.Sub(ops.Mul(ops.FloorDivide(ops.Add(days, 3), 7), 7), 3)
	case "year", "quarter", "month":
		y, m, _ := date(days)
		switch period {
		case "year":
			m = l.g.Ones(tensor.Int64)
		case "quarter":
			m = ops.Add(ops.Mul(ops.TruncDivide(ops.Sub(m, 1), 3), 3), 1)
		}
		days = dayNode(y, m)
	}
	if a.typ.Kind == column.Date32 {
		v.x, v.span = ops.Cast(days, tensor.Int32), within(spanned1(value{span: daySpan}, first), column.Int32.Of())
		return v, nil
	}
	by := 86400 * a.typ.Unit.PerSecond()
	v.span = spanned2(value{span: spanned1(value{span: daySpan}, first)}, value{span: between(by, by)}, mulSpans)
	return l.reaches(v, ops.Mul(days, 86400), a.typ.Unit.PerSecond()), nil
}

// reaches makes seconds a timestamp.
func (l *lowering) reaches(v value, s *ops.Node, per int64) value {
	v.x = ops.Mul(s, per)
	if per == 1 {
		return v
	}
	return l.lose(v, ops.Less(s, math.MinInt64/per), true)
}
