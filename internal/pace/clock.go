package pace

import (
	"sync/atomic"
	"time"
)

// Clock follows the median of times as they come, without keeping them: each moves it up or
// down by a small part of itself (Ma, Muthukrishnan and Sandler, Frugal Streaming for
// Estimating Quantiles, 2013). One that is late once moves it no more than one that is a
// little late. The zero value is ready; methods are safe for concurrent use, of
// which an addition may be lost.
type Clock struct {
	runs   atomic.Uint64
	median atomic.Int64
}

const (
	first = 3  // runs that do not count: they find caches cold
	quick = 32 // runs after which the median moves slowly
)

// Note adds a time and returns how many there were.
func (c *Clock) Note(took time.Duration) (runs uint64) {
	runs = c.runs.Add(1)
	m := c.median.Load()
	switch step := max(m>>5, 1); {
	case runs < first:
		return runs
	case runs == first || m == 0:
		c.median.Store(max(int64(took), 1))
		return runs
	case runs < quick:
		step = max(m>>3, 1)
		fallthrough
	default:
		if int64(took) > m {
			m += step
		} else if int64(took) < m {
			m -= step
		}
		c.median.Store(m)
	}
	return runs
}

// Reset forgets all.
func (c *Clock) Reset() {
	c.runs.Store(0)
	c.median.Store(0)
}

// Median is where it is now, and of how many times; 0 before there is one.
func (c *Clock) Median() (time.Duration, uint64) {
	return time.Duration(c.median.Load()), c.runs.Load()
}
