// Package calendar calculates with days since 1970, months, and the clocks of zones.
package calendar

import (
	"time"

	"github.com/anycl/anycl/frame/column"
)

// zone converts seconds since 1970 to seconds of the local clock.
type zone struct {
	Location *time.Location // nil for UTC
	from, to int64          // the offset holds for these seconds
	offset   int64
	has      bool
}

// ZoneOf returns the zone of a type.
func ZoneOf(t column.Type) (*zone, error) {
	loc, err := t.Location()
	if err != nil {
		return nil, err
	}
	if loc == time.UTC {
		return &zone{}, nil
	}
	return &zone{Location: loc}, nil
}

// Local returns the local time at s.
func (z *zone) Local(s int64) int64 {
	if z.Location == nil {
		return s
	}
	if !z.has || s < z.from || s >= z.to {
		at := time.Unix(s, 0).In(z.Location)
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

// Civil returns the date of a day since 1970. Source: Hinnant, chrono-Compatible Low-Level Date Algorithms (2014), civil_from_days.
func Civil(days int64) (year int64, month, day int) {
	z := days + 719468
	era := FloorDiv(z, 146097)
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

// DayOf is the contrary of civil.
func DayOf(year int64, month, day int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := FloorDiv(year, 400)
	yoe := year - era*400
	doy := int64(153*(month-3)+2)/5 + int64(day) - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// FirstDay is the first day of the period that a day is in.
func FirstDay(day int64, period string) int64 {
	if period == "week" {
		return FloorDiv(day+3, 7)*7 - 3
	}
	y, m, _ := Civil(day)
	switch period {
	case "year":
		return DayOf(y, 1, 1)
	case "quarter":
		return DayOf(y, (m-1)/3*3+1, 1)
	case "month":
		return DayOf(y, m, 1)
	}
	return day
}

// Later adds months, then days, to a day.
func Later(day, months, days int64) int64 {
	if months != 0 {
		y, m, d := Civil(day)
		at := y*12 + int64(m) - 1 + months
		y, m = FloorDiv(at, 12), int(at-FloorDiv(at, 12)*12)+1
		first := DayOf(y, m, 1)
		next := DayOf(y+int64(m)/12, m%12+1, 1)
		day = min(first+int64(d)-1, next-1)
	}
	return day + days
}

// FloorDiv divides and rounds down.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
