package csv

import (
	"math"
	"strconv"
	"time"
	"unsafe"
)

func str(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// parseInt reads a decimal integer of 64 bits.
func parseInt(b []byte) (int64, bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	if n := len(b) - i; n == 0 || n > 18 {
		v, err := strconv.ParseInt(str(b), 10, 64)
		return v, err == nil
	}
	var v int64
	for _, c := range b[i:] {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	if negative {
		v = -v
	}
	return v, true
}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
	1e21, 1e22}

// parseFloat reads a number. Up to 15 digits and a small power of ten are both floats without rounding, and so is their quotient rounded
// once. Source: Clinger, How to Read Floating Point Numbers Accurately (1990).
func parseFloat(s string) (float64, bool) {
	i, negative := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		i, negative = 1, s[0] == '-'
	}
	var v uint64
	digits, scale, point := 0, 0, false
	for ; i < len(s); i++ {
		c := s[i]
		switch d := c - '0'; {
		case d <= 9:
			if v = v*10 + uint64(d); v > 0 {
				digits++
			}
			if point {
				scale++
			}
			if digits > 15 || scale > 22 {
				return slowFloat(s)
			}
		case c == '.' && !point:
			point = true
		default:
			return slowFloat(s)
		}
	}
	if len(s) == 0 || digits == 0 && v == 0 && !hasDigit(s) {
		return 0, false
	}
	f := float64(v) / tens[scale]
	if negative {
		f = -f
	}
	return f, true
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if s[i]-'0' <= 9 {
			return true
		}
	}
	return false
}

func slowFloat(s string) (float64, bool) {
	for i := range len(s) {
		if c := s[i]; c == '_' || c == 'x' || c == 'X' {
			return 0, false // Go's notation
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil || math.IsInf(f, 0)
}

func parseBool(b []byte) (bool, bool) {
	switch string(b) {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

func two(b []byte) int {
	if b[0]-'0' > 9 || b[1]-'0' > 9 {
		return -1
	}
	return int(b[0]-'0')*10 + int(b[1]-'0')
}

// parseDate reads 2006-01-02 as days since 1970.
func parseDate(b []byte) (int64, bool) {
	if len(b) != 10 || b[4] != '-' || b[7] != '-' {
		return 0, false
	}
	c, y, m, d := two(b), two(b[2:]), two(b[5:]), two(b[8:])
	if c < 0 || y < 0 || m < 1 || m > 12 || d < 1 {
		return 0, false
	}
	t := time.Date(c*100+y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t.Unix() / 86400, t.Day() == d
}

// parseTime reads a date and time of day, with or without zone.
func parseTime(b []byte) (t time.Time, zoned, ok bool) {
	if len(b) < 16 || b[10] != 'T' && b[10] != ' ' {
		return t, false, false
	}
	sep := string(b[10])
	for _, layout := range []string{"15:04:05", "15:04"} {
		if v, err := time.Parse("2006-01-02"+sep+layout, string(b)); err == nil {
			return v, false, true
		}
		if v, err := time.Parse("2006-01-02"+sep+layout+"Z07:00", string(b)); err == nil {
			return v, true, true
		}
	}
	return t, false, false
}
