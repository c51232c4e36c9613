package fallback

import (
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// startTime is the time to start a task, and shareTime the time to share it among workers.
const (
	startTime = 200 * time.Nanosecond
	shareTime = 5 * time.Microsecond
)

// Estimate predicts the time of t. It compiles t as Prepare does, adds up the
// times of the steps for a point, and scales them by two measured rates: of additions in a loop and of a matrix
// product. Workers share tasks that are long enough, but memory is no faster for
// several. The work of a custom kernel is not known: it counts as one operation
// for every element of its outputs.
func (e *Engine) Estimate(t *engine.Task) time.Duration {
	r := measured()
	work, c := t.Cost(), e.costOf(t)
	ns := c.Chain*refScalar/r.Scalar + c.Product*refMulAdds/r.MulAdds
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
	parts := int64(e.workers)
	switch a := t.Algorithm.(type) {
	case *engine.Suppress:
		parts = a.Batches * a.Classes
	case *engine.Unique:
		parts = 1
	case *engine.SVD:
		parts = a.Batch
	case *engine.Eigh:
		parts = a.Batch
	}
	return int(max(1, min(int64(e.workers), parts)))
}

// costOf is the cost of t by the steps that it is compiled to.
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
