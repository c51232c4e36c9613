package frame

import (
	"github.com/anycl/anycl/frame/internal/expr"
)

// Year is the year of a date or timestamp, in its zone.
func (e Expr) Year() Expr { return e.with("year", expr.Here()) }

// Month is the month, from 1 to 12.
func (e Expr) Month() Expr { return e.with("month", expr.Here()) }

// Day is the day of the month, from 1.
func (e Expr) Day() Expr { return e.with("day", expr.Here()) }

// Hour is the hour, from 0 to 23.
func (e Expr) Hour() Expr { return e.with("hour", expr.Here()) }

// Minute is the minute, from 0 to 59.
func (e Expr) Minute() Expr { return e.with("minute", expr.Here()) }

// Second is the second, from 0 to 59.
func (e Expr) Second() Expr { return e.with("second", expr.Here()) }

// Weekday is the day of the week of ISO 8601, from 1 for Monday to 7 for Sunday.
func (e Expr) Weekday() Expr { return e.with("weekday", expr.Here()) }

// YearDay is the day of the year, from 1.
func (e Expr) YearDay() Expr { return e.with("yearday", expr.Here()) }

// Quarter is the quarter of the year, from 1 to 4.
func (e Expr) Quarter() Expr { return e.with("quarter", expr.Here()) }

// Truncate is the beginning of the period that a date or timestamp is in: "year", "quarter", "month", "week" (Monday), "day", "hour",
// "minute" or "second", in its zone.
func (e Expr) Truncate(period string) Expr { return e.param("truncate", period, expr.Here()) }

// Epoch is the integer of a date (days), timestamp or duration (units).
func (e Expr) Epoch() Expr { return e.with("epoch", expr.Here()) }

// Offset is a date or timestamp n periods later, or earlier for a negative n: "year", "quarter", "month", "week", "day", "hour", "minute"
// or "second". Periods from the day on keep the local time in the zone; a day that a month does not have becomes its last, so that a month
// after January 31 is the last day of February. Errors: a period that is none, one below the day for dates, and in rows a time that the
// type does not hold.
func (e Expr) Offset(n int, period string) Expr {
	return e.param("offset", expr.Offset{N: int64(n), Period: period}, expr.Here())
}
