package fallback

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls f for ranges that together are 0 to n-1, each number in one of them, on as many goroutines as GOMAXPROCS allows, and
// returns when all calls have. It is for the function Host of a kernel ([github.com/anycl/anycl/ops.KernelOptions]), whose elements
// are computed independently of each other. Ranges are several times as many as goroutines, so that uneven ones are shared out.
//
// When f panics, no further range is begun, and Parallel panics with the same value: in a Host function it becomes the error of the run.
func Parallel(n int, f func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		if n > 0 {
			f(0, n)
		}
		return
	}
	parts := min(8*workers, n)
	var next atomic.Int64
	var once sync.Once
	var failed any
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				next.Store(int64(parts))
				once.Do(func() { failed = r })
			}
		}()
		for i := int(next.Add(1)) - 1; i < parts; i = int(next.Add(1)) - 1 {
			f(i*n/parts, (i+1)*n/parts)
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if failed != nil {
		panic(failed)
	}
}
