package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/tensor"
)

// Kind is the shape of a task's computation; see the package comment.
type Kind uint8

// The kinds of task.
const (
	Map Kind = iota
	Reduce
	Row
	Contract
	Scatter
	Custom
	Attention
	Routine
)

var kindNames = [...]string{"map", "reduce", "row", "contract", "scatter", "custom", "attention", "routine"}

func (k Kind) String() string { return kindNames[k] }

// Operand is one buffer that a task reads or writes: Len elements of DType,
// densely packed.
type Operand struct {
	DType tensor.DType
	Len   int64
	// Steady inputs hold the same in every run until the sequence is told that they changed: weights. An
	// engine may keep values computed from them alone. A steady output shares its memory with no other
	// value, and its task has steady inputs only: it needs to run when they changed. See [Sequence].
	Steady bool
}

// Bytes is the size of o in memory.
func (o Operand) Bytes() int64 { return o.Len * int64(o.DType.Size()) }

// Fold is one fold of a task over its fold axes.
type Fold struct {
	Monoid Monoid
	Value  *Expr        // the folded value
	Acc    tensor.DType // of the result, which is Acc(i, Acc) for fold number i
}

// Task is one fused unit of work. Axes come in the groups that Groups counts:
//
//	Map       [out]                Values over all axes
//	Reduce    [out, fold]          one fold over all, Values over out
//	Row       [out, row]           folds over all, Values over all or over out
//	Contract  [batch, m, n, k]     A over batch, m, k; B over batch, n, k; Values over batch, m, n
//	Scatter   [v, n, d]            Values over v, d; At over n, or over n, d (Each); Update over n, d
//	Custom    []                   whole buffers
//	Attention [batch, group, m, n, d, e]   see AttentionTask
//	Routine   []                   whole buffers, see Algorithm
//
// Values has one expression for each output: Map, Reduce and Row may have
// several, Contract and Scatter have one. An output is dense in the order of
// the axes that its value is over: out; out, row; batch, m, n; v, d. That of a
// Row over both is as long as both; see OverRow.
type Task struct {
	Kind   Kind
	Name   string // of the fused ops: "matmul+add+relu"
	Caller string // file:line of the op that gave the task its kind

	Axes   Domain
	Groups []int // how many axes each group has, in the order above

	Ins  []Operand
	Outs []Operand
	// Alias has for each output the input that is the very same buffer, or -1; nil says that no output
	// has one. A task reads each element of such an input only in values of the very point at which it
	// is written; a Row, whose outputs over the row alone may do so, also in its folds there.
	Alias []int

	Values []*Expr
	Folds  []Fold       // Reduce, Row; a Row's may use the results of those before
	A, B   *Expr        // Contract
	Acc    tensor.DType // Contract: the dtype of Acc(0, Acc)
	At     *Expr        // Scatter
	Update *Expr        // Scatter
	Put    Put          // Scatter: what an update does to the element that it meets
	Each   bool         // Scatter: every element of a row of updates has a position of its own
	// Distinct promises of a Scatter that no two updates meet in one element. Where they do nevertheless, the
	// element has the value of either.
	Distinct bool

	Custom    *CustomKernel
	Attention *AttentionTask
	Algorithm Algorithm // Routine

	FastMath bool // the caller allowed -cl-fast-relaxed-math
	// Reproducible demands that the same device gives the same bits in every process: how it is computed
	// follows from the task and the device's properties, and not from measurements or tuning.
	Reproducible bool
}

// CustomKernel is a user's own kernel.
type CustomKernel struct {
	Source  string // OpenCL C
	Entry   string // the kernel's name
	Options string // for the compiler
	// Args are the scalar arguments that follow the input and output
	// buffers: int32, uint32, int64, uint64, float32 or float64 values.
	Args   []any
	Global [3]int // work-items in each dimension; 0 ends the list
	Local  [3]int // work-group; all zero lets the driver choose
	// CPU is how drivers for CPUs run it; nil: as others.
	CPU *KernelForm
	// Host computes the outputs in Go; nil when there is no CPU path.
	Host func(outs, ins []*tensor.Tensor) error
	// Infallible promises that Host returns no error: results may then overwrite memory that must not change when a run fails.
	Infallible bool
	// HostOnly is why there is no Source, and so nothing for a device to run.
	HostOnly string
	// Writes is how many elements of its outputs a launch writes, the others keep their values; 0 is all of them.
	Writes    int64
	InShapes  [][]int
	OutShapes [][]int
}

// KernelForm is another way to run a kernel of the same source with the same arguments.
type KernelForm struct {
	Entry   string // the kernel's name; empty: the same
	Options string // for the compiler; empty: the same
	Global  [3]int // work-items in each dimension; 0 ends the list
	Local   [3]int // work-group; all zero lets the driver choose
}

// Form is how k runs on a driver for CPUs, or on another.
func (k *CustomKernel) Form(cpu bool) KernelForm {
	f := KernelForm{k.Entry, k.Options, k.Global, k.Local}
	if cpu && k.CPU != nil {
		f.Global, f.Local = k.CPU.Global, k.CPU.Local
		f.Entry, f.Options = cmp.Or(k.CPU.Entry, f.Entry), cmp.Or(k.CPU.Options, f.Options)
	}
	return f
}

// Group is the half-open range of axes of group g.
func (t *Task) Group(g int) (from, to int) {
	for i := range g {
		from += t.Groups[i]
	}
	return from, from + t.Groups[g]
}

// Size is the number of points in group g: the product of its extents.
func (t *Task) Size(g int) int64 {
	from, to := t.Group(g)
	return t.Axes[from:to].Size()
}

// OutAxes are the axes of output i, outermost first.
func (t *Task) OutAxes(i int) []int {
	var axes []int
	add := func(groups ...int) {
		for _, g := range groups {
			from, to := t.Group(g)
			for a := from; a < to; a++ {
				axes = append(axes, a)
			}
		}
	}
	switch t.Kind {
	case Map, Reduce:
		add(0)
	case Row:
		if add(0); t.OverRow(i) {
			add(1)
		}
	case Contract:
		add(0, 1, 2)
	case Scatter:
		add(0, 2)
	case Attention:
		add(t.attentionOuts()[i]...)
	}
	return axes
}

// OutSize is the number of elements that output i has by the extents of t's
// axes. It is for all kinds but Custom and Routine.
func (t *Task) OutSize(i int) int64 {
	n := int64(1)
	for _, a := range t.OutAxes(i) {
		n *= int64(t.Axes[a])
	}
	return n
}

// OverRow reports whether output i of a Row has an element for every element of
// the row, rather than one for the row. Where rows have one element it is both.
func (t *Task) OverRow(i int) bool { return t.Outs[i].Len != t.Size(0) || t.Size(1) == 1 }

// AliasOf is the input that is the buffer of output i, or -1.
func (t *Task) AliasOf(i int) int {
	if t.Alias == nil {
		return -1
	}
	return t.Alias[i]
}

// AliasedBy is the output that has the buffer of input i, or -1.
func (t *Task) AliasedBy(i int) int { return slices.Index(t.Alias, i) }

// Exprs are the expressions of t that are set.
func (t *Task) Exprs() []*Expr {
	var es []*Expr
	t.EachExpr(func(e **Expr) { es = append(es, *e) })
	return es
}

// EachExpr calls f with the place of every expression of t that is set.
func (t *Task) EachExpr(f func(e **Expr)) {
	for i := range t.Folds {
		f(&t.Folds[i].Value)
	}
	for _, e := range []**Expr{&t.A, &t.B, &t.At, &t.Update} {
		if *e != nil {
			f(e)
		}
	}
	for i := range t.Values {
		f(&t.Values[i])
	}
	if t.Attention != nil {
		t.Attention.eachExpr(f)
	}
}

// Rewrite returns a copy of t with every expression e replaced by f(e).
func (t *Task) Rewrite(f func(e *Expr) *Expr) *Task {
	c := *t
	c.Values, c.Folds = slices.Clone(t.Values), slices.Clone(t.Folds)
	if t.Attention != nil {
		a := *t.Attention
		c.Attention = &a
	}
	c.EachExpr(func(e **Expr) { *e = f(*e) })
	return &c
}

// Permute is t with its axes in another order, each group by itself: axis order[i] comes i-th. The order of points, and
// so that of an output over them, is another then.
func (t *Task) Permute(order []int) *Task {
	dom, at := make(Domain, len(order)), make([]*Index, len(order))
	for i, a := range order {
		dom[i], at[a] = t.Axes[a], AxisIndex(i)
	}
	c := t.Rewrite(func(e *Expr) *Expr { return e.Subst(at, dom) })
	c.Axes = dom
	return c
}

// Cost is the least work that a task can do with.
type Cost struct {
	Flops      float64 // floating-point or integer operations
	BytesRead  float64 // each distinct element of each input once
	BytesWrite float64
	// Address is how many operations, beside Flops, it takes to find elements by indices and divisions.
	Address float64
	// Parts is how many pieces of the work do not need each other.
	Parts float64
	// Divergence is the share of the operations that lie behind a branch on
	// data: 0 where all pieces take the same steps, 1 where each goes its own way.
	Divergence float64
	// Least is how many of Flops there are at least, where their number depends
	// on the data; else it is Flops.
	Least float64
}

// Cost counts the work of t.
func (t *Task) Cost() Cost {
	var c Cost
	for _, in := range t.Ins {
		c.BytesRead += float64(in.Bytes())
	}
	for _, out := range t.Outs {
		c.BytesWrite += float64(out.Bytes())
		c.Parts = max(c.Parts, float64(out.Len))
	}
	if t.Kind == Routine {
		t.Algorithm.cost(t, &c)
		return c
	}
	all := float64(t.Axes.Size())
	if n := t.loads(); n != nil { // a task that picks few of many elements reads few
		c.BytesRead = 0
		for i, in := range t.Ins {
			c.BytesRead += float64(in.DType.Size()) * min(float64(in.Len), n[i]*all)
		}
	}
	switch t.Kind {
	case Map:
		c.Flops = all * exprFlops(t.Values...)
		c.Address = all * addressFlops(t.Axes, t.Values...)
	case Reduce:
		c.Address = all * addressFlops(t.Axes, t.Folds[0].Value)
		c.Flops = all*(1+exprFlops(t.Folds[0].Value)) + float64(t.Size(0))*exprFlops(t.Values...)
	case Row:
		var row []*Expr
		for _, f := range t.Folds {
			row = append(row, f.Value)
			c.Address += all * addressFlops(t.Axes, f.Value)
		}
		for i, v := range t.Values {
			if t.OverRow(i) {
				row = append(row, v)
				c.Address += all * addressFlops(t.Axes, v)
			} else {
				c.Flops += float64(t.Size(0)) * exprFlops(v)
			}
		}
		c.Flops += all * (float64(len(t.Folds)) + exprFlops(row...))
	case Contract:
		out := float64(t.Size(0) * t.Size(1) * t.Size(2))
		c.Flops = 2*all + out*exprFlops(t.Values...)
	case Scatter:
		c.Flops = float64(t.Size(1) * t.Size(2))
	case Custom:
		for _, o := range t.Outs {
			c.Flops += float64(o.Len)
		}
		if w := float64(t.Custom.Writes); w > 0 && c.Flops > 0 {
			c.BytesWrite *= w / c.Flops
			c.Flops, c.Parts = w, w
		}
	case Attention:
		c.Flops = t.attentionFlops()
	}
	c.Least = c.Flops
	return c
}

// loads are how many elements of each input a point reads at most; nil where that is
// not told by expressions over all points.
func (t *Task) loads() []float64 {
	switch t.Kind {
	case Map, Reduce, Row:
	default:
		return nil
	}
	n := make([]float64, len(t.Ins))
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			if s.Op == OpLoad {
				n[s.Input]++
			}
		}
	}
	for i := range n {
		if n[i] == 0 { // it is in an address
			n[i] = math.Inf(1)
		}
	}
	return n
}

// exprFlops is the cost of computing es together.
func exprFlops(es ...*Expr) float64 {
	var n float64
	seen := map[string]bool{}
	for _, e := range es {
		for s := range e.Walk() {
			if s.Op == OpApply && !seen[s.key] {
				seen[s.key] = true
				n += s.Fn.Flops
			}
		}
	}
	return n
}

// String is one line: what, over which extents, with which dtypes.
func (t *Task) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %v", t.Kind, t.Name, []int(t.Axes))
	for _, o := range t.Outs {
		fmt.Fprintf(&b, " %v", o.DType)
	}
	return b.String()
}
