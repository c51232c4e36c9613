package taskref

import (
	"errors"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// put stores the value of output i as its element n.
func (r *runner) put(i int, outs [][]byte, n int64) {
	e, o := r.task.Values[i], r.task.Outs[i].DType
	store(o, outs[i], n, convert(e.DType, o, r.eval(e)))
}

func (r *runner) mapTask(outs [][]byte) {
	r.points(func(n int64) {
		for i := range outs {
			r.put(i, outs, n)
		}
	}, 0)
}

// rows is Reduce and Row: the folds of every row, then its outputs.
func (r *runner) rows(outs [][]byte) {
	t := r.task
	cols := t.Size(1)
	from, _ := t.Group(1)
	r.points(func(row int64) {
		outer := append([]int64(nil), r.at[:from]...)
		r.accs = r.accs[:0]
		for _, f := range t.Folds {
			r.accs = append(r.accs, r.fold(f))
		}
		for i := range outs {
			if t.Kind == engine.Row && t.OverRow(i) {
				r.points(func(q int64) { r.put(i, outs, row*cols+q) }, 1)
			} else {
				clear(r.at[from:])
				r.put(i, outs, row)
			}
		}
		copy(r.at, outer)
	}, 0)
}

// fold folds f's values over the points of group 1.
func (r *runner) fold(f engine.Fold) value {
	dt := f.Acc
	if f.Monoid.IsArg() {
		dt = f.Value.DType
	}
	acc, best := identity(f.Monoid, dt), int64(-1)
	r.points(func(q int64) {
		v := convert(f.Value.DType, dt, r.eval(f.Value))
		switch f.Monoid {
		case engine.Sum:
			acc = value{acc.f + v.f, acc.i + v.i}
		case engine.Prod:
			acc = value{acc.f * v.f, acc.i * v.i}
		default:
			smaller := f.Monoid == engine.Min || f.Monoid == engine.ArgMin
			better := smaller && less(dt, v, acc) || !smaller && less(dt, acc, v) || isNaN(v)
			if !isNaN(acc) && better || best < 0 {
				acc, best = v, q
			}
		}
	}, 1)
	if f.Monoid.IsArg() {
		return value{i: max(best, 0)}
	}
	return wrap(dt, acc)
}

// identity is the result of an empty fold.
func identity(m engine.Monoid, dt tensor.DType) value {
	low, high := value{f: math.Inf(-1)}, value{f: math.Inf(1)}
	if !dt.IsFloat() {
		bits := 8 * dt.Size()
		switch {
		case dt == tensor.Bool:
			low, high = value{}, value{i: 1}
		case dt.IsSigned():
			low, high = value{i: math.MinInt64 >> (64 - bits)}, value{i: math.MaxInt64 >> (64 - bits)}
		default:
			low, high = value{}, value{i: int64(uint64(math.MaxUint64) >> (64 - bits))}
		}
	}
	switch m {
	case engine.Prod:
		return value{1, 1}
	case engine.Min, engine.ArgMin:
		return high
	case engine.Max, engine.ArgMax:
		return low
	}
	return value{}
}

func (r *runner) contract(outs [][]byte) {
	t := r.task
	// Operands are evaluated once for each point of the groups that they are over.
	table := func(dst []value, e *engine.Expr, groups ...int) []value {
		dst = dst[:0]
		r.points(func(int64) { dst = append(dst, convert(e.DType, t.Acc, r.eval(e))) }, groups...)
		return dst
	}
	terms := t.Size(3)
	from, to := t.Group(3)
	var n int64
	var as, bs []value
	r.points(func(int64) {
		bs = table(bs, t.B, 2, 3)
		r.points(func(int64) {
			as = table(as, t.A, 3)
			clear(r.at[from:to])
			r.points(func(column int64) {
				var sum value
				for i, a := range as {
					b := bs[column*terms+int64(i)]
					sum = value{sum.f + a.f*b.f, sum.i + a.i*b.i}
				}
				r.accs = []value{wrap(t.Acc, sum)}
				r.put(0, outs, n)
				n++
			}, 2)
		}, 1)
	}, 0)
}

// scatter folds updates in the order of n. The positions that At gives count
// the points of group 0; others are skipped.
func (r *runner) scatter(out []byte) {
	t := r.task
	o := t.Outs[0].DType
	sums := make([]value, t.Outs[0].Len)
	r.points(func(n int64) { sums[n] = r.eval(t.Values[0]) }, 0, 2)
	rows, cols := t.Size(0), t.Size(2)
	r.points(func(int64) {
		r.points(func(d int64) {
			v := r.eval(t.At).i
			if v < 0 || v >= rows {
				return
			}
			u, s := r.eval(t.Update), &sums[v*cols+d]
			*s = putInto(t, *s, u)
		}, 2)
	}, 1)
	for i, s := range sums {
		store(o, out, int64(i), convert(t.Values[0].DType, o, wrap(t.Values[0].DType, s)))
	}
}

// putInto is the result of a scatter's update u of an element s.
func putInto(t *engine.Task, s, u value) value {
	dt := t.Values[0].DType
	switch t.Put {
	case engine.PutAdd:
		return value{s.f + u.f, s.i + u.i}
	case engine.PutMul:
		return value{s.f * u.f, s.i * u.i}
	case engine.PutSet:
		return u
	}
	if isNaN(u) || t.Put == engine.PutMin && less(dt, u, s) || t.Put == engine.PutMax && less(dt, s, u) {
		return u
	}
	return s
}

func custom(t *engine.Task, ins, outs [][]byte) error {
	k := t.Custom
	if k.Host == nil {
		return errors.New("taskref: a custom kernel without its function in Go")
	}
	over := func(ops []engine.Operand, mem [][]byte, shapes [][]int) (ts []*tensor.Tensor, err error) {
		for i, o := range ops {
			x, err := tensor.FromBytes(o.DType, mem[i], shapes[i]...)
			if err != nil {
				return nil, err
			}
			ts = append(ts, x)
		}
		return ts, nil
	}
	in, err := over(t.Ins, ins, k.InShapes)
	if err != nil {
		return err
	}
	out, err := over(t.Outs, outs, k.OutShapes)
	if err != nil {
		return err
	}
	return k.Host(out, in)
}
