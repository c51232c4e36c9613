package taskref

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Eval computes the outputs of t from its inputs, which are dense and in the
// host's byte order, for run number 0. Errors: inputs that do not fit t, an
// address outside its buffer.
func Eval(t *engine.Task, ins [][]byte) ([][]byte, error) { return EvalRun(t, ins, 0) }

// EvalRun is Eval for a given run number.
func EvalRun(t *engine.Task, ins [][]byte, run uint32) (outs [][]byte, err error) {
	if len(ins) != len(t.Ins) {
		return nil, fmt.Errorf("taskref: %d inputs for %d operands", len(ins), len(t.Ins))
	}
	for i, in := range t.Ins {
		if int64(len(ins[i])) != in.Bytes() {
			return nil, fmt.Errorf("taskref: input %d has %d bytes, not %d", i, len(ins[i]), in.Bytes())
		}
	}
	for _, o := range t.Outs {
		outs = append(outs, make([]byte, o.Bytes()))
	}
	if t.Kind == engine.Custom {
		return outs, custom(t, ins, outs)
	}
	if t.Kind == engine.Routine {
		return nil, fmt.Errorf("taskref: %v: %w", t.Algorithm, engine.ErrUnsupported)
	}
	r := &runner{task: t, ins: ins, run: run, at: make([]int64, len(t.Axes))}
	defer func() {
		if p := recover(); p != nil {
			fault, ok := p.(fault)
			if !ok {
				panic(p)
			}
			err = fault.err
		}
	}()
	switch t.Kind {
	case engine.Map:
		r.mapTask(outs)
	case engine.Reduce, engine.Row:
		r.rows(outs)
	case engine.Contract:
		r.contract(outs)
	case engine.Scatter:
		r.scatter(outs[0])
	case engine.Attention:
		r.attention(outs)
	}
	return outs, nil
}

// fault carries an error out of the recursion.
type fault struct{ err error }

type runner struct {
	task *engine.Task
	ins  [][]byte
	run  uint32
	at   []int64          // the point
	accs []value          // results of folds so far
	memo map[string]value // of one point
}

// points calls f with the row-major number of every point of the axes of the
// groups, r.at set to it.
func (r *runner) points(f func(n int64), groups ...int) {
	var axes []int
	for _, g := range groups {
		from, to := r.task.Group(g)
		for a := from; a < to; a++ {
			if r.task.Axes[a] == 0 {
				return
			}
			r.at[a] = 0
			axes = append(axes, a)
		}
	}
	for n := int64(0); ; n++ {
		f(n)
		i := len(axes) - 1
		for ; i >= 0; i-- {
			a := axes[i]
			if r.at[a]++; r.at[a] < int64(r.task.Axes[a]) {
				break
			}
			r.at[a] = 0
		}
		if i < 0 {
			return
		}
	}
}

// eval is the value of e at the point.
func (r *runner) eval(e *engine.Expr) value {
	r.memo = map[string]value{}
	return r.value(e)
}

func (r *runner) value(e *engine.Expr) value {
	if v, ok := r.memo[e.Key()]; ok {
		return v
	}
	v := r.compute(e)
	r.memo[e.Key()] = v
	return v
}

func (r *runner) compute(e *engine.Expr) value {
	switch e.Op {
	case engine.OpLoad:
		if !r.holds(e.Conds) {
			return value{}
		}
		in, i := r.task.Ins[e.Input], r.index(e.Addr)
		if i < 0 || i >= in.Len {
			panic(fault{fmt.Errorf("taskref: address %d of input %d, which has %d elements (%v at %v)", i, e.Input, in.Len, e.Addr, r.at)})
		}
		return convert(in.DType, e.DType, load(in.DType, r.ins[e.Input], i))
	case engine.OpConst:
		return wrap(e.DType, value{e.Value.Float, e.Value.Int})
	case engine.OpIndex:
		return convert(tensor.Int64, e.DType, value{i: r.index(e.Addr)})
	case engine.OpValid:
		if r.holds(e.Conds) {
			return value{i: 1}
		}
		return value{}
	case engine.OpAcc:
		return r.accs[e.Input]
	case engine.OpRun:
		return value{i: int64(r.run)}
	}
	in := make([]tensor.DType, len(e.Args))
	args := make([]engine.Block, len(e.Args))
	for i, a := range e.Args {
		in[i] = a.DType
		args[i] = block(a.DType, r.value(a))
	}
	dst := block(e.DType, value{})
	e.Fn.Host(e.DType, in, dst, args)
	return unblock(e.DType, dst)
}

func (r *runner) holds(conds []engine.Cond) bool {
	for _, c := range conds {
		if x := r.index(c.X); x < c.Lo || x >= c.Hi {
			return false
		}
	}
	return true
}

func (r *runner) index(x *engine.Index) int64 {
	v := x.Const
	for _, t := range x.Terms {
		var a int64
		switch t.Atom.Kind {
		case engine.AtomAxis:
			a = r.at[t.Atom.Axis]
		case engine.AtomDiv:
			a = floorDiv(r.index(t.Atom.X), t.Atom.D)
		case engine.AtomMod:
			y := r.index(t.Atom.X)
			a = y - floorDiv(y, t.Atom.D)*t.Atom.D
		case engine.AtomMin:
			a = min(r.index(t.Atom.X), t.Atom.D)
		default:
			a = r.value(t.Atom.Data).i
		}
		v += t.Coef * a
	}
	return v
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
