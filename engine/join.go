package engine

import (
	"fmt"
	"slices"
)

// Join lays matrices of as many rows side by side:
//
//	y[r, w_0 + ... + w_(k-1) + c] = x_k[r, c],  c < w_k
//
//	in   x_k  [Rows, Widths[k]]      of any dtype, all of the same
//	out  y    [Rows, sum of Widths]
//
// It is for more inputs than one kernel takes; an engine copies each once.
type Join struct {
	Rows   int64
	Widths []int64
}

func (j *Join) String() string {
	return fmt.Sprintf("%d matrices side by side, %d x %d", len(j.Widths), j.Rows, j.Width())
}

// Width is that of the result.
func (j *Join) Width() (all int64) {
	for _, w := range j.Widths {
		all += w
	}
	return all
}

func (j *Join) valid() error {
	if j.Rows < 0 || slices.ContainsFunc(j.Widths, func(w int64) bool { return w < 0 }) {
		return fmt.Errorf("%d rows of widths %v", j.Rows, j.Widths)
	}
	return nil
}

func (j *Join) operands(t *Task) (ins, outs []Operand) {
	dt := dtypeOf(t)
	for _, w := range j.Widths {
		ins = append(ins, Operand{DType: dt, Len: j.Rows * w})
	}
	return ins, []Operand{{DType: dt, Len: j.Rows * j.Width()}}
}

func (j *Join) cost(_ *Task, c *Cost) {
	c.Flops = float64(j.Rows * j.Width())
	c.Parts, c.Least = c.Flops, c.Flops
}
