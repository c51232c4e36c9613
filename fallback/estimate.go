package fallback

import (
	"sync"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// rates are what one core of this machine does.
type rates struct {
	copyBytes float64 // bytes copied a second
	mulAdds   float64 // float32 multiplications and additions of a matrix product a second
	scalar    float64 // operations of an element-wise chain a second
}

// measured are the rates of this machine, found once a process in about 2 ms.
var measured = sync.OnceValue(measure)

func measure() rates {
	const n = 128
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	fill(a, 1)
	fill(b, 1)
	src, dst := make([]byte, 1<<20), make([]byte, 1<<20)
	return rates{
		copyBytes: 1 << 20 / seconds(func() { copy(dst, src) }),
		mulAdds:   2 * n * n * n / seconds(func() { gemm(n, n, n, a, n, b, n, c, n) }),
		scalar: n * n / seconds(func() {
			for i, v := range a {
				b[i] = c[i] + v
			}
		}),
	}
}

// seconds is the shortest of a few runs of f.
func seconds(f func()) float64 {
	best := time.Hour
	for range 4 {
		begin := time.Now()
		f()
		best = min(best, time.Since(begin))
	}
	return max(best, 100*time.Nanosecond).Seconds()
}

// startTime is what it takes to start a task, and shareTime to share it.
const (
	startTime = 500 * time.Nanosecond
	shareTime = 5 * time.Microsecond
)

// Estimate predicts the time of t from what it must do at least: operations,
// at the measured rate of matrix products for a contraction and of
// element-wise chains otherwise, or bytes at the speed of memory, whichever is
// more. Addresses that are computed value by value cost about ten operations
// each. Cores share what is long enough.
func (e *Engine) Estimate(t *engine.Task) time.Duration {
	r := measured()
	cost := t.Cost()
	s := (cost.BytesRead + cost.BytesWrite) / r.copyBytes
	points := float64(t.Axes.Size())
	switch t.Kind {
	case engine.Contract:
		rate := r.mulAdds
		if t.Acc == tensor.Float64 {
			rate /= 2
		} else if !t.Acc.IsFloat() {
			rate /= 16
		}
		s = max(s, cost.Flops/rate)
		s += packTime(t, t.A, 0, 1, 3)/r.scalar + packTime(t, t.B, 0, 2, 3)/r.scalar
	default:
		ops := cost.Flops
		for _, x := range t.Exprs() {
			ops += points * addressCost(x)
		}
		s = max(s, ops/r.scalar)
	}
	d := time.Duration(s * 1e9)
	if float64(d) > e.limits.wideNs {
		d = d/time.Duration(e.workers) + shareTime
	}
	return startTime + d
}

// packTime is the cost of computing the operand x of a contraction, once.
func packTime(t *engine.Task, x *engine.Expr, groups ...int) float64 {
	if x == nil {
		return 0
	}
	n := 1.0
	for _, g := range groups {
		n *= float64(t.Size(g))
	}
	return n * (1 + addressCost(x))
}

// addressCost is what the addresses in x that are not sums cost for a point.
func addressCost(x *engine.Expr) (cost float64) {
	for s := range x.Walk() {
		for _, i := range s.Indices() {
			for _, term := range i.Terms {
				if term.Atom.Kind != engine.AtomAxis {
					cost += 10
				}
			}
		}
	}
	return cost
}

// Transfer predicts a copy of n bytes between two places in memory.
func (e *Engine) Transfer(n int64) time.Duration {
	return 100*time.Nanosecond + time.Duration(float64(n)/measured().copyBytes*1e9)
}
