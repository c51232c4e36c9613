package sparse

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel runs work on several goroutines, which take numbers below n from next until there are no more.
func inParallel(n int, work func(next func() (int, bool))) {
	var taken atomic.Int64
	next := func() (int, bool) {
		i := int(taken.Add(1)) - 1
		return i, i < n
	}
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		work(next)
		return
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(func() { work(next) })
	}
	work(next)
	group.Wait()
}

// partsOf divides rows into parts of about equal work, which is the elements and one more for each row: part i is the rows from the
// i-th number up to the next one.
func partsOf(ptr []int32, work int) []int32 {
	parts := []int32{0}
	rows, from := len(ptr)-1, 0
	for r := 1; r <= rows; r++ {
		if int(ptr[r])-int(ptr[from])+r-from >= work || r == rows {
			parts = append(parts, int32(r))
			from = r
		}
	}
	return parts
}

// multiplyRows computes y = a·x, x and y dense with cols columns, row by row. Indices outside of x count nothing.
func multiplyRows[T Number](ptr, col []int32, value, x, y []T, cols int) {
	rows := len(ptr) - 1
	each := max(1, 1<<14/max(cols*(1+len(value)/max(rows, 1)), 1))
	if rows <= 0 || cols == 0 {
		return
	}
	inParallel((rows+each-1)/each, func(next func() (int, bool)) {
		for p, ok := next(); ok; p, ok = next() {
			for r := p * each; r < min(rows, (p+1)*each); r++ {
				from, to := max(0, int(ptr[r])), min(int(ptr[r+1]), len(value))
				if to < from {
					to = from
				}
				if cols == 1 {
					var s T
					values := value[from:to]
					for i, c := range col[from:to] {
						if uint(c) < uint(len(x)) {
							s += values[i] * x[c]
						}
					}
					y[r] = s
					continue
				}
				out := y[r*cols : (r+1)*cols]
				clear(out)
				for i := from; i < to; i++ {
					at, v := int(col[i])*cols, value[i]
					if at < 0 || at+cols > len(x) {
						continue
					}
					for j, w := range x[at : at+cols] {
						out[j] += v * w
					}
				}
			}
		}
	})
}
