package engine

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Algorithm is the computation of a task of kind [Routine]: one of the types of this package that
// implement it. Most work of this kind branches on its data, so that an engine whose lanes go in
// step may well have no way to do it: its Check says so, and the CPU path, which runs all of them,
// gets the task. Operands are whole buffers, dense in row-major order, as each type lists them. An
// output of no elements that would have some is one that nobody reads: it is not computed.
type Algorithm interface {
	// String names the algorithm and its extents, for people to read.
	String() string
	// operands are the inputs and outputs that t must have.
	operands(t *Task) (ins, outs []Operand)
	// valid reports extents that make no sense.
	valid() error
	// cost adds operations, parts, divergence and the least of them to c.
	cost(t *Task, c *Cost)
}

// Reads reports whether somebody reads output i of a [Routine].
func (t *Task) Reads(i int) bool { return t.Outs[i].Len > 0 }

// CheckRoutine returns an error where the parts of a task of kind [Routine] do not fit together.
func (t *Task) CheckRoutine() error {
	if t.Algorithm == nil {
		return fmt.Errorf("nothing to compute")
	}
	if err := t.Algorithm.valid(); err != nil {
		return err
	}
	ins, outs := t.Algorithm.operands(t)
	if len(t.Ins) != len(ins) || len(t.Outs) != len(outs) {
		return fmt.Errorf("%d inputs and %d outputs, not %d and %d", len(t.Ins), len(t.Outs), len(ins), len(outs))
	}
	for i, want := range ins {
		if got := t.Ins[i]; got.DType != want.DType || got.Len != want.Len {
			return fmt.Errorf("input %d has %d elements of %v, not %d of %v", i, got.Len, got.DType, want.Len, want.DType)
		}
	}
	for i, want := range outs {
		if got := t.Outs[i]; got.DType != want.DType || got.Len != want.Len && got.Len != 0 {
			return fmt.Errorf("output %d has %d elements of %v, not %d of %v", i, got.Len, got.DType, want.Len, want.DType)
		}
	}
	return nil
}

// Rank orders rows, each for itself, and keeps the first of each: a sort where
// Keep is Length, otherwise the top of it. Ascending order is that of numbers, the zeros
// equal, NaN after all numbers; descending order is its reverse. Equal values
// stay in the order of their positions, and of equal values the first are kept.
//
//	in   x          [Rows, Length]
//	out  values     [Rows, Keep]           x's dtype
//	     positions  [Rows, Keep]   int64   where in its row each value stood
type Rank struct {
	Rows, Length, Keep int64
	Descending         bool
	// ByPosition gives the kept items in the order in which they stood in the row.
	ByPosition bool
}

func (r *Rank) String() string {
	what, order := "sort", "ascending"
	if r.Keep < r.Length {
		what = fmt.Sprintf("first %d", r.Keep)
	}
	if r.Descending {
		order = "descending"
	}
	return fmt.Sprintf("%s of %d rows of %d, %s", what, r.Rows, r.Length, order)
}

func (r *Rank) valid() error {
	if r.Rows < 0 || r.Length < 0 || r.Keep < 0 || r.Keep > r.Length || r.Length > math.MaxUint32 {
		return fmt.Errorf("%d of %d rows of %d", r.Keep, r.Rows, r.Length)
	}
	return nil
}

func (r *Rank) operands(t *Task) (ins, outs []Operand) {
	dt := dtypeOf(t)
	return []Operand{{DType: dt, Len: r.Rows * r.Length}},
		[]Operand{{DType: dt, Len: r.Rows * r.Keep}, {DType: tensor.Int64, Len: r.Rows * r.Keep}}
}

// A sort compares each value log2 n times. To keep k it is enough to look at
// each once, and at those that enter log2 k times; in random order the expected
// number of those is k·(1 + ln(n/k)).
func (r *Rank) cost(_ *Task, c *Cost) {
	n, k := float64(r.Length), float64(r.Keep)
	each := n * log2(n)
	if k < n {
		each = min(each, n+k*(1+math.Log(max(n/max(k, 1), 1)))*log2(k))
	}
	c.Flops, c.Parts, c.Divergence = float64(r.Rows)*each, float64(r.Rows), 0.5
	c.Least = float64(r.Rows) * n
}

// log2 is at least 1, for counting steps.
func log2(n float64) float64 { return max(1, math.Log2(max(n, 1))) }

// dtypeOf is the dtype of t's first input.
func dtypeOf(t *Task) tensor.DType {
	if len(t.Ins) == 0 {
		return tensor.Invalid
	}
	return t.Ins[0].DType
}
