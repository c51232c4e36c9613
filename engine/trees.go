package engine

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Aggregate says how the weights that a sample meets become one number.
type Aggregate uint8

// The aggregates.
const (
	AggregateSum Aggregate = iota
	AggregateMean
	AggregateMin
	AggregateMax
)

// Trees walks a sample down every tree of an ensemble and aggregates the
// weights of the leaves where it ends. There is one kind of step: from node i to
//
//	Left[i]     where key(x[Feature[i]]) <= Key[i]
//	Left[i] + 1 elsewhere
//
// A key is that of FloatKey32 or FloatKey64. A feature from Features on
// is feature number Feature - Features, and differs for NaN: its key is the
// smallest integer there, and the largest otherwise. A leaf is its own Left
// and has the largest integer as its Key, so that walking on stays there.
//
//	in   x        [Samples, Features]
//	     nodes    [Nodes, NodeWords]  int32  Key, Feature, Left, Leaf (-1: no leaf); a key of float64 has two words, and a word is unused
//	     roots    [Count, 2]          int32  node, and the longest way down from it
//	     starts   [Leaves + 1]        int32  where the weights of each leaf begin
//	     targets  [Weights]           int32  which number of the result each weight goes to
//	     weights  [Weights]                  x's dtype
//	out  y        [Samples, Targets]         x's dtype; 0 where a sample meets no weight
//
// Sums are in the order of the trees. x is float32 or float64.
type Trees struct {
	Samples, Features, Targets    int64
	Nodes, Count, Leaves, Weights int64   // Count trees
	Steps                         float64 // of a sample down all trees, on average
	Aggregate                     Aggregate
}

// NodeWords is how many int32 a node of [Trees] has.
func NodeWords(dt tensor.DType) int64 {
	if dt == tensor.Float64 {
		return 6
	}
	return 4
}

func (a *Trees) String() string {
	return fmt.Sprintf("%d trees of %d nodes for %d samples of %d features", a.Count, a.Nodes, a.Samples, a.Features)
}

func (a *Trees) valid() error {
	for _, n := range []int64{a.Samples, a.Features, a.Targets, a.Nodes, a.Count, a.Leaves, a.Weights} {
		if n < 0 {
			return fmt.Errorf("a negative extent: %+v", *a)
		}
	}
	if a.Features == 0 || max(a.Nodes, 2*a.Features, a.Weights) > math.MaxInt32 {
		return fmt.Errorf("no features, or too much for 32 bits: %+v", *a)
	}
	return nil
}

func (a *Trees) operands(t *Task) (ins, outs []Operand) {
	dt := dtypeOf(t)
	whole := func(n int64) Operand { return Operand{DType: tensor.Int32, Len: n} }
	ins = []Operand{
		{DType: dt, Len: a.Samples * a.Features}, whole(a.Nodes * NodeWords(dt)), whole(2 * a.Count),
		whole(a.Leaves + 1), whole(a.Weights), {DType: dt, Len: a.Weights},
	}
	return ins, []Operand{{DType: dt, Len: a.Samples * a.Targets}}
}

// A step is two loads, a comparison and an addition. No two samples go the
// same way, and no two steps know where the next one leads.
func (a *Trees) cost(t *Task, c *Cost) {
	weights := float64(a.Count)
	if a.Leaves > 0 {
		weights *= float64(a.Weights) / float64(a.Leaves)
	}
	c.Flops = float64(a.Samples) * (4*a.Steps + weights)
	if t.Ins != nil { // a sample passes few of the nodes
		size, word := float64(t.Ins[0].DType.Size()), 4*float64(NodeWords(t.Ins[0].DType))
		c.BytesRead = min(c.BytesRead, float64(a.Samples)*(size*float64(a.Features)+word*a.Steps))
	}
	c.Parts, c.Divergence, c.Least = float64(a.Samples)*float64(max(a.Count, 1)), 1, c.Flops/4
}

// FloatKey32 is an integer that orders floats as their values: the bits, all below the
// sign turned over where that is set. Both zeros have 0, every NaN the largest.
func FloatKey32(v float32) int32 {
	b := int32(math.Float32bits(v))
	switch m := b & math.MaxInt32; {
	case m == 0:
		return 0
	case m > 0x7f800000:
		return math.MaxInt32
	}
	return b ^ b>>31&math.MaxInt32
}

// FloatKey64 is FloatKey32 of a float64.
func FloatKey64(v float64) int64 {
	b := int64(math.Float64bits(v))
	switch m := b & math.MaxInt64; {
	case m == 0:
		return 0
	case m > 0x7ff<<52:
		return math.MaxInt64
	}
	return b ^ b>>63&math.MaxInt64
}
