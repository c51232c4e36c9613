package fallback

import (
	"math"
	"sync"
	"time"
)

// rates are the speeds of one core of this machine.
type rates struct {
	CopyBytes float64 `json:"copy"`     // bytes copied a second within the caches
	FarBytes  float64 `json:"far_copy"` // and beyond them
	MulAdds   float64 `json:"mul_adds"` // float32 multiplications and additions of a matrix product a second
	Scalar    float64 `json:"scalar"`   // operations of an element-wise chain a second
	Tries     int     `json:"tries"`    // measurements that these are the best of
}

// Bytes of the copies that are measured.
const (
	cachedCopy = 1 << 20
	farCopy    = 8 << 20
)

// The reference rates: the rates of the core on which the costs of steps were
// found.
const (
	refScalar  = 3.7e9
	refMulAdds = 2.3e10
)

// copying is how long it takes to copy, or to move, the given number of bytes.
func (r rates) copying(bytes float64) time.Duration {
	cached := min(bytes, cachedCopy)
	return time.Duration((cached/r.CopyBytes + (bytes-cached)/r.FarBytes) * 1e9)
}

// valid reports whether every rate is one that a prediction can divide by.
func (r rates) valid() bool {
	for _, f := range []float64{r.CopyBytes, r.FarBytes, r.MulAdds, r.Scalar} {
		if !(f > 1e6 && f < 1e15) {
			return false
		}
	}
	return true
}

// better is the best of both: other programs, and drivers that are being loaded, only make a machine slower.
func (r rates) better(o rates) rates {
	return rates{
		CopyBytes: math.Max(r.CopyBytes, o.CopyBytes), FarBytes: math.Max(r.FarBytes, o.FarBytes),
		MulAdds: math.Max(r.MulAdds, o.MulAdds), Scalar: math.Max(r.Scalar, o.Scalar), Tries: r.Tries + o.Tries,
	}
}

// enoughTries of as many processes show the speed of the machine.
const enoughTries = 3

// found are the rates of this process.
var found struct {
	once sync.Once
	rates
}

// measured are the rates of this machine. Where nobody has called [Engine.Measure] they are found now, which takes longer where a
// virtual machine is slow to give pages.
func measured() rates {
	found.once.Do(func() { found.rates = measure() })
	return found.rates
}

// Kept is where a process finds the measurements of others.
type Kept interface {
	Load(v any) bool  // fills v from JSON, which may be of anything; false: there is none
	Save(v any) error // keeps v as JSON
}

// Measure finds the rates that predictions rest on, once in a process: beside something else, so that the first prediction need not wait
// for it. The best that the first three processes find is kept, unless kept is nil, and no other measures. Errors: those of kept; the rates
// are there then too.
func (e *Engine) Measure(kept Kept) (err error) {
	found.once.Do(func() {
		var r rates
		if kept != nil && kept.Load(&r) && r.valid() && r.Tries >= enoughTries {
			found.rates = r
			return
		}
		found.rates = measure()
		if r.valid() {
			found.rates = found.better(r)
		}
		if kept != nil {
			err = kept.Save(found.rates)
		}
	})
	return err
}

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
		CopyBytes: cachedCopy / seconds(4, func() { copy(dst[:cachedCopy], src) }),
		FarBytes:  farCopy / seconds(2, func() { copy(dst, src) }),
		MulAdds:   2 * n * n * n / seconds(4, func() { gemm(n, n, n, a, n, b, n, c, n) }),
		Scalar: n * n / seconds(40, func() {
			for i, v := range a {
				b[i] = c[i] + v
			}
		}),
		Tries: 1,
	}
}

// seconds is the shortest of the given number of runs of f.
func seconds(runs int, f func()) float64 {
	best := time.Hour
	for range runs {
		begin := time.Now()
		f()
		best = min(best, time.Since(begin))
	}
	return max(best, 100*time.Nanosecond).Seconds()
}
