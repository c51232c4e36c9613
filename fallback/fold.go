package fallback

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/vector"
	"github.com/anycl/anycl/tensor"
)

// identity is the value that m leaves others unchanged by, among those of dt.
func identity(m engine.Monoid, dt tensor.DType) engine.Const {
	bits := uint(8 * dt.Size())
	switch m {
	case engine.Prod:
		return engine.Const{Float: 1, Int: 1}
	case engine.Min, engine.ArgMin:
		c := engine.Const{Float: math.Inf(1), Int: 1<<(bits-1) - 1}
		switch {
		case dt == tensor.Bool:
			c.Int = 1
		case !dt.IsSigned():
			c.Int = int64(^uint64(0) >> (64 - bits))
		}
		return c
	case engine.Max, engine.ArgMax:
		c := engine.Const{Float: math.Inf(-1), Int: -1 << (bits - 1)}
		if !dt.IsSigned() {
			c.Int = 0
		}
		return c
	}
	return engine.Const{}
}

// foldRun folds the values of xs, at least one. A sum is pairwise over runs of
// 128, each in eight interleaved partial sums, so its error grows with the
// logarithm of the length.
func foldRun[R reg](m engine.Monoid, xs []R) R {
	switch m {
	case engine.Sum:
		return sumRun(xs)
	case engine.Prod:
		p0, p1, p2, p3 := R(1), R(1), R(1), R(1)
		for ; len(xs) >= 4; xs = xs[4:] {
			p0, p1, p2, p3 = p0*xs[0], p1*xs[1], p2*xs[2], p3*xs[3]
		}
		for _, x := range xs {
			p0 *= x
		}
		return (p0 * p1) * (p2 * p3)
	case engine.Min:
		m0, m1, m2, m3 := xs[0], xs[0], xs[0], xs[0]
		for ; len(xs) >= 4; xs = xs[4:] {
			m0, m1, m2, m3 = min(m0, xs[0]), min(m1, xs[1]), min(m2, xs[2]), min(m3, xs[3])
		}
		for _, x := range xs {
			m0 = min(m0, x)
		}
		return min(m0, m1, m2, m3)
	default:
		m0, m1, m2, m3 := xs[0], xs[0], xs[0], xs[0]
		for ; len(xs) >= 4; xs = xs[4:] {
			m0, m1, m2, m3 = max(m0, xs[0]), max(m1, xs[1]), max(m2, xs[2]), max(m3, xs[3])
		}
		for _, x := range xs {
			m0 = max(m0, x)
		}
		return max(m0, m1, m2, m3)
	}
}

func sumRun[R reg](xs []R) R {
	if len(xs) > 128 {
		half := (len(xs)/2 + 63) &^ 63
		return sumRun(xs[:half]) + sumRun(xs[half:])
	}
	var s0, s1, s2, s3, s4, s5, s6, s7 R
	for ; len(xs) >= 8; xs = xs[8:] {
		s0, s1, s2, s3 = s0+xs[0], s1+xs[1], s2+xs[2], s3+xs[3]
		s4, s5, s6, s7 = s4+xs[4], s5+xs[5], s6+xs[6], s7+xs[7]
	}
	for _, x := range xs {
		s0 += x
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

// combine folds two values.
func combine[R reg](m engine.Monoid, a, b R) R {
	switch m {
	case engine.Sum:
		return a + b
	case engine.Prod:
		return a * b
	case engine.Min:
		return min(a, b)
	default:
		return max(a, b)
	}
}

// combineInto folds xs into acc, element by element.
func combineInto[R reg](m engine.Monoid, acc, xs []R) {
	xs = xs[:len(acc)]
	switch m {
	case engine.Sum:
		if a, ok := any(acc).([]float32); ok {
			vector.Add(a, a, any(xs).([]float32))
			return
		}
		for i, x := range xs {
			acc[i] += x
		}
	case engine.Prod:
		for i, x := range xs {
			acc[i] *= x
		}
	case engine.Min:
		for i, x := range xs {
			acc[i] = min(acc[i], x)
		}
	default:
		for i, x := range xs {
			acc[i] = max(acc[i], x)
		}
	}
}

// beats reports whether b takes the place of a that came before it.
func beats[R reg](m engine.Monoid, a, b R) bool {
	if a != a {
		return false
	}
	if m == engine.ArgMin {
		return b < a || b != b
	}
	return b > a || b != b
}

// argRun is the first best value of xs, at least one, and its position.
func argRun[R reg](m engine.Monoid, xs []R) (best R, at int) {
	best = xs[0]
	if best != best {
		return best, 0
	}
	// beats, but for one comparison an element: best is a number, and one that is not ends the search.
	if m == engine.ArgMin {
		for i, x := range xs {
			if !(x >= best) {
				if best, at = x, i; x != x {
					break
				}
			}
		}
		return best, at
	}
	for i, x := range xs {
		if !(x <= best) {
			if best, at = x, i; x != x {
				break
			}
		}
	}
	return best, at
}

// foldNs is the time of folding in a value, in nanoseconds.
func foldNs(m engine.Monoid) float64 {
	switch m {
	case engine.Sum, engine.Prod:
		return 0.25
	case engine.Min, engine.Max:
		return 0.7
	default:
		return 0.9
	}
}
