package frame

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
)

// cast converts to a type. What the type does not hold is null, or, strictly, makes the run fail.
func (l *lowering) cast(a value, t column.Type, strict bool) (value, error) {
	dt, ok := t.DType()
	if !ok || t.IsString() || a.typ.IsString() || a.typ.Kind == column.Decimal128 {
		return a, fmt.Errorf("a cast of %s to %s has no form as ops", a.typ, t)
	}
	v := value{typ: t, ok: a.ok, number: !t.IsFloat() || a.number}
	switch {
	case t.Kind == column.Bool:
		v.x, v.span = ops.NotEqual(a.x, 0), between(0, 1)
	case a.typ.Kind == column.Bool:
		v.x, v.span = ops.Cast(a.x, dt), between(0, 1)
	case a.typ.IsTemporal() && t.IsTemporal():
		return l.retime(a, t, strict)
	case t.IsFloat():
		v.x = ops.Cast(a.x, dt)
	case a.typ.IsFloat():
		low, high := boundsOf(t)
		x := ops.Trunc(a.x)
		fits := ops.And(ops.GreaterEqual(x, low), ops.Less(x, high))
		v.x = ops.Where(fits, ops.Cast(x, dt), 0)
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
func (l *lowering) narrow(a value, t column.Type, strict bool) value {
	dt, _ := t.DType()
	v := value{typ: t, x: ops.Cast(a.x, dt), ok: a.ok, number: true, span: a.span}
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
	case !unsigned(a.typ) && unsigned(t):
		or(ops.Less(a.x, 0))
	case !unsigned(a.typ) && t.Width() < a.typ.Width():
		or(ops.Less(a.x, -int64(most(t))-1))
	}
	if most(t) < most(a.typ) {
		or(ops.Greater(a.x, most(t)))
	}
	if lost == nil {
		return v
	}
	v = l.lose(v, lost, strict)
	v.span = within(v.span, t)
	return v
}

// lose makes values null, or the run fail.
func (l *lowering) lose(v value, lost *ops.Node, strict bool) value {
	if !strict {
		v.ok = both(v.ok, ops.Not(lost))
		return v
	}
	l.broken = append(l.broken, l.spread(both(both(lost, v.ok), l.mask)))
	return v
}

// retime converts between dates, timestamps and units.
func (l *lowering) retime(a value, t column.Type, strict bool) (value, error) {
	dt, _ := t.DType()
	from := a.typ
	z, err := zoneOf(from)
	if t.Kind == column.Timestamp && from.Kind == column.Date32 {
		z, err = zoneOf(t)
	}
	if err != nil {
		return a, err
	}
	if z.loc != nil && (from.Kind == column.Date32) != (t.Kind == column.Date32) {
		return a, fmt.Errorf("the clock of %s has no form as ops", z.loc)
	}
	wide, _ := column.Int64.Of().DType()
	v := value{typ: t, ok: a.ok, number: true}
	x := ops.Cast(a.x, wide)
	times := func(by int64) value {
		v.x = ops.Cast(ops.Mul(x, by), dt)
		v.span = spanned2(a, value{span: between(by, by)}, mulSpans)
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
		days := value{typ: column.Int64.Of(), x: ops.FloorDivide(x, by), ok: a.ok, span: spanned1(a, func(v int64) int64 { return floorDiv(v, by) })}
		d := l.narrow(days, column.Int32.Of(), strict)
		d.typ = t
		return d, nil
	}
	p, q := t.Unit.PerSecond(), from.Unit.PerSecond()
	switch {
	case p > q:
		return times(p / q), nil
	case p == q:
		v.x, v.span = a.x, a.span
	default:
		v.x, v.span = ops.FloorDivide(x, q/p), spanned1(a, func(v int64) int64 { return floorDiv(v, q/p) })
	}
	return v, nil
}
