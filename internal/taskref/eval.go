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
	r := &runner{task: t, ins: ins, run: run, at: make([]int64, len(t.Axes)), memo: map[*engine.Expr]*known{}}
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
	at   []int64 // the point
	accs []value // results of folds so far
	memo map[*engine.Expr]*known
	now  int64 // the number of the evaluation
}

// known is the value of a function of others as of the evaluation of a number, and what the function is called with.
type known struct {
	at   int64
	v    value
	in   []tensor.DType
	args []engine.Block
	dst  engine.Block
}

func newKnown(e *engine.Expr) *known {
	k := &known{dst: block(e.DType, value{})}
	for _, a := range e.Args {
		k.in, k.args = append(k.in, a.DType), append(k.args, block(a.DType, value{}))
	}
	return k
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
	r.now++
	return r.value(e)
}

func (r *runner) value(e *engine.Expr) value {
	if e.Op != engine.OpApply { // as quickly computed as found
		return r.leaf(e)
	}
	k := r.memo[e]
	if k == nil {
		k = newKnown(e)
		r.memo[e] = k
	}
	if k.at != r.now {
		for i, a := range e.Args {
			set(a.DType, k.args[i], r.value(a))
		}
		e.Fn.Host(e.DType, k.in, k.dst, k.args)
		k.at, k.v = r.now, unblock(e.DType, k.dst)
	}
	return k.v
}

// leaf is the value of an expression that is no function of others.
func (r *runner) leaf(e *engine.Expr) value {
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
	panic(fault{fmt.Errorf("taskref: an expression of kind %d", e.Op)})
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
