package engine

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Unique finds the distinct ones among Count items of Width elements each. The zeros are equal, and so
// are all NaN. Results have room for Count items; behind the last there are zeros, and -1 for a position.
//
//	in   x        [Count, Width]
//	out  values   [Count, Width]  x's dtype  each different item, as it stands first
//	     first    [Count]         int64      where it stands first
//	     inverse  [Count]         int64      for each item of x, its number among the values
//	     counts   [Count]         int64      how often it stands in x
//	     number   [1]             int64      how many different ones there are
type Unique struct {
	Count, Width int64
	// Sorted gives the values in ascending order, element by element, NaN last;
	// otherwise they are in the order in which they stand first.
	Sorted bool
}

func (u *Unique) String() string {
	order := "in the order of x"
	if u.Sorted {
		order = "sorted"
	}
	return fmt.Sprintf("different ones of %d items of %d, %s", u.Count, u.Width, order)
}

func (u *Unique) valid() error {
	if u.Count < 0 || u.Width < 0 || u.Count > math.MaxInt32 {
		return fmt.Errorf("%d items of %d", u.Count, u.Width)
	}
	return nil
}

func (u *Unique) operands(t *Task) (ins, outs []Operand) {
	x := Operand{DType: dtypeOf(t), Len: u.Count * u.Width}
	n := Operand{DType: tensor.Int64, Len: u.Count}
	return []Operand{x}, []Operand{x, n, n, n, {DType: tensor.Int64, Len: 1}}
}

// Each item is looked for in a table, and the different ones are sorted. How
// many there are is up to the data: at least one.
func (u *Unique) cost(_ *Task, c *Cost) {
	n, w := float64(u.Count), float64(u.Width)
	c.Least = n * (10 + w)
	if c.Flops = c.Least; u.Sorted {
		c.Flops += n * log2(n)
	}
	c.Parts, c.Divergence = 1, 0.9
}
