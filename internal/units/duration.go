package units

import (
	"strconv"
	"time"
)

// Duration is d with three significant digits, in ns, us, ms or s: "16.4 us", "1.41 ms".
func Duration(d time.Duration) string {
	digit := time.Duration(1)
	for d/1000 >= digit || d/1000 <= -digit {
		digit *= 10
	}
	d = d.Round(digit)
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Second, " s"}, {time.Millisecond, " ms"}, {time.Microsecond, " us"}} {
		if d >= u.size || d <= -u.size {
			return strconv.FormatFloat(float64(d)/float64(u.size), 'f', -1, 64) + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + " ns"
}
