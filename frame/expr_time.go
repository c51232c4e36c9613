package frame

// Year is the year of a date or timestamp, in its zone.
func (e Expr) Year() Expr { return e.with("year", here()) }

// Month is the month, from 1 to 12.
func (e Expr) Month() Expr { return e.with("month", here()) }

// Day is the day of the month, from 1.
func (e Expr) Day() Expr { return e.with("day", here()) }

// Hour is the hour, from 0 to 23.
func (e Expr) Hour() Expr { return e.with("hour", here()) }

// Minute is the minute, from 0 to 59.
func (e Expr) Minute() Expr { return e.with("minute", here()) }

// Second is the second, from 0 to 59.
func (e Expr) Second() Expr { return e.with("second", here()) }

// Weekday is the day of the week of ISO 8601, from 1 for Monday to 7 for Sunday.
func (e Expr) Weekday() Expr { return e.with("weekday", here()) }

// YearDay is the day of the year, from 1.
func (e Expr) YearDay() Expr { return e.with("yearday", here()) }

// Quarter is the quarter of the year, from 1 to 4.
func (e Expr) Quarter() Expr { return e.with("quarter", here()) }

// Truncate is the beginning of the period that a date or timestamp is in: "year", "quarter", "month", "week" (Monday), "day", "hour", "minute" or
// "second", in its zone.
func (e Expr) Truncate(period string) Expr { return e.param("truncate", period, here()) }

// Epoch is the integer of a date (days), timestamp or duration (units).
func (e Expr) Epoch() Expr { return e.with("epoch", here()) }
