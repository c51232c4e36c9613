package fallback

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// naive follows the definition of a task literally, one point at a time. It
// shares nothing with the engine but the scalar functions.
type naive struct {
	t   *engine.Task
	ins [][]byte
	run uint32
}

// value is a value of a dtype: f for floats, i for the rest.
type value struct {
	f float64
	i int64
}

func (v value) block(dt tensor.DType) (b engine.Block) {
	switch engine.ClassOf(dt) {
	case engine.ClassF32:
		b.F32 = []float32{float32(v.f)}
	case engine.ClassF64:
		b.F64 = []float64{v.f}
	case engine.ClassI64:
		b.I64 = []int64{v.i}
	default:
		b.U64 = []uint64{uint64(v.i)}
	}
	return b
}

func valueOf(b engine.Block) value {
	switch {
	case b.F32 != nil:
		return value{f: float64(b.F32[0])}
	case b.F64 != nil:
		return value{f: b.F64[0]}
	case b.I64 != nil:
		return value{i: b.I64[0]}
	default:
		return value{i: int64(b.U64[0])}
	}
}

// wrapped is v at the width of an integer dtype.
func (v value) wrapped(dt tensor.DType) value {
	switch dt {
	case tensor.Int8:
		v.i = int64(int8(v.i))
	case tensor.Int16:
		v.i = int64(int16(v.i))
	case tensor.Int32:
		v.i = int64(int32(v.i))
	case tensor.Uint8:
		v.i = int64(uint8(v.i))
	case tensor.Uint16:
		v.i = int64(uint16(v.i))
	case tensor.Uint32:
		v.i = int64(uint32(v.i))
	}
	return v
}

func decode(dt tensor.DType, mem []byte, at int64) value {
	switch dt {
	case tensor.Bool, tensor.Uint8:
		return value{i: int64(mem[at])}
	case tensor.Int8:
		return value{i: int64(int8(mem[at]))}
	case tensor.Int16:
		return value{i: int64(work.Typed[int16](mem)[at])}
	case tensor.Uint16:
		return value{i: int64(work.Typed[uint16](mem)[at])}
	case tensor.Int32:
		return value{i: int64(work.Typed[int32](mem)[at])}
	case tensor.Uint32:
		return value{i: int64(work.Typed[uint32](mem)[at])}
	case tensor.Int64, tensor.Uint64:
		return value{i: work.Typed[int64](mem)[at]}
	case tensor.Float16:
		return value{f: work.Typed[tensor.Half](mem)[at].Float64()}
	case tensor.BFloat16:
		return value{f: work.Typed[tensor.BF16](mem)[at].Float64()}
	case tensor.Float32:
		return value{f: float64(work.Typed[float32](mem)[at])}
	default:
		return value{f: work.Typed[float64](mem)[at]}
	}
}

func encode(dt tensor.DType, mem []byte, at int64, v value) {
	switch dt {
	case tensor.Bool:
		mem[at] = 0
		if v.i != 0 {
			mem[at] = 1
		}
	case tensor.Int8, tensor.Uint8:
		mem[at] = byte(v.i)
	case tensor.Int16, tensor.Uint16:
		work.Typed[int16](mem)[at] = int16(v.i)
	case tensor.Int32, tensor.Uint32:
		work.Typed[int32](mem)[at] = int32(v.i)
	case tensor.Int64, tensor.Uint64:
		work.Typed[int64](mem)[at] = v.i
	case tensor.Float16:
		work.Typed[tensor.Half](mem)[at] = tensor.HalfFrom64(v.f)
	case tensor.BFloat16:
		work.Typed[tensor.BF16](mem)[at] = tensor.BF16From64(v.f)
	case tensor.Float32:
		work.Typed[float32](mem)[at] = float32(v.f)
	default:
		work.Typed[float64](mem)[at] = v.f
	}
}

func (n *naive) index(x *engine.Index, at []int64) int64 {
	v := x.Const
	for _, t := range x.Terms {
		var a int64
		switch t.Atom.Kind {
		case engine.AtomAxis:
			a = at[t.Atom.Axis]
		case engine.AtomDiv:
			a = int64(math.Floor(float64(n.index(t.Atom.X, at)) / float64(t.Atom.D)))
		case engine.AtomMod:
			a = ((n.index(t.Atom.X, at) % t.Atom.D) + t.Atom.D) % t.Atom.D
		default:
			a = n.expr(t.Atom.Data, at, nil).i
		}
		v += t.Coef * a
	}
	return v
}

func (n *naive) holds(conds []engine.Cond, at []int64) bool {
	for _, c := range conds {
		if x := n.index(c.X, at); x < c.Lo || x >= c.Hi {
			return false
		}
	}
	return true
}

func (n *naive) expr(e *engine.Expr, at []int64, accs []value) value {
	switch e.Op {
	case engine.OpConst:
		if e.DType.IsFloat() {
			return value{f: e.Value.Float}
		}
		return value{i: e.Value.Int}
	case engine.OpLoad:
		if !n.holds(e.Conds, at) {
			return value{}
		}
		return decode(e.DType, n.ins[e.Input], n.index(e.Addr, at))
	case engine.OpIndex:
		x := n.index(e.Addr, at)
		if e.DType.IsFloat() {
			return value{f: float64(x)}
		}
		return value{i: x}.wrapped(e.DType)
	case engine.OpValid:
		if n.holds(e.Conds, at) {
			return value{i: 1}
		}
		return value{}
	case engine.OpRun:
		return value{i: int64(n.run)}
	case engine.OpAcc:
		return accs[e.Input]
	}
	var args []engine.Block
	var in []tensor.DType
	for _, a := range e.Args {
		args = append(args, n.expr(a, at, accs).block(a.DType))
		in = append(in, a.DType)
	}
	dst := value{}.block(e.DType)
	e.Fn.Host(e.DType, in, dst, args)
	return valueOf(dst).wrapped(e.DType)
}

// each calls f with every point of the axes from to to, in row-major order.
// Coordinates of other axes stay.
func (n *naive) each(at []int64, from, to int, f func()) {
	if from == to {
		f()
		return
	}
	for at[from] = 0; at[from] < int64(n.t.Axes[from]); at[from]++ {
		n.each(at, from+1, to, f)
	}
	at[from] = 0
}

// compute is the outputs of the task.
func (n *naive) compute() (outs [][]byte) {
	t := n.t
	at := make([]int64, len(t.Axes))
	pos := make([]int64, len(t.Outs))
	for _, o := range t.Outs {
		outs = append(outs, tensor.AlignedBytes(int(o.Bytes())))
	}
	store := func(i int, v value) {
		encode(t.Outs[i].DType, outs[i], pos[i], v)
		pos[i]++
	}
	put := func(i int, accs []value) { store(i, n.expr(t.Values[i], at, accs)) }
	switch t.Kind {
	case engine.Map:
		n.each(at, 0, len(at), func() {
			for i := range outs {
				put(i, nil)
			}
		})
	case engine.Reduce, engine.Row:
		_, g := t.Group(0)
		n.each(at, 0, g, func() {
			var accs []value
			for _, f := range t.Folds {
				accs = append(accs, n.fold(f, at, g, accs))
			}
			for i := range outs {
				if t.Kind == engine.Row && t.OverRow(i) {
					n.each(at, g, len(at), func() { put(i, accs) })
				} else {
					put(i, accs)
				}
			}
		})
	case engine.Contract:
		_, g := t.Group(2)
		n.each(at, 0, g, func() {
			var sum value
			n.each(at, g, len(at), func() {
				a, b := n.expr(t.A, at, nil), n.expr(t.B, at, nil)
				sum = value{sum.f + a.f*b.f, sum.i + a.i*b.i}
			})
			put(0, []value{sum.wrapped(t.Acc)})
		})
	case engine.Scatter:
		n.scatter(at, func(v value) { store(0, v) })
	}
	return outs
}

func (n *naive) fold(f engine.Fold, at []int64, g int, accs []value) value {
	dt := f.Acc
	if f.Monoid.IsArg() {
		dt = f.Value.DType
	}
	var best value
	var count, where int64
	n.each(at, g, len(at), func() {
		v := n.expr(f.Value, at, accs)
		b := best
		switch {
		case count == 0:
			b = v
		case f.Monoid == engine.Sum:
			b = value{b.f + v.f, b.i + v.i}
		case f.Monoid == engine.Prod:
			b = value{b.f * v.f, b.i * v.i}
		default:
			wins := v.less(b, dt)
			if f.Monoid == engine.Max || f.Monoid == engine.ArgMax {
				wins = b.less(v, dt)
			}
			if (wins || math.IsNaN(v.f)) && !math.IsNaN(b.f) {
				b, where = v, count
			}
		}
		best = b
		count++
	})
	if f.Monoid.IsArg() {
		return value{i: where}
	}
	if count == 0 {
		id := identity(f.Monoid, dt)
		best = value{id.Float, id.Int}
		if dt.IsFloat() {
			best.i = 0
		} else {
			best.f = 0
		}
	}
	return best.wrapped(dt)
}

func (v value) less(w value, dt tensor.DType) bool {
	switch {
	case dt.IsFloat():
		return v.f < w.f
	case dt.IsSigned():
		return v.i < w.i
	default:
		return uint64(v.i) < uint64(w.i)
	}
}

func (n *naive) scatter(at []int64, put func(value)) {
	t := n.t
	nFrom, nTo := t.Group(1)
	dFrom, dTo := t.Group(2)
	v := int64(-1)
	n.each(at, 0, nFrom, func() {
		v++
		n.each(at, dFrom, dTo, func() {
			sum := n.expr(t.Values[0], at, nil)
			n.each(at, nFrom, nTo, func() {
				if n.expr(t.At, at, nil).i == v {
					u := n.expr(t.Update, at, nil)
					sum = value{sum.f + u.f, sum.i + u.i}
				}
			})
			put(sum)
		})
	})
}

// runTask executes t, which has one output, over the inputs' bytes on e.
func runTask(t *testing.T, e *Engine, task *engine.Task, run uint32, ins ...[]byte) []byte {
	t.Helper()
	outs, err := tryTask(t, e, task, run, ins...)
	require.NoError(t, err)
	require.Len(t, outs, 1)
	return outs[0]
}

func tryTask(t *testing.T, e *Engine, task *engine.Task, run uint32, ins ...[]byte) (outs [][]byte, err error) {
	t.Helper()
	b := engine.Bound{Task: task}
	for _, in := range ins {
		m, err := e.Alloc(int64(len(in)))
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, e.Write(t.Context(), m, 0, in))
		b.Ins = append(b.Ins, engine.Slot{Mem: m})
	}
	for i, o := range task.Outs {
		if a := task.AliasOf(i); a >= 0 {
			b.Outs = append(b.Outs, b.Ins[a])
			continue
		}
		m, err := e.Alloc(o.Bytes())
		require.NoError(t, err)
		defer m.Close()
		b.Outs = append(b.Outs, engine.Slot{Mem: m})
	}
	s, err := e.Prepare(t.Context(), []engine.Bound{b})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Run(t.Context(), 0, 1, run); err != nil {
		return nil, err
	}
	for i, o := range task.Outs {
		out := tensor.AlignedBytes(int(o.Bytes()))
		if err := e.Read(t.Context(), out, b.Outs[i].Mem, 0); err != nil {
			return nil, err
		}
		outs = append(outs, out)
	}
	return outs, nil
}

// requireNaive compares the engine with the definition, bit by bit but for
// the payload of NaN.
func requireNaive(t *testing.T, e *Engine, task *engine.Task, ins ...[]byte) {
	t.Helper()
	got, err := tryTask(t, e, task, 7, ins...)
	require.NoError(t, err)
	want := (&naive{t: task, ins: ins, run: 7}).compute()
	for k, o := range task.Outs {
		for i := range o.Len {
			g, w := decode(o.DType, got[k], i), decode(o.DType, want[k], i)
			if g != w && !(math.IsNaN(g.f) && math.IsNaN(w.f)) {
				require.Equal(t, w, g, "element %d of output %d of %v", i, k, task)
			}
		}
	}
}
