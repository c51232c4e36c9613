package engine

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// RunningFold is the operation of [Running].
type RunningFold uint8

// The folds. RunningMax and RunningMin give positions too: of the last element that is the extreme so far; NaN is more extreme than every
// number.
// RunningLogSum is log Σ e^x. RunningLinear has two inputs.
const (
	RunningProd RunningFold = iota
	RunningMax
	RunningMin
	RunningLogSum
	RunningLinear
)

var runningNames = [...]string{"products", "maxima", "minima", "logarithms of sums", "recurrences"}

func (f RunningFold) String() string { return runningNames[f] }

// Extreme reports whether f has positions.
func (f RunningFold) Extreme() bool { return f == RunningMax || f == RunningMin }

// Running is the running fold along the middle axis, other than the sums of [Scan]:
//
//	y[o, i, n] = fold over j <= i of x[o, j, n]
//	y[o, i, n] = a[o, i, n] · y[o, i-1, n] + x[o, i, n]    RunningLinear, from 0
//
//	in   a  [Outer, Length, Inner]  x's dtype, of RunningLinear
//	     x  [Outer, Length, Inner]
//	out  y  [Outer, Length, Inner]  x's dtype
//	     positions  [Outer, Length, Inner]  int64, of extremes: along Length; -1 for no elements
//
// Integers wrap; floats of 16 bits are computed in float32. The fold of no elements is 1, the smallest or the largest number, -Inf, or 0.
type Running struct {
	Outer, Length, Inner int64
	Fold                 RunningFold
	// Exclusive leaves x[o, i, n] itself out; Reverse folds over j >= i.
	Exclusive, Reverse bool
}

func (r *Running) String() string {
	return fmt.Sprintf("running %v of %d x %d x %d over the middle", r.Fold, r.Outer, r.Length, r.Inner)
}

func (r *Running) valid() error {
	if min(r.Outer, r.Length, r.Inner) < 0 || r.Fold > RunningLinear {
		return fmt.Errorf("%d x %d x %d, fold %d", r.Outer, r.Length, r.Inner, r.Fold)
	}
	return nil
}

func (r *Running) operands(t *Task) (ins, outs []Operand) {
	x := Operand{DType: dtypeOf(t), Len: r.Outer * r.Length * r.Inner}
	if x.DType == tensor.Bool || r.Fold == RunningLogSum && !x.DType.IsFloat() {
		x.DType = tensor.Invalid
	}
	ins, outs = []Operand{x}, []Operand{x}
	if r.Fold == RunningLinear {
		ins = append(ins, x)
	}
	if r.Fold.Extreme() {
		outs = append(outs, Operand{DType: tensor.Int64, Len: x.Len})
	}
	return ins, outs
}

func (r *Running) cost(_ *Task, c *Cost) {
	c.Flops = float64(r.Outer * r.Length * r.Inner)
	if r.Fold == RunningLogSum {
		c.Flops *= 40
	}
	c.Parts, c.Least = float64(r.Outer*r.Inner), c.Flops
}
