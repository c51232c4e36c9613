package routine

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// runningTask is a running fold column by column, floats in float64.
type runningTask[T any] struct {
	routine
	*engine.Running
	x, a, y []T
	at      []int64
	column  func(first, step int64)
	each    int64
	work    work.Job
}

func newRunning(c *work.Setup, a *engine.Running) (work.Runner, error) {
	switch dt := c.Task.Ins[0].DType; dt {
	case tensor.Int8:
		return ofNumbers[int8, int64](c, a), nil
	case tensor.Uint8:
		return ofNumbers[uint8, uint64](c, a), nil
	case tensor.Int16:
		return ofNumbers[int16, int64](c, a), nil
	case tensor.Uint16:
		return ofNumbers[uint16, uint64](c, a), nil
	case tensor.Int32:
		return ofNumbers[int32, int64](c, a), nil
	case tensor.Uint32:
		return ofNumbers[uint32, uint64](c, a), nil
	case tensor.Int64:
		return ofNumbers[int64, int64](c, a), nil
	case tensor.Uint64:
		return ofNumbers[uint64, uint64](c, a), nil
	case tensor.Float32:
		return ofNumbers[float32, float64](c, a), nil
	case tensor.Float64:
		return ofNumbers[float64, float64](c, a), nil
	case tensor.Float16:
		return makeRunning(c, a, tensor.Half.Float64, tensor.HalfFrom64), nil
	case tensor.BFloat16:
		return makeRunning(c, a, tensor.BF16.Float64, tensor.BF16From64), nil
	default:
		return nil, fmt.Errorf("running folds of %v: %w", dt, engine.ErrUnsupported)
	}
}

func ofNumbers[T, A work.Number](c *work.Setup, a *engine.Running) work.Runner {
	return makeRunning(c, a, func(v T) A { return A(v) }, func(v A) T { return T(v) })
}

func makeRunning[T any, A work.Number](c *work.Setup, a *engine.Running, widen func(T) A, narrow func(A) T) work.Runner {
	s := &runningTask[T]{Running: a}
	per := 3.0
	if a.Fold == engine.RunningLogSum {
		per = 30
	}
	n := a.Outer * a.Length * a.Inner
	s.routine = routineOf(c, 30+float64(n)*per, "column by column")
	s.each, _ = c.Limits.Pieces(a.Outer*a.Inner, per*float64(a.Length), 1)
	s.work = func(_ int, i int64) {
		for k := i * s.each; k < min((i+1)*s.each, a.Outer*a.Inner); k++ {
			first, step := k/a.Inner*a.Length*a.Inner+k%a.Inner, a.Inner
			if a.Reverse {
				first, step = first+(a.Length-1)*a.Inner, -step
			}
			s.column(first, step)
		}
	}
	if c.Dry {
		return s
	}
	s.x = work.Typed[T](c.Ins[0])
	if a.Fold == engine.RunningLinear {
		s.a, s.x = s.x, work.Typed[T](c.Ins[1])
	}
	if c.Task.Reads(0) {
		s.y = work.Typed[T](c.Outs[0])
	}
	if a.Fold.Extreme() && c.Task.Reads(1) {
		s.at = work.Typed[int64](c.Outs[1])
	}
	s.column = runningColumn(s, widen, narrow)
	return s
}

func (s *runningTask[T]) Run(ctx context.Context, p *work.Pool) error {
	if len(s.x) == 0 {
		return ctx.Err()
	}
	return p.Run(ctx, (s.Outer*s.Inner+s.each-1)/s.each, s.wide, s.work)
}

// runningColumn returns the function that folds one column, which begins at first and goes on in steps.
func runningColumn[T any, A work.Number](s *runningTask[T], widen func(T) A, narrow func(A) T) func(first, step int64) {
	// sweep stores for each element the fold before it, if Exclusive, or the fold with it.
	sweep := func(first, step int64, value func() A, take func(at int64)) {
		for at, left := first, s.Length; left > 0; at, left = at+step, left-1 {
			if s.Exclusive && s.y != nil {
				v := narrow(value())
				take(at)
				s.y[at] = v
				continue
			}
			take(at)
			if s.y != nil {
				s.y[at] = narrow(value())
			}
		}
	}
	switch s.Fold {
	case engine.RunningProd:
		return func(first, step int64) {
			y := A(1)
			sweep(first, step, func() A { return y }, func(at int64) { y *= widen(s.x[at]) })
		}
	case engine.RunningLinear:
		return func(first, step int64) {
			var y A
			sweep(first, step, func() A { return y }, func(at int64) { y = widen(s.a[at])*y + widen(s.x[at]) })
		}
	case engine.RunningLogSum:
		return func(first, step int64) {
			top, sum := math.Inf(-1), 0.0
			sweep(first, step, func() A { return A(top + math.Log(sum)) }, func(at int64) {
				switch x := float64(widen(s.x[at])); {
				case math.IsInf(x, -1):
				case x > top:
					top, sum = x, sum*math.Exp(top-x)+1
				case x == top:
					sum++
				default:
					sum += math.Exp(x - top)
				}
			})
		}
	}
	sign := 1
	if s.Fold == engine.RunningMin {
		sign = -1
	}
	nothing := extremeOf[T](s.task.Ins[0].DType, sign < 0)
	return func(first, step int64) {
		best, found := nothing, int64(-1)
		var v A
		for at, k := first, int64(0); k < s.Length; at, k = at+step, k+1 {
			x := widen(s.x[at])
			take := found < 0 || x != x || v == v && sign*cmp.Compare(x, v) >= 0
			j := k
			if s.Reverse {
				j = s.Length - 1 - k
			}
			before, where := best, found
			if take {
				v, best, found = x, s.x[at], j
			}
			if !s.Exclusive {
				before, where = best, found
			}
			if s.y != nil {
				s.y[at] = before
			}
			if s.at != nil {
				s.at[at] = where
			}
		}
	}
}

// extremeOf is the largest or smallest value of a dtype.
func extremeOf[T any](dt tensor.DType, largest bool) T {
	v := math.Inf(-1)
	if largest {
		v = math.Inf(1)
	}
	b, _ := tensor.Must(tensor.Cast(tensor.Scalar(v), dt)).Bytes()
	return work.Typed[T](b)[0]
}
