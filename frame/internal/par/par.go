// Package par runs loops over rows on several goroutines.
package par

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Morsel is how many rows a goroutine takes at a time: their columns fit into a core's caches. It is a multiple of 64,
// so that no two goroutines write to one word of a bitmap. Tests make it small before anything runs.
var Morsel = 16 << 10

// Pool runs loops until its context ends.
type Pool struct {
	Context context.Context
	Workers int
}

// Morsels calls f for rows lo to hi-1, a morsel at a time, in any order. Worker is below p.Workers, and one call at a time has it.
// Errors: the first of f, the context's.
func (p Pool) Morsels(n int, f func(worker, lo, hi int) error) error {
	return p.Items((n+Morsel-1)/Morsel, func(worker, i int) error {
		return f(worker, i*Morsel, min((i+1)*Morsel, n))
	})
}

// Items calls f for items 0 to n-1, beginning in this order.
func (p Pool) Items(n int, f func(worker, i int) error) error {
	var next atomic.Int64
	return p.each(min(p.Workers, n), func(worker int) error {
		for {
			if err := p.Context.Err(); err != nil {
				return context.Cause(p.Context)
			}
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			if err := f(worker, i); err != nil {
				next.Store(int64(n))
				return err
			}
		}
	})
}

// Stripes returns into how many parts Striped divides n rows.
func (p Pool) Stripes(n int) int { return max(1, min(p.Workers, n/Morsel)) }

// Striped divides n rows into p.Stripes(n) equal parts, at multiples of 64, and calls f for each: the result of a part depends on the
// number of workers, and on nothing else.
func (p Pool) Striped(n int, f func(stripe, lo, hi int) error) error {
	if err := p.Context.Err(); err != nil {
		return context.Cause(p.Context)
	}
	k := p.Stripes(n)
	per := ((n+k-1)/k + 63) / 64 * 64
	return p.each(k, func(i int) error {
		return f(i, min(i*per, n), min((i+1)*per, n))
	})
}

func (p Pool) each(k int, f func(worker int) error) error {
	if k <= 1 {
		return Guard(f, 0)
	}
	errs := make([]error, k)
	var wg sync.WaitGroup
	for i := range k {
		wg.Go(func() { errs[i] = Guard(f, i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Guard makes an error of a panic, which in a goroutine would end the program.
func Guard(f func(int) error, i int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("frame: internal error: %v\n%s", r, debug.Stack())
		}
	}()
	return f(i)
}
