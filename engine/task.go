package engine

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/tensor"
)

// Kind is the shape of a task's computation; see the package comment.
type Kind uint8

// The kinds of task.
const (
	Map Kind = iota
	Reduce
	Contract
	Scatter
	Custom
)

var kindNames = [...]string{"map", "reduce", "contract", "scatter", "custom"}

func (k Kind) String() string { return kindNames[k] }

// Operand is one buffer that a task reads or writes: Len elements of DType,
// densely packed.
type Operand struct {
	DType tensor.DType
	Len   int64
}

// Bytes is the size of o in memory.
func (o Operand) Bytes() int64 { return o.Len * int64(o.DType.Size()) }

// Task is one fused unit of work. Axes come in the groups that Groups counts:
//
//	Map       [out]                Value over all axes
//	Reduce    [out, fold]          Value over all, Epilogue over out
//	Contract  [batch, m, n, k]     A over batch, m, k; B over batch, n, k; Epilogue over batch, m, n
//	Scatter   [v, n, d]            Value over v, d; At over n; Update over n, d
//	Custom    []                   whole buffers
//
// The output is dense in the order of the axes that are not folded: out;
// batch, m, n; v, d. Input Alias (when not -1) is the very buffer of the
// output: the task reads each element of it only before writing it.
type Task struct {
	Kind   Kind
	Name   string // of the fused ops: "matmul+add+relu"
	Caller string // file:line of the op that gave the task its kind

	Axes   Domain
	Groups []int // how many axes each group has, in the order above

	Ins   []Operand
	Outs  []Operand // exactly one but for Custom
	Alias int

	Value    *Expr
	A, B     *Expr
	At       *Expr
	Update   *Expr
	Fold     Monoid       // Reduce
	Acc      tensor.DType // Reduce, Contract: the dtype of OpAcc
	Epilogue *Expr

	Custom *CustomKernel

	FastMath bool // the caller allowed -cl-fast-relaxed-math
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
	// Host computes the outputs in Go; nil when there is no CPU path.
	Host      func(outs, ins []*tensor.Tensor) error
	InShapes  [][]int
	OutShapes [][]int
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

// OutAxes are the axes of the output, outermost first.
func (t *Task) OutAxes() []int {
	var axes []int
	add := func(g int) {
		from, to := t.Group(g)
		for a := from; a < to; a++ {
			axes = append(axes, a)
		}
	}
	switch t.Kind {
	case Map, Reduce:
		add(0)
	case Contract:
		add(0)
		add(1)
		add(2)
	case Scatter:
		add(0)
		add(2)
	}
	return axes
}

// Exprs are the expressions of t that are set.
func (t *Task) Exprs() []*Expr {
	var es []*Expr
	for _, e := range []*Expr{t.Value, t.A, t.B, t.At, t.Update, t.Epilogue} {
		if e != nil {
			es = append(es, e)
		}
	}
	return es
}

// Cost is what a task must do at least.
type Cost struct {
	Flops      float64 // floating-point or integer operations
	BytesRead  float64 // each distinct element of each input once
	BytesWrite float64
}

// Cost counts the work of t.
func (t *Task) Cost() Cost {
	var c Cost
	for _, in := range t.Ins {
		c.BytesRead += float64(in.Bytes())
	}
	for _, out := range t.Outs {
		c.BytesWrite += float64(out.Bytes())
	}
	all := float64(t.Axes.Size())
	switch t.Kind {
	case Map:
		c.Flops = all * exprFlops(t.Value)
	case Reduce:
		c.Flops = all*(1+exprFlops(t.Value)) + float64(t.Size(0))*exprFlops(t.Epilogue)
	case Contract:
		out := float64(t.Size(0) * t.Size(1) * t.Size(2))
		c.Flops = 2*all + out*exprFlops(t.Epilogue)
	case Scatter:
		c.Flops = float64(t.Size(1) * t.Size(2))
	case Custom:
		for _, o := range t.Outs {
			c.Flops += float64(o.Len)
		}
	}
	return c
}

func exprFlops(e *Expr) float64 {
	var n float64
	if e != nil {
		for s := range e.Walk() {
			if s.Op == OpApply {
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
