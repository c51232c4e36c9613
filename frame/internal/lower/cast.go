package lower

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/calendar"
	"github.com/anycl/anycl/ops"
)

// Cast converts to a type. A value that the type cannot hold is null, or, with strict, makes the run fail.
func (l *Graph) Cast(a Value, t column.Type, strict bool) (Value, error) {
	dt, ok := t.DType()
	if !ok || t.IsString() || a.Type.IsString() || a.Type.Kind == column.Decimal128 {
		return a, fmt.Errorf("a cast of %s to %s has no form as ops", a.Type, t)
	}
	v := Value{Type: t, OK: a.OK, Number: !t.IsFloat() || a.Number}
	switch {
	case t.Kind == column.Bool:
		v.X, v.Span = ops.NotEqual(a.X, 0), between(0, 1)
	case a.Type.Kind == column.Bool:
		v.X, v.Span = ops.Cast(a.X, dt), between(0, 1)
	case a.Type.IsTemporal() && t.IsTemporal():
		return l.retime(a, t, strict)
	case t.IsFloat():
		v.X = ops.Cast(a.X, dt)
	case a.Type.IsFloat():
		low, high := boundsOf(t)
		x := ops.Trunc(a.X)
		fits := ops.And(ops.GreaterEqual(x, low), ops.Less(x, high))
		v.X = ops.Where(fits, ops.Cast(x, dt), 0)
		return l.lose(v, ops.Not(fits), strict), nil
	default:
		return l.narrow(a, t, strict), nil
	}
	return v, nil
}

// boundsOf returns the least value of an integer type, and the power of two above its greatest.
func boundsOf(t column.Type) (low, high float64) {
	bits := 8 * t.Width()
	if t.IsUnsigned() {
		return 0, math.Ldexp(1, bits)
	}
	return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
}

// narrow converts integers.
func (l *Graph) narrow(a Value, t column.Type, strict bool) Value {
	dt, _ := t.DType()
	v := Value{Type: t, X: ops.Cast(a.X, dt), OK: a.OK, Number: true, Span: a.Span}
	unsigned := func(t column.Type) bool { return t.IsUnsigned() }
	most := func(t column.Type) uint64 {
		bits := 8 * t.Width()
		if !unsigned(t) {
			bits--
		}
		return 1<<bits - 1
	}
	var lost *ops.Node
	or := func(n *ops.Node) {
		if lost == nil {
			lost = n
		} else {
			lost = ops.Or(lost, n)
		}
	}
	switch {
	case !unsigned(a.Type) && unsigned(t):
		or(ops.Less(a.X, 0))
	case !unsigned(a.Type) && t.Width() < a.Type.Width():
		or(ops.Less(a.X, -int64(most(t))-1))
	}
	if most(t) < most(a.Type) {
		or(ops.Greater(a.X, most(t)))
	}
	if lost == nil {
		return v
	}
	v = l.lose(v, lost, strict)
	v.Span = within(v.Span, t)
	return v
}

// lose makes values null, or the run fail.
func (l *Graph) lose(v Value, lost *ops.Node, strict bool) Value {
	if !strict {
		v.OK = Both(v.OK, ops.Not(lost))
		return v
	}
	l.Broken = append(l.Broken, l.Spread(Both(Both(lost, v.OK), l.Mask)))
	return v
}

// retime converts between dates, timestamps and units.
func (l *Graph) retime(a Value, t column.Type, strict bool) (Value, error) {
	dt, _ := t.DType()
	from := a.Type
	z, err := calendar.ZoneOf(from)
	if t.Kind == column.Timestamp && from.Kind == column.Date32 {
		z, err = calendar.ZoneOf(t)
	}
	if err != nil {
		return a, err
	}
	if z.Location != nil && (from.Kind == column.Date32) != (t.Kind == column.Date32) {
		return a, fmt.Errorf("the clock of %s has no form as ops", z.Location)
	}
	wide, _ := column.Int64.Of().DType()
	v := Value{Type: t, OK: a.OK, Number: true}
	x := ops.Cast(a.X, wide)
	times := func(by int64) Value {
		v.X = ops.Cast(ops.Mul(x, by), dt)
		v.Span = spanned2(a, Value{Span: between(by, by)}, mulSpans)
		most := math.MaxInt64 / by
		if from.Kind == column.Date32 && most > math.MaxInt32 {
			return v
		}
		return l.lose(v, ops.Or(ops.Greater(x, most), ops.Less(x, math.MinInt64/by)), strict)
	}
	switch {
	case from.Kind == column.Date32:
		return times(86400 * t.Unit.PerSecond()), nil
	case t.Kind == column.Date32:
		by := 86400 * from.Unit.PerSecond()
		days := Value{Type: column.Int64.Of(), X: ops.FloorDivide(x, by), OK: a.OK,
			Span: spanned1(a, func(v int64) int64 { return calendar.FloorDiv(v, by) })}
		d := l.narrow(days, column.Int32.Of(), strict)
		d.Type = t
		return d, nil
	}
	p, q := t.Unit.PerSecond(), from.Unit.PerSecond()
	switch {
	case p > q:
		return times(p / q), nil
	case p == q:
		v.X, v.Span = a.X, a.Span
	default:
		v.X, v.Span = ops.FloorDivide(x, q/p), spanned1(a, func(v int64) int64 { return calendar.FloorDiv(v, q/p) })
	}
	return v, nil
}
