package fallback

import (
	"sync"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// rates are what one core of this machine does.
type rates struct {
	copyBytes float64 // bytes copied a second within the caches
	farBytes  float64 // and beyond them
	mulAdds   float64 // float32 multiplications and additions of a matrix product a second
	scalar    float64 // operations of an element-wise chain a second
}

// Bytes of the copies that are measured.
const (
	nearCopy = 1 << 20
	farCopy  = 8 << 20
)

// copying is how long it takes to copy, or to move, so many bytes.
func (r rates) copying(bytes float64) time.Duration {
	near := min(bytes, nearCopy)
	return time.Duration((near/r.copyBytes + (bytes-near)/r.farBytes) * 1e9)
}

// measured are the rates of this machine, found once a process in about 10 ms, or 100 where a virtual machine
// is slow to give pages.
var measured = sync.OnceValue(measure)

// Measure finds what predictions rest on, unless that was done: beside something else, so that the first
// prediction need not wait for it.
func (e *Engine) Measure() { measured() }

func measure() rates {
	const n = 128
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	fill(a, 1)
	fill(b, 1)
	src, dst := make([]byte, farCopy), make([]byte, farCopy)
	for i := 0; i < farCopy; i += 4096 { // pages that were never written are all one
		src[i], dst[i] = 1, 1
	}
	return rates{
		copyBytes: nearCopy / seconds(4, func() { copy(dst[:nearCopy], src) }),
		farBytes:  farCopy / seconds(2, func() { copy(dst, src) }),
		mulAdds:   2 * n * n * n / seconds(4, func() { gemm(n, n, n, a, n, b, n, c, n) }),
		scalar: n * n / seconds(40, func() {
			for i, v := range a {
				b[i] = c[i] + v
			}
		}),
	}
}

// seconds is the shortest of so many runs of f.
func seconds(runs int, f func()) float64 {
	best := time.Hour
	for range runs {
		begin := time.Now()
		f()
		best = min(best, time.Since(begin))
	}
	return max(best, 100*time.Nanosecond).Seconds()
}

// The reference rates: those of the core on which the costs of steps were
// found, about 4 GHz.
const (
	refScalar  = 3.7e9
	refMulAdds = 2.3e10
)

// startTime is what it takes to start a task, and shareTime to share it.
const (
	startTime = 200 * time.Nanosecond
	shareTime = 5 * time.Microsecond
)

// Estimate predicts the time of t. It compiles t as Prepare does, adds up what
// each step takes for a point, and scales that by two rates which are measured
// once in a process, in about 10 ms: of additions in a loop and of a matrix
// product. Workers share what is long enough, but memory is no faster for
// several. What a custom kernel does is not known: it counts as one operation
// for every element of its outputs.
func (e *Engine) Estimate(t *engine.Task) time.Duration {
	r := measured()
	work, c := t.Cost(), e.costOf(t)
	ns := c.Chain*refScalar/r.scalar + c.Product*refMulAdds/r.mulAdds
	if n := e.share(t, c); n > 1 {
		ns = ns/float64(n) + float64(shareTime)
	}
	return startTime + max(time.Duration(ns), r.copying((work.BytesRead+work.BytesWrite)/2))
}

// cores is how many workers share t.
func (e *Engine) cores(t *engine.Task) int { return e.share(t, e.costOf(t)) }

// share is how many workers share a task that costs c.
func (e *Engine) share(t *engine.Task, c work.Cost) int {
	if c.Ns() <= e.limits.WideNs || t.Kind == engine.Custom {
		return 1
	}
	switch a := t.Algorithm.(type) {
	case *engine.Suppress:
		return int(max(1, min(int64(e.workers), a.Batches*a.Classes)))
	case *engine.Unique:
		return 1
	}
	return e.workers
}

// costOf is what t takes by the steps that it is compiled to.
func (e *Engine) costOf(t *engine.Task) work.Cost {
	c := work.Cost{Chain: t.Cost().Flops}
	if e.Check(t) == nil && t.Kind != engine.Custom {
		k := e.compilerFor(t, &work.Env{}, nil)
		k.Dry = true
		k.Ins, k.Outs = make([][]byte, len(t.Ins)), make([][]byte, len(t.Outs))
		if run, err := runnerOf(k); err == nil {
			c = run.Predicted()
		}
	}
	return c
}

// Transfer predicts a copy of n bytes between two places in memory.
func (e *Engine) Transfer(n int64) time.Duration {
	return 100*time.Nanosecond + measured().copying(float64(n))
}
