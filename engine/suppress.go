package engine

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Suppress is greedy non-maximum suppression: of each class in each batch, from
// the highest score down, a box is selected unless its intersection with one
// selected before is more than IoU of their union. Boxes without an area
// overlap nothing; a score of NaN is never selected; of equal scores the first box comes first.
// Areas are products of sides, the union is the sum of two areas less the intersection, and the
// intersection is compared with the product IoU · union, each operation rounded to float32: engines select
// the same boxes.
//
//	in   boxes     [Batches, Boxes, 4]        float32  two opposite corners y, x, y, x; or centre x, y and width, height
//	     scores    [Batches, Classes, Boxes]  float32
//	out  selected  [Capacity, 3]              int64    batch, class, box; by batch, then class, then falling score; -1 behind the last
//	     count     [1]                        int64    how many are selected
//
// Boxes beyond the capacity are dropped.
type Suppress struct {
	Batches, Classes, Boxes int64
	PerClass, Capacity      int64 // the most of a class, and of all
	IoU                     float64
	Score                   float64 // scores must be above; -Inf and HasScore unset: any
	HasScore, Centre        bool
}

func (s *Suppress) String() string {
	return fmt.Sprintf("at most %d of %d boxes in %d x %d classes", s.PerClass, s.Boxes, s.Batches, s.Classes)
}

func (s *Suppress) valid() error {
	if min(s.Batches, s.Classes, s.Boxes, s.PerClass, s.Capacity) < 0 || s.Boxes > math.MaxUint32 || !(s.IoU >= 0) {
		return fmt.Errorf("extents or thresholds: %+v", *s)
	}
	return nil
}

func (s *Suppress) operands(*Task) (ins, outs []Operand) {
	f := func(n int64) Operand { return Operand{DType: tensor.Float32, Len: n} }
	i := func(n int64) Operand { return Operand{DType: tensor.Int64, Len: n} }
	return []Operand{f(s.Batches * s.Boxes * 4), f(s.Batches * s.Classes * s.Boxes)}, []Operand{i(3 * s.Capacity), i(1)}
}

// Candidates guesses how many boxes of a class pass the threshold, and how many of those are selected.
func (s *Suppress) Candidates() (pass, selected float64) {
	pass = float64(s.Boxes)
	if s.HasScore {
		pass = math.Ceil(pass / 20)
	}
	return pass, min(pass/2, float64(s.PerClass))
}

// Every score is looked at; the boxes that pass are sorted and compared with the selected ones,
// with about half of them before the outcome is known. How many pass is up to the data.
func (s *Suppress) cost(_ *Task, c *Cost) {
	lists, n := float64(s.Batches*s.Classes), float64(s.Boxes)
	pass, selected := s.Candidates()
	c.Flops = lists * (n + pass*log2(pass) + pass*selected/2*12)
	c.Parts, c.Divergence, c.Least = lists, 0.9, lists*n
}
