package engine

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// Scan is the running sum along the middle axis:
//
//	y[o, i, n] = sum over j <= i of x[o, j, n]
//
//	in   x  [Outer, Length, Inner]
//	out  y  [Outer, Length, Inner]  x's dtype
//
// Integers wrap; floats of 16 bits are summed in float32. The sum of float32 is one
// in an order that the engine is free to choose.
type Scan struct {
	Outer, Length, Inner int64
	// Exclusive leaves x[o, i, n] itself out; Reverse sums over j >= i.
	Exclusive, Reverse bool
}

func (s *Scan) String() string {
	return fmt.Sprintf("running sums of %d x %d x %d over the middle", s.Outer, s.Length, s.Inner)
}

func (s *Scan) valid() error {
	if min(s.Outer, s.Length, s.Inner) < 0 {
		return fmt.Errorf("%d x %d x %d", s.Outer, s.Length, s.Inner)
	}
	return nil
}

func (s *Scan) operands(t *Task) (ins, outs []Operand) {
	x := Operand{DType: dtypeOf(t), Len: s.Outer * s.Length * s.Inner}
	if x.DType == tensor.Bool {
		x.DType = tensor.Invalid
	}
	return []Operand{x}, []Operand{x}
}

func (s *Scan) cost(_ *Task, c *Cost) {
	c.Flops = float64(s.Outer * s.Length * s.Inner)
	c.Parts, c.Least = float64(s.Outer*s.Inner), c.Flops
}
