package routine

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// scanColumns is how many columns of a scan go side by side.
const scanColumns = 256

// scanRun is how many numbers are added up one after the other before a running sum takes them up.
const scanRun = 32

// scanTask sums along the middle axis, floats in float64: a sum is off by (scanRun + 4) 2^-53 of the sum of the
// magnitudes at most, beside the rounding to its dtype. Work is cut by rows, columns and, where these are
// few, along the axis: then the parts are summed first, and each begins with the sums of those before.
type scanTask[T any, A sums] struct {
	routine
	*engine.Scan
	x, y                 []T
	widen                func(T) A
	narrow               func(A) T
	columns, strips      int64 // of a piece, and pieces of a row
	parts, span          int64 // along the axis
	acc, runs, sums      int   // reserved for each worker: running sums, and the run at hand; shared
	doSum, doScan        work.Job
	sumRow, scanRow      func(s *scanTask[T, A], from, to int64, at, step int64, sum *runningSum[A])
	pieces, piecesOfRows int64
}

type sums interface{ float64 | uint64 }

// runningSum is sum + rest, where rest is the error of sum: see compensate.
type runningSum[A sums] struct{ sum, rest A }

func (s *runningSum[A]) add(v A) {
	v += s.rest
	sum := s.sum + v
	got := sum - s.sum
	if s.sum, s.rest = sum, v-got; got-got != 0 {
		s.rest = 0
	}
}

func newScan(c *work.Setup, a *engine.Scan) (work.Runner, error) {
	switch dt := c.Task.Ins[0].DType; dt {
	case tensor.Int8, tensor.Uint8: // a sum that wraps is the same of both signs
		return makeScan(c, a, numbersOf[uint8, uint64]()), nil
	case tensor.Int16, tensor.Uint16:
		return makeScan(c, a, numbersOf[uint16, uint64]()), nil
	case tensor.Int32, tensor.Uint32:
		return makeScan(c, a, numbersOf[uint32, uint64]()), nil
	case tensor.Int64, tensor.Uint64:
		return makeScan(c, a, numbersOf[uint64, uint64]()), nil
	case tensor.Float32:
		return makeScan(c, a, numbersOf[float32, float64]()), nil
	case tensor.Float64:
		return makeScan(c, a, numbersOf[float64, float64]()), nil
	case tensor.Float16:
		return makeScan(c, a, &scanTask[tensor.Half, float64]{widen: tensor.Half.Float64, narrow: tensor.HalfFrom64}), nil
	case tensor.BFloat16:
		return makeScan(c, a, &scanTask[tensor.BF16, float64]{widen: tensor.BF16.Float64, narrow: tensor.BF16From64}), nil
	default:
		return nil, fmt.Errorf("running sums of %v: %w", dt, engine.ErrUnsupported)
	}
}

// numbersOf returns the scan for types that Go converts, without a call for each element.
func numbersOf[T work.Number, A sums]() *scanTask[T, A] {
	return &scanTask[T, A]{
		widen: func(v T) A { return A(v) }, narrow: func(v A) T { return T(v) },
		sumRow: func(s *scanTask[T, A], from, to, at, step int64, sum *runningSum[A]) {
			for from < to {
				var own A
				for end := min(from+scanRun, to); from < end; from++ {
					own += A(s.x[at])
					at += step
				}
				sum.add(own)
			}
		},
		scanRow: func(s *scanTask[T, A], from, to, at, step int64, sum *runningSum[A]) {
			for from < to {
				end := min(from+scanRun, to)
				before, own := sum.sum+sum.rest, A(0)
				if s.Exclusive {
					for ; from < end; from++ {
						v := A(s.x[at])
						s.y[at] = T(before + own)
						own += v
						at += step
					}
				} else {
					for ; from < end; from++ {
						own += A(s.x[at])
						s.y[at] = T(before + own)
						at += step
					}
				}
				sum.add(own)
			}
		},
	}
}

func makeScan[T any, A sums](c *work.Setup, a *engine.Scan, s *scanTask[T, A]) work.Runner {
	s.Scan = a
	perElement := 1.2
	if s.scanRow == nil { // a call to widen and one to narrow
		perElement = 6
		s.sumRow, s.scanRow = sumVia[T, A], scanVia[T, A]
	}
	n := a.Outer * a.Length * a.Inner
	s.routine = routineOf(c, 30+float64(n)*perElement, "row by row")
	s.columns = max(min(a.Inner, scanColumns), 1)
	s.strips = (a.Inner + s.columns - 1) / s.columns
	s.parts, s.span = 1, a.Length
	rows := a.Outer * s.strips
	if want := 4 * int64(c.Width); s.wide && rows < want && rows > 0 && s.Length >= 1<<10 {
		s.parts = min((want+rows-1)/rows, s.Length>>8)
		s.span = (s.Length + s.parts - 1) / s.parts
		s.parts = (s.Length + s.span - 1) / s.span
		s.how = "sums of parts, then each on from these"
	}
	s.sums = c.ReserveShared(int(a.Outer*a.Inner*s.parts) * 16)
	s.acc = c.Reserve(int(s.columns) * 16)
	s.runs = c.Reserve(int(s.columns) * 16)
	// A piece is at least so many rows that it is worth handing out.
	s.piecesOfRows, _ = c.Limits.Pieces(rows*s.parts, perElement*float64(s.span*s.columns), 1)
	s.pieces = (rows*s.parts + s.piecesOfRows - 1) / s.piecesOfRows
	s.doSum = func(worker int, i int64) { s.each(worker, i, s.sumPart) }
	s.doScan = func(worker int, i int64) { s.each(worker, i, s.scanPart) }
	if !c.Dry {
		s.x, s.y = work.Typed[T](c.Ins[0]), work.Typed[T](c.Outs[0])
	}
	return s
}

func (s *scanTask[T, A]) Run(ctx context.Context, p *work.Pool) error {
	if len(s.y) == 0 {
		return ctx.Err()
	}
	if s.parts > 1 {
		if err := p.Run(ctx, s.pieces, s.wide, s.doSum); err != nil {
			return err
		}
	}
	return p.Run(ctx, s.pieces, s.wide, s.doScan)
}

// each does the parts of piece i.
func (s *scanTask[T, A]) each(worker int, i int64, do func(worker int, outer, column, part int64)) {
	for k := i * s.piecesOfRows; k < min((i+1)*s.piecesOfRows, s.Outer*s.strips*s.parts); k++ {
		row, part := k/s.parts, k%s.parts
		do(worker, row/s.strips, row%s.strips*s.columns, part)
	}
}

// place is where step from of a row begins, and how far the next one is.
func (s *scanTask[T, A]) place(outer, column, from int64) (at, step int64) {
	if s.Reverse {
		return (outer*s.Length+s.Length-1-from)*s.Inner + column, -s.Inner
	}
	return (outer*s.Length+from)*s.Inner + column, s.Inner
}

// before are the sums of all parts of a column.
func (s *scanTask[T, A]) before(outer, column int64) []runningSum[A] {
	all := work.Shared[runningSum[A]](s.env, s.sums, s.Outer*s.Inner*s.parts)
	return all[(outer*s.Inner+column)*s.parts:][:s.parts]
}

func (s *scanTask[T, A]) sumPart(_ int, outer, column, part int64) {
	from, to := part*s.span, min((part+1)*s.span, s.Length)
	for c := column; c < min(column+s.columns, s.Inner); c++ {
		at, step := s.place(outer, c, from)
		var sum runningSum[A]
		s.sumRow(s, from, to, at, step, &sum)
		s.before(outer, c)[part] = sum
	}
}

func (s *scanTask[T, A]) scanPart(worker int, outer, column, part int64) {
	from, to := part*s.span, min((part+1)*s.span, s.Length)
	n := min(s.columns, s.Inner-column)
	acc := work.Scratch[runningSum[A]](s.env, worker, s.acc, s.columns)[:n]
	clear(acc)
	if s.parts > 1 {
		for c := range acc {
			for _, v := range s.before(outer, column+int64(c))[:part] {
				acc[c].add(v.sum)
				acc[c].rest += v.rest
			}
		}
	}
	at, step := s.place(outer, column, from)
	if n == 1 {
		s.scanRow(s, from, to, at, step, &acc[0])
		return
	}
	run := work.Scratch[A](s.env, worker, s.runs, 2*s.columns)
	before, own := run[:n], run[s.columns:][:n]
	for from < to {
		for c, a := range acc {
			before[c], own[c] = a.sum+a.rest, 0
		}
		for end := min(from+scanRun, to); from < end; from++ {
			x, y := s.x[at:][:n], s.y[at:][:n]
			for c := range own {
				v := s.widen(x[c])
				if !s.Exclusive {
					y[c] = s.narrow(before[c] + (own[c] + v))
				} else {
					y[c] = s.narrow(before[c] + own[c])
				}
				own[c] += v
			}
			at += step
		}
		for c := range acc {
			acc[c].add(own[c])
		}
	}
}

func sumVia[T any, A sums](s *scanTask[T, A], from, to, at, step int64, sum *runningSum[A]) {
	for from < to {
		var own A
		for end := min(from+scanRun, to); from < end; from++ {
			own += s.widen(s.x[at])
			at += step
		}
		sum.add(own)
	}
}

func scanVia[T any, A sums](s *scanTask[T, A], from, to, at, step int64, sum *runningSum[A]) {
	for from < to {
		before, own := sum.sum+sum.rest, A(0)
		for end := min(from+scanRun, to); from < end; from++ {
			v := s.widen(s.x[at])
			if !s.Exclusive {
				s.y[at] = s.narrow(before + (own + v))
			} else {
				s.y[at] = s.narrow(before + own)
			}
			own += v
			at += step
		}
		sum.add(own)
	}
}
