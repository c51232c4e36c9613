package frame

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/anycl/anycl/frame/column"
)

func isTime(n *node) bool {
	switch bare(n).value.(type) {
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
func timeArithmetic(op string, x, y bound) (bound, error) {
	a, b := x.typ, y.typ
	var t column.Type
	switch {
	case a.Kind == column.Date32 && b.Kind == column.Date32 && op == "sub":
		return binary(column.Type{Kind: column.Duration}, x, y, func(m *morsel, p, q *column.Column) (*column.Column, error) {
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
		}).on(func(l *lowering, v []value) (value, error) { return l.daysBetween(v[0], v[1]), nil }, x, y), nil
	case isInstant(a) && isInstant(b) && op == "sub":
		u, err := unify(a, b)
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
		u, _ := unify(a, b)
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
		if x, err = castTo(x, u, true); err == nil {
			y, err = castTo(y, u, true)
		}
		if err != nil {
			return x, err
		}
		if op == "div" {
			a, b = column.Float64.Of(), column.Float64.Of()
			if x, err = castTo(x, column.Int64.Of(), true); err == nil {
				y, err = castTo(y, column.Int64.Of(), true)
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
	x, err := castTo(x, a, true)
	if err != nil {
		return x, err
	}
	if y, err = castTo(y, b, true); err != nil {
		return y, err
	}
	k := kernelsFor(t)
	return binary(t, x, y, func(m *morsel, p, q *column.Column) (*column.Column, error) { return k.arith(m, op, t, p, q), nil }).
		on(func(l *lowering, v []value) (value, error) { return l.arith(op, t, v[0], v[1]), nil }, x, y), nil
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

// zone converts seconds since 1970 to those of the local clock.
type zone struct {
	loc      *time.Location // nil for UTC
	from, to int64          // the offset holds for these seconds
	offset   int64
	has      bool
}

func zoneOf(t column.Type) (*zone, error) {
	loc, err := t.Location()
	if err != nil {
		return nil, err
	}
	if loc == time.UTC {
		return &zone{}, nil
	}
	return &zone{loc: loc}, nil
}

func (z *zone) local(s int64) int64 {
	if z.loc == nil {
		return s
	}
	if !z.has || s < z.from || s >= z.to {
		at := time.Unix(s, 0).In(z.loc)
		_, offset := at.Zone()
		start, end := at.ZoneBounds()
		z.from, z.to, z.offset, z.has = s, s+1, int64(offset), true
		if !start.IsZero() {
			z.from = start.Unix()
		}
		if !end.IsZero() {
			z.to = end.Unix()
		}
	}
	return s + z.offset
}

// civil returns the date of a day since 1970. Source: Hinnant, chrono-Compatible Low-Level Date Algorithms (2014), civil_from_days.
func civil(days int64) (year int64, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// dayOf is the contrary of civil.
func dayOf(year int64, month, day int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	doy := int64(153*(month-3)+2)/5 + int64(day) - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// temporal binds parts of dates and times.
func (b *binder) temporal(n *node) (bound, error) {
	x, err := b.bind(n.args[0])
	if err != nil {
		return x, err
	}
	t := x.typ
	if n.op == "epoch" {
		if !t.IsTemporal() {
			return x, fmt.Errorf("%s is no time", t)
		}
		return castTo(x, column.Int64.Of(), true)
	}
	if !isInstant(t) {
		return x, fmt.Errorf("%s is no date or timestamp", t)
	}
	if _, err := zoneOf(t); err != nil {
		return x, err
	}
	period, _ := n.value.(string)
	if n.op == "truncate" {
		switch period {
		case "year", "quarter", "month", "week", "day":
		case "hour", "minute", "second":
			if t.Kind == column.Date32 {
				return x, fmt.Errorf("a date has no %s", period)
			}
		default:
			return x, fmt.Errorf("there is no period %q", period)
		}
		return single(t, x, func(m *morsel, a *column.Column) (*column.Column, error) { return truncated(m, a, period) }).
			on(func(l *lowering, v []value) (value, error) { return l.truncate(v[0], period) }, x), nil
	}
	result := column.Int32.Of()
	return single(result, x, func(m *morsel, a *column.Column) (*column.Column, error) {
		v, _, _ := kernelsFor(t).widen(m, a)
		out := scratch[int32](m, len(v))
		z, err := zoneOf(t)
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
				s := z.local(floorDiv(at, per))
				days = floorDiv(s, 86400)
				second = s - days*86400
			}
			out[i] = timePart(n.op, days, second)
		}
		return column.FixedOf(result, out, a.Validity()), nil
	}).on(func(l *lowering, v []value) (value, error) { return l.timePart(n.op, v[0]) }, x), nil
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
		return int32((days+3)-floorDiv(days+3, 7)*7) + 1
	}
	y, m, d := civil(days)
	switch op {
	case "year":
		return int32(y)
	case "month":
		return int32(m)
	case "quarter":
		return int32(m+2) / 3
	case "yearday":
		return int32(days-dayOf(y, 1, 1)) + 1
	}
	return int32(d)
}

// truncated returns the beginnings of periods.
func truncated(m *morsel, a *column.Column, period string) (*column.Column, error) {
	t := a.Type()
	v, _, _ := kernelsFor(t).widen(m, a)
	if t.Kind == column.Date32 {
		out := scratch[int32](m, len(v))
		for i, d := range v {
			out[i] = int32(firstDay(d, period))
		}
		return column.FixedOf(t, out, a.Validity()), nil
	}
	z, err := zoneOf(t)
	if err != nil {
		return nil, err
	}
	per := t.Unit.PerSecond()
	out := scratch[int64](m, len(v))
	for i, at := range v {
		s := floorDiv(at, per)
		local := z.local(s)
		switch period {
		case "second":
		case "minute":
			s -= local - floorDiv(local, 60)*60
		case "hour":
			s -= local - floorDiv(local, 3600)*3600
		default:
			day := firstDay(floorDiv(local, 86400), period)
			s = day * 86400
			if z.loc != nil { // midnight may have had another offset
				y, mo, d := civil(day)
				s = time.Date(int(y), time.Month(mo), d, 0, 0, 0, 0, z.loc).Unix()
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

func firstDay(day int64, period string) int64 {
	if period == "week" {
		return floorDiv(day+3, 7)*7 - 3
	}
	y, m, _ := civil(day)
	switch period {
	case "year":
		return dayOf(y, 1, 1)
	case "quarter":
		return dayOf(y, (m-1)/3*3+1, 1)
	case "month":
		return dayOf(y, m, 1)
	}
	return day
}
