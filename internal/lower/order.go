package lower

import (
	"container/heap"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/store"
)

// storeUpdates lets every assigned value be written straight to its variable's
// memory where that is safe, and adds a copy at the end where it is not. It
// returns the instructions in an order in which all readers of a variable's old value
// come before its writer.
func (l *lowerer) storeUpdates(updates []*ir.Node) []*ir.Instruction {
	// Every update gets a task of its own that makes its value, so that what
	// comes next knows all readers of all variables.
	made := make([]*ir.Value, len(updates))
	taken := map[*ir.Value]bool{}
	for i, n := range updates {
		v := l.asDense(n.In[1])
		if v.Maker == nil || taken[v] {
			v = l.copyOf(n, v)
		}
		made[i], taken[v] = v, true
	}
	o := newOrder(l.instructions)
	for i, n := range updates {
		target, v := n.In[0].State, made[i]
		readers := o.readers[target]
		if !inPlace(v, target) || o.reaches(v.Maker, readers) {
			v = l.copyOf(n, v)
			o.add(v.Maker)
		}
		v.Stored = target
		for _, r := range readers {
			o.before(r, v.Maker)
		}
	}
	return o.sorted()
}

// order is the relation of which instruction must run before which. Instructions are named by their
// position in the list, which is an order in which values are made before they are read.
type order struct {
	instructions []*ir.Instruction
	index        map[*ir.Instruction]int
	after        [][]int // those that must follow an instruction
	readers      map[*store.Variable][]*ir.Instruction
}

func newOrder(instructions []*ir.Instruction) *order {
	o := &order{index: make(map[*ir.Instruction]int, len(instructions)), readers: map[*store.Variable][]*ir.Instruction{}}
	for _, u := range instructions {
		o.add(u)
	}
	return o
}

// add appends u, whose operands' makers were added before.
func (o *order) add(u *ir.Instruction) {
	o.index[u] = len(o.instructions)
	o.instructions, o.after = append(o.instructions, u), append(o.after, nil)
	for _, v := range u.Ins {
		if v.Maker != nil {
			o.before(v.Maker, u)
		} else if s := v.Node.State; s != nil {
			o.readers[s] = append(o.readers[s], u)
		}
	}
}

// before demands that first runs before then; they may be the same.
func (o *order) before(first, then *ir.Instruction) {
	if first != then {
		i := o.index[first]
		o.after[i] = append(o.after[i], o.index[then])
	}
}

// reaches reports whether u must run before any of goals but itself.
func (o *order) reaches(u *ir.Instruction, goals []*ir.Instruction) bool {
	start := o.index[u]
	goal, seen := make([]bool, len(o.instructions)), make([]bool, len(o.instructions))
	for _, g := range goals {
		goal[o.index[g]] = true
	}
	for stack := []int{start}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if goal[i] && i != start {
			return true
		}
		for _, next := range o.after[i] {
			if !seen[next] {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	return false
}

// sorted is the order nearest to the list that keeps to all demands: it takes the first instruction that may run.
func (o *order) sorted() []*ir.Instruction {
	waits := make([]int, len(o.instructions))
	for _, after := range o.after {
		for _, next := range after {
			waits[next]++
		}
	}
	var ready firstOut
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i) // ascending, which is a heap
		}
	}
	out := make([]*ir.Instruction, 0, len(o.instructions))
	for len(ready) > 0 {
		i := heap.Pop(&ready).(int)
		out = append(out, o.instructions[i])
		for _, next := range o.after[i] {
			if waits[next]--; waits[next] == 0 {
				heap.Push(&ready, next)
			}
		}
	}
	return out
}

// firstOut is a heap of positions.
type firstOut []int

func (f firstOut) Len() int           { return len(f) }
func (f firstOut) Less(i, j int) bool { return f[i] < f[j] }
func (f firstOut) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *firstOut) Push(x any)        { *f = append(*f, x.(int)) }
func (f *firstOut) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}

// inPlace reports whether the task that makes v may write to the memory of s:
// it reads nothing of s, or each element of s only where it writes it, and does not fail when it has written a part.
func inPlace(v *ir.Value, s *store.Variable) bool {
	u := v.Maker
	out := slices.Index(u.Outs, v)
	for i, in := range u.Ins {
		if in.Maker == nil && in.Node.State == s && !ReadsInStep(u.Task, i, out) {
			return false
		}
	}
	switch u.Task.Kind {
	case engine.Custom:
		k := u.Task.Custom
		return k.Writes == 0 && (k.Host == nil || k.Infallible)
	case engine.Routine:
		return false
	}
	return true
}

// ReadsInStep reports whether t reads input i only at the very address of
// output out that it is about to write, after everything else is computed.
func ReadsInStep(t *engine.Task, i, out int) bool {
	switch t.Kind {
	case engine.Map, engine.Reduce, engine.Contract:
	case engine.Row: // a row is folded before any of it is written
		if !t.OverRow(out) {
			return false
		}
	default:
		return false
	}
	if t.Ins[i].DType.Size() != t.Outs[out].DType.Size() {
		return false
	}
	addr := outAddress(t, out)
	for _, e := range t.Exprs() {
		last := t.Kind == engine.Row || slices.Contains(t.Values, e)
		for s := range e.Walk() {
			if s.Op == engine.OpLoad && s.Input == i && !(last && s.Addr.Key() == addr.Key()) {
				return false
			}
		}
	}
	return true
}

// outAddress is where t writes output i, over its axes.
func outAddress(t *engine.Task, i int) *engine.Index {
	addr, stride := engine.ConstIndex(0), int64(1)
	for _, a := range slices.Backward(t.OutAxes(i)) {
		if t.Axes[a] != 1 {
			addr = addr.Add(engine.AxisIndex(a).Mul(stride))
		}
		stride *= int64(t.Axes[a])
	}
	return addr
}

// copyOf makes a task that copies v for the update n.
func (l *lowerer) copyOf(n *ir.Node, v *ir.Value) *ir.Value {
	b := l.builder(engine.Domain{int(v.Len)})
	t := &engine.Task{
		Kind: engine.Map, Name: "assign", Caller: n.Caller,
		Axes: b.dom, Groups: []int{1},
		Values: []*engine.Expr{engine.Load(b.input(v), v.DType, engine.AxisIndex(0), nil)},
	}
	return l.emit(t, b, n, ir.RowMajor(n.Shape, nil), true)
}
