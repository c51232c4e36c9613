package expr

import (
	"fmt"
	"math"
	"time"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/calendar"
)

// Offset is a number of periods.
type Offset struct {
	N      int64
	Period string
}

func (o Offset) String() string { return fmt.Sprintf("%d %s", o.N, o.Period) }

// monthsOf and daysOf are how long periods of the calendar are, secondsOf the others.
var (
	monthsOf  = map[string]int64{"year": 12, "quarter": 3, "month": 1}
	daysOf    = map[string]int64{"week": 7, "day": 1}
	secondsOf = map[string]int64{"hour": 3600, "minute": 60, "second": 1}
)

func (b *Binder) offset(n *Node) (Bound, error) {
	x, err := b.Bind(n.Args[0])
	if err != nil {
		return x, err
	}
	o, t := n.Value.(Offset), x.Type
	months, days, seconds := monthsOf[o.Period], daysOf[o.Period], secondsOf[o.Period]
	switch {
	case !isInstant(t):
		return x, fmt.Errorf("%s is no date or timestamp", t)
	case months+days+seconds == 0:
		return x, fmt.Errorf("there is no period %q", o.Period)
	case seconds > 0 && t.Kind == column.Date32:
		return x, fmt.Errorf("a date has no %s", o.Period)
	case o.N > 1<<32 || o.N < -1<<32:
		return x, fmt.Errorf("%d periods", o.N)
	}
	loc, err := t.Location()
	if err != nil {
		return x, err
	}
	months, days, seconds = months*o.N, days*o.N, seconds*o.N
	return single(t, x, func(m *Morsel, a *column.Column) (*column.Column, error) {
		if t.Kind == column.Date32 {
			out := scratch[int32](m, a.Len())
			for i, d := range column.Values[int32](a) {
				v := calendar.Later(int64(d), months, days)
				if out[i] = int32(v); int64(int32(v)) != v && !a.IsNull(i) {
					return nil, fmt.Errorf("%s does not hold %s after %s", t, o, a.Format(i))
				}
			}
			return column.FixedOf(t, out, a.Validity()), nil
		}
		out := scratch[int64](m, a.Len())
		per := t.Unit.PerSecond()
		for i, at := range column.Values[int64](a) {
			s := calendar.FloorDiv(at, per)
			within := at - s*per
			switch {
			case seconds != 0:
				s += seconds
			case loc == time.UTC:
				day := calendar.FloorDiv(s, 86400)
				s += (calendar.Later(day, months, days) - day) * 86400
			default:
				clock := time.Unix(s, 0).In(loc)
				y, mo, d := calendar.Civil(calendar.Later(calendar.DayOf(int64(clock.Year()), int(clock.Month()), clock.Day()), months, days))
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
