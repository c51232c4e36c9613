package frame

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anycl/anycl/frame/column"
)

// offset is a number of periods.
type offset struct {
	n      int64
	period string
}

func (o offset) String() string { return fmt.Sprintf("%d %s", o.n, o.period) }

// Offset is a date or timestamp n periods later, or earlier for a negative n: "year", "quarter", "month", "week", "day", "hour", "minute" or "second".
// Periods from the day on keep what a clock shows in the zone; a day that a month does not have becomes its last, so that a month after
// January 31 is the last day of February. Errors: a period that is none, one below the day for dates, and in rows a time that the type does not hold.
func (e Expr) Offset(n int, period string) Expr {
	return e.param("offset", offset{int64(n), period}, here())
}

// monthsOf and daysOf are how long periods of the calendar are, secondsOf the others.
var (
	monthsOf  = map[string]int64{"year": 12, "quarter": 3, "month": 1}
	daysOf    = map[string]int64{"week": 7, "day": 1}
	secondsOf = map[string]int64{"hour": 3600, "minute": 60, "second": 1}
)

func (b *binder) offset(n *node) (bound, error) {
	x, err := b.bind(n.args[0])
	if err != nil {
		return x, err
	}
	o, t := n.value.(offset), x.typ
	months, days, seconds := monthsOf[o.period], daysOf[o.period], secondsOf[o.period]
	switch {
	case !isInstant(t):
		return x, fmt.Errorf("%s is no date or timestamp", t)
	case months+days+seconds == 0:
		return x, fmt.Errorf("there is no period %q", o.period)
	case seconds > 0 && t.Kind == column.Date32:
		return x, fmt.Errorf("a date has no %s", o.period)
	case o.n > 1<<32 || o.n < -1<<32:
		return x, fmt.Errorf("%d periods", o.n)
	}
	loc, err := t.Location()
	if err != nil {
		return x, err
	}
	months, days, seconds = months*o.n, days*o.n, seconds*o.n
	return single(t, x, func(m *morsel, a *column.Column) (*column.Column, error) {
		if t.Kind == column.Date32 {
			out := scratch[int32](m, a.Len())
			for i, d := range column.Values[int32](a) {
				v := later(int64(d), months, days)
				if out[i] = int32(v); int64(int32(v)) != v && !a.IsNull(i) {
					return nil, fmt.Errorf("%s does not hold %s after %s", t, o, a.Format(i))
				}
			}
			return column.FixedOf(t, out, a.Validity()), nil
		}
		out := scratch[int64](m, a.Len())
		per := t.Unit.PerSecond()
		for i, at := range column.Values[int64](a) {
			s := floorDiv(at, per)
			within := at - s*per
			switch {
			case seconds != 0:
				s += seconds
			case loc == time.UTC:
				day := floorDiv(s, 86400)
				s += (later(day, months, days) - day) * 86400
			default:
				clock := time.Unix(s, 0).In(loc)
				y, mo, d := civil(later(dayOf(int64(clock.Year()), int(clock.Month()), clock.Day()), months, days))
				s = time.Date(int(y), time.Month(mo), d, clock.Hour(), clock.Minute(), clock.Second(), 0, loc).Unix()
			}
			if (s > math.MaxInt64/per-1 || s < math.MinInt64/per+1) && !a.IsNull(i) {
				return nil, fmt.Errorf("%s does not hold %s after %s", t, o, a.Format(i))
			}
			out[i] = s*per + within
		}
		return column.FixedOf(t, out, a.Validity()), nil
	}), nil
}

// later adds months, then days, to a day.
func later(day, months, days int64) int64 {
	if months != 0 {
		y, m, d := civil(day)
		at := y*12 + int64(m) - 1 + months
		y, m = floorDiv(at, 12), int(at-floorDiv(at, 12)*12)+1
		first := dayOf(y, m, 1)
		next := dayOf(y+int64(m)/12, m%12+1, 1)
		day = min(first+int64(d)-1, next-1)
	}
	return day + days
}

var mayFail = []string{"cast", "truncate", "offset"}

// fallible reports whether the values of rows can make an expression fail.
func fallible(n *node) bool {
	return slices.Contains(mayFail, n.op) || slices.ContainsFunc(n.args, fallible)
}
