package fallback

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/check"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// The scalar functions of the tests, exact on small integers in every dtype.
var (
	fnAdd = scalar("add", 2, func(x []value) value { return value{x[0].f + x[1].f, x[0].i + x[1].i} })
	fnMul = scalar("mul", 2, func(x []value) value { return value{x[0].f * x[1].f, x[0].i * x[1].i} })
	fnNeg = scalar("neg", 1, func(x []value) value { return value{-x[0].f, -x[0].i} })
	fnSel = scalar("sel", 3, func(x []value) value {
		if x[0].i != 0 {
			return x[1]
		}
		return x[2]
	})
	fnCast = &engine.Scalar{Name: "cast", Arity: 1, Flops: 1, Host: func(_ tensor.DType, _ []tensor.DType, dst engine.Block,
		args []engine.Block) {
		convert(dst, args[0])
	}}
)

func scalar(name string, arity int, f func(x []value) value) *engine.Scalar {
	return &engine.Scalar{Name: name, Arity: arity, Flops: 1, Host: func(out tensor.DType, in []tensor.DType, dst engine.Block,
		args []engine.Block) {
		n := max(len(dst.F32), len(dst.F64), len(dst.I64), len(dst.U64))
		x := make([]value, arity)
		for i := range n {
			for j, a := range args {
				x[j] = valueOf(cut(a, i, i+1))
			}
			copyBlock(cut(dst, i, i+1), f(x).block(out))
		}
	}}
}

// world makes random tasks and the memory that they read.
type world struct {
	*rand.Rand
	dom  engine.Domain
	axes []int // those an expression may use now
	ops  []engine.Operand
	mem  [][]byte
}

// input is a new input of n elements, small integers in any dtype.
func (w *world) input(dt tensor.DType, n, lo, hi int64) int {
	mem := tensor.AlignedBytes(int(n) * dt.Size())
	for i := range n {
		v := lo + w.Int64N(hi-lo+1)
		if !dt.IsSigned() {
			v = max(v, -v)
		}
		if dt == tensor.Bool {
			v &= 1
		}
		encode(dt, mem, i, value{float64(v), v})
	}
	w.ops = append(w.ops, engine.Operand{DType: dt, Len: n})
	w.mem = append(w.mem, mem)
	return len(w.ops) - 1
}

func (w *world) axis() *engine.Index {
	if len(w.axes) == 0 {
		return engine.ConstIndex(int64(w.IntN(3)))
	}
	return engine.AxisIndex(w.axes[w.IntN(len(w.axes))])
}

// index is a random index; gathers says whether it may look values up.
func (w *world) index(depth int, gathers bool) *engine.Index {
	if depth == 0 {
		return w.axis()
	}
	x := w.index(depth-1, gathers)
	switch w.IntN(8) {
	case 0:
		return x.Div(int64(2+w.IntN(7)), w.dom)
	case 1:
		return x.Mod(int64(2+w.IntN(7)), w.dom)
	case 2:
		return x.Mul(int64(w.IntN(7) - 3))
	case 3:
		if gathers {
			return engine.DataIndex(w.load([]tensor.DType{tensor.Int8, tensor.Uint16, tensor.Int32, tensor.Int64}[w.IntN(4)], depth-1))
		}
		return x
	default:
		return x.Add(w.axis().Mul(int64(1 + w.IntN(5)))).AddConst(int64(w.IntN(5) - 2))
	}
}

// dense is the address of a dense operand over the axes in use, in this or
// another order.
func (w *world) dense() *engine.Index {
	x, step := engine.ConstIndex(0), int64(1)
	axes := slices.Clone(w.axes)
	if w.IntN(2) == 0 {
		w.Shuffle(len(axes), func(i, j int) { axes[i], axes[j] = axes[j], axes[i] })
	}
	for _, a := range slices.Backward(axes) {
		if w.IntN(6) > 0 { // now and then an axis is broadcast
			x = x.Add(engine.AxisIndex(a).Mul(step))
			step *= int64(max(w.dom[a], 1))
		}
	}
	return x
}

// matrix is an operand of a contraction as it often is: a whole input.
func (w *world) matrix(dt tensor.DType) *engine.Expr {
	if w.IntN(3) == 0 {
		return w.expr(dt, w.IntN(2), nil)
	}
	x := w.dense()
	_, hi := x.Bounds(w.dom)
	return engine.Load(w.input(dt, hi+1, -3, 3), dt, x, nil)
}

func (w *world) conds(depth int) (cs []engine.Cond) {
	for range w.IntN(3) {
		x := w.index(depth, w.IntN(4) == 0)
		lo := int64(w.IntN(6) - 3)
		cs = append(cs, engine.Cond{X: x, Lo: lo, Hi: lo + int64(w.IntN(9))})
	}
	return cs
}

func (w *world) load(dt tensor.DType, depth int) *engine.Expr {
	var x *engine.Index
	if w.IntN(2) == 0 {
		x = w.dense()
	} else {
		x = w.index(w.IntN(depth+1), w.IntN(3) == 0)
	}
	cs := w.conds(w.IntN(depth + 1))
	lo, hi := x.Bounds(w.dom)
	if hi > 5000 || lo < -5000 || w.IntN(4) == 0 { // guarded by a condition
		in := w.input(dt, int64(1+w.IntN(40)), -3, 3)
		cs = append(cs, engine.Cond{X: x, Lo: 0, Hi: w.ops[in].Len})
		return engine.Load(in, dt, x, cs)
	}
	return engine.Load(w.input(dt, hi-lo+1, -3, 3), dt, x.AddConst(-lo), cs)
}

// expr is a random expression of dtype dt; acc may occur in it.
func (w *world) expr(dt tensor.DType, depth int, acc *engine.Expr) *engine.Expr {
	if depth == 0 {
		switch w.IntN(8) {
		case 0:
			v := int64(w.IntN(4))
			return engine.Constant(dt, engine.Const{Float: float64(v), Int: v & 1})
		case 1:
			if dt != tensor.Bool {
				return engine.IndexValue(dt, w.index(2, false).Mod(7, w.dom))
			}
			return engine.Valid(w.conds(2))
		case 2:
			if dt == tensor.Uint32 {
				return engine.Run()
			}
		}
		return w.load(dt, 3)
	}
	switch w.IntN(7) {
	case 0:
		return engine.Apply(fnSel, dt, w.expr(tensor.Bool, 0, nil), w.expr(dt, depth-1, acc), w.expr(dt, depth-1, acc))
	case 1:
		if dt != tensor.Bool && dt.IsSigned() {
			return engine.Apply(fnNeg, dt, w.expr(dt, depth-1, acc))
		}
	case 2:
		if dt != tensor.Bool {
			return engine.Apply(fnAdd, dt, w.expr(dt, depth-1, acc), w.expr(dt, depth-1, acc))
		}
	case 3:
		if dt != tensor.Bool {
			return engine.Apply(fnMul, dt, w.expr(dt, depth-1, acc), w.expr(dt, 0, nil))
		}
	case 4:
		if dt.IsFloat() {
			return engine.Apply(fnCast, dt, w.expr(tensor.Int8, depth-1, nil))
		}
	}
	if acc != nil && acc.DType == dt && w.IntN(2) == 0 {
		return acc
	}
	return w.expr(dt, depth-1, acc)
}

func (w *world) dtype() tensor.DType {
	all := tensor.DTypes()
	return all[w.IntN(len(all))]
}

// domain is random groups of axes; one extent in ten is 0 when zeros is set.
func (w *world) domain(groups int, zeros bool) (dom engine.Domain, counts []int) {
	for range groups {
		n := w.IntN(3)
		counts = append(counts, n)
		for range n {
			e := 1 + w.IntN(6)
			if w.IntN(12) == 0 {
				e = 20 + w.IntN(80)
			}
			if zeros && w.IntN(30) == 0 {
				e = 0
			}
			dom = append(dom, e)
		}
	}
	return dom, counts
}

func (w *world) task(kind engine.Kind) *engine.Task {
	t := &engine.Task{Kind: kind, Name: "random"}
	for {
		t.Axes, t.Groups = w.domain(check.Groups[kind], true)
		if t.Axes.Size() < 8000 {
			break
		}
	}
	w.dom, w.ops, w.mem = t.Axes, nil, nil
	over := func(groups ...int) { w.axes = axesOf(t, groups...) }
	put := func(e *engine.Expr) { t.Values = append(t.Values, e) }
	switch kind {
	case engine.Map:
		over(0)
		for range 1 + w.IntN(3) {
			put(w.expr(w.dtype(), w.IntN(4), nil))
		}
	case engine.Reduce, engine.Row:
		over(0, 1)
		for range 1 + w.IntN(3) {
			t.Folds = append(t.Folds, w.fold(t))
			if kind == engine.Reduce {
				break
			}
		}
		for range 1 + w.IntN(3) {
			if over(0); kind == engine.Row && w.IntN(2) == 0 {
				over(0, 1)
			}
			put(w.epilogue(t))
		}
	case engine.Contract:
		in := w.dtype()
		t.Acc = engine.AccType(in)
		over(0, 1, 3)
		t.A = w.matrix(in)
		over(0, 2, 3)
		t.B = w.matrix(in)
		over(0, 1, 2)
		put(w.epilogue(t))
	case engine.Scatter:
		dt := w.dtype()
		if dt == tensor.Bool {
			dt = tensor.Uint8
		}
		over(0, 2)
		put(w.expr(dt, w.IntN(2), nil))
		over(1)
		t.At = w.expr(tensor.Int32, w.IntN(3), nil)
		over(1, 2)
		t.Update = w.expr(dt, w.IntN(2), nil)
	}
	t.Ins = w.ops
	for i, v := range t.Values {
		t.Outs = append(t.Outs, engine.Operand{DType: v.DType, Len: t.Size(0)})
		if kind == engine.Row && usesAxes(v, axesOf(t, 1)) {
			t.Outs[i].Len *= t.Size(1)
			continue
		}
		size := int64(1)
		for _, a := range t.OutAxes(i) {
			size *= int64(t.Axes[a])
		}
		t.Outs[i].Len = size
	}
	return t
}

func usesAxes(e *engine.Expr, axes []int) (yes bool) {
	e.VisitAxes(func(a int) { yes = yes || slices.Contains(axes, a) })
	return yes
}

// fold is a random fold of t, which may use the results of those it has.
func (w *world) fold(t *engine.Task) engine.Fold {
	in := w.dtype()
	f := engine.Fold{Monoid: engine.Monoid(w.IntN(6)), Acc: engine.AccType(in)}
	if f.Monoid == engine.Prod && in.IsFloat() { // products of many small integers are not exact
		f.Monoid = engine.Max
	}
	if f.Monoid.IsArg() {
		f.Acc = tensor.Int64
	}
	f.Value = w.expr(in, w.IntN(3), w.acc(t))
	return f
}

// acc is one of the results that t has so far, or nil.
func (w *world) acc(t *engine.Task) *engine.Expr {
	accs := check.Accumulators(t)
	if len(accs) == 0 {
		return nil
	}
	i := w.IntN(len(accs))
	return engine.Acc(i, accs[i])
}

// epilogue is a random expression of a result of t.
func (w *world) epilogue(t *engine.Task) *engine.Expr {
	acc := w.acc(t)
	if w.IntN(3) == 0 {
		return acc
	}
	return engine.Apply(fnAdd, acc.DType, acc, w.expr(acc.DType, w.IntN(3), acc))
}

func TestRandomTasksAgreeWithTheirDefinition(t *testing.T) {
	t.Parallel()
	for _, kind := range []engine.Kind{engine.Map, engine.Reduce, engine.Row, engine.Contract, engine.Scatter} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			for _, e := range []*Engine{New(&Options{Workers: 1}), New(&Options{Workers: 3, BlockBytes: 1 << 10}), smallLimits(3)} {
				defer e.Close()
				for seed := range 300 {
					w := &world{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(kind)))}
					task := w.task(kind)
					if !t.Run(fmt.Sprint(seed), func(t *testing.T) { requireNaive(t, e, task, w.mem...) }) {
						return
					}
				}
			}
		})
	}
}

// smallLimits is an engine that cuts even tiny tasks into pieces, tiles and
// chunks.
func smallLimits(workers int) *Engine {
	e := New(&Options{Workers: workers, BlockBytes: 1})
	e.limits = work.Limits{PieceNs: 5, Chunk: 4, TileRows: 3, TileCols: 5, TileK: 4, Whole: 200, Updates: 64}
	return e
}
