package serve

import (
	"slices"
	"sync"
	"time"
)

// costs are the sizes that batches have, and how long they take.
type costs struct {
	sizes []int // rising

	mu    sync.Mutex
	times map[int]time.Duration // smoothed
}

// newCosts has the powers of two below limit, and limit, as sizes.
func newCosts(limit int) *costs {
	c := &costs{times: map[int]time.Duration{}}
	for n := 1; n < limit && n > 0; n *= 2 { // 0 after the last power that an int has
		c.sizes = append(c.sizes, n)
	}
	c.sizes = append(c.sizes, limit)
	return c
}

func (c *costs) largest() int { return c.sizes[len(c.sizes)-1] }

// size is the smallest that has room for the rows.
func (c *costs) size(rows int) int {
	i, _ := slices.BinarySearch(c.sizes, rows)
	return c.sizes[min(i, len(c.sizes)-1)]
}

// note counts a run in.
func (c *costs) note(size int, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.times[size]; ok {
		d = old + (d-old)/8
	}
	c.times[size] = d
}

// of is how long a size takes; 0: it is not known.
func (c *costs) of(size int) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.times[size]
}

// cut leaves jobs for the next batch where two batches without rows that fill them up are faster than one with.
func (c *costs) cut(jobs []*job, rows int) ([]*job, int) {
	if rows == 0 {
		return jobs, rows
	}
	size := c.size(rows)
	i := slices.Index(c.sizes, size)
	if size == rows || i == 0 {
		return jobs, rows
	}
	first, n := 0, 0 // jobs and rows that fill the size below
	for _, j := range jobs {
		if n+j.rows > c.sizes[i-1] {
			break
		}
		first, n = first+1, n+j.rows
	}
	whole, below, rest := c.of(size), c.of(c.sizes[i-1]), c.of(c.size(rows-n))
	if n == 0 || whole == 0 || below == 0 || rest == 0 || below+rest >= whole {
		return jobs, rows
	}
	return jobs[:first], n
}
