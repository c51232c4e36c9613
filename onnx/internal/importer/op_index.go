package importer

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "Gather", since: 1, moves: true, build: func(c *call) []*value {
			x := c.x(0)
			axis := c.axis(c.int("axis", 0), x.Rank())
			return out(ops.Gather(x, axis, ops.WrapIndices(c.x(1), x, axis)))
		}},
		{name: "GatherElements", since: 11, build: func(c *call) []*value {
			x := c.x(0)
			return out(ops.GatherElements(x, c.axis(c.int("axis", 0), x.Rank()), c.x(1), &ops.IndexOptions{NegativeIndices: true}))
		}},
		{name: "GatherND", since: 11, build: func(c *call) []*value {
			return out(ops.GatherND(c.x(0), c.x(1), &ops.GatherNDOptions{Batch: c.int("batch_dims", 0), NegativeIndices: true}))
		}},
		{name: "Scatter", since: 9, before: 11, build: scatter},
		{name: "ScatterElements", since: 11, build: scatter},
		{name: "ScatterND", since: 11, build: func(c *call) []*value {
			return out(ops.ScatterND(c.x(0), c.x(1), c.x(2), c.folding(), &ops.GatherNDOptions{NegativeIndices: true}))
		}},
		{name: "TensorScatter", since: 24, build: tensorScatter},
		{name: "OneHot", since: 9, build: oneHot},
		{name: "TopK", since: 1, build: topK},
		{name: "NonZero", since: 9, build: func(c *call) []*value {
			x := c.x(0)
			if x.Rank() == 0 {
				x = ops.Reshape(x, 1)
			}
			positions, count := ops.NonZero(x, -1)
			return []*value{{node: ops.Transpose(positions), trims: []trim{{1, count}}}}
		}},
		{name: "Compress", since: 9, build: func(c *call) []*value {
			x, mask := c.x(0), c.x(1)
			axis := 0
			if c.given("axis") {
				axis = c.axis(c.int("axis", 0), x.Rank())
			} else {
				x = ops.Reshape(x, -1)
			}
			values, count := ops.Compress(x, axis, mask, -1)
			return []*value{{node: values, trims: []trim{{axis, count}}}}
		}},
		{name: "Unique", since: 11, build: func(c *call) []*value {
			x := c.x(0)
			o := &ops.UniqueOptions{FirstSeen: !c.flag("sorted", true)}
			if c.given("axis") {
				o.Along, o.Axis = true, c.axis(c.int("axis", 0), x.Rank())
			}
			u := ops.Unique(x, o)
			cut := func(axis int) []trim { return []trim{{axis, u.Number}} }
			return []*value{
				{node: u.Values, trims: cut(o.Axis)}, {node: u.First, trims: cut(0)}, {node: u.Inverse}, {node: u.Counts, trims: cut(0)},
			}
		}},
		{name: "ReverseSequence", since: 10, build: func(c *call) []*value {
			x, lengths := c.x(0), c.x(1)
			batch, time := c.axis(c.int("batch_axis", 1), x.Rank()), c.axis(c.int("time_axis", 0), x.Rank())
			if batch == time || x.Rank() < 2 {
				c.fail("batch and time are axis %d both", batch)
			}
			y := ops.MoveDim(x, []int{time, batch}, []int{0, 1})
			return out(ops.MoveDim(reversed(y, lengths), []int{0, 1}, []int{time, batch}))
		}},
	}
})

// reversed turns each sequence of x, [T, N, ...], round up to its length.
func reversed(x, lengths *ops.Node) *ops.Node {
	g := x.Graph()
	if lengths == nil {
		return ops.Flip(x, 0)
	}
	lengths = ops.Cast(lengths, tensor.Int64)
	at := g.Iota(tensor.Int64, 0, x.Dim(0), x.Dim(1))
	at = ops.Where(ops.Less(at, lengths), ops.Sub(ops.Sub(lengths, 1), at), at)
	shape := x.Shape()
	for len(at.Shape()) < len(shape) {
		at = ops.Unsqueeze(at, -1)
	}
	return ops.GatherElements(x, 0, ops.BroadcastTo(at, shape...), nil)
}

// folding is the reduction of a scatter.
func (c *call) folding() string {
	switch r := c.str("reduction", "none"); r {
	case "none":
		return "set"
	case "add", "mul", "min", "max":
		return r
	default:
		c.refuse("reduction %q is not known", r)
		return ""
	}
}

func scatter(c *call) []*value {
	x := c.x(0)
	axis := c.axis(c.int("axis", 0), x.Rank())
	return out(ops.ScatterReduce(x, axis, c.x(1), c.x(2), c.folding(), &ops.ScatterOptions{NegativeIndices: true}))
}

// tensorScatter writes updates into a cache, at a position for each batch.
func tensorScatter(c *call) []*value {
	past, update := c.x(0), c.x(1)
	axis, mode := c.axis(c.int("axis", -2), past.Rank()), c.str("mode", "linear")
	if axis == 0 || mode != "linear" && mode != "circular" {
		c.fail("axis %d, mode %q", axis, mode)
	}
	shape := update.Shape()
	at := c.b.g.Iota(tensor.Int64, axis, shape...)
	if starts := c.opt(2); starts != nil {
		per := make([]int, len(shape))
		for i := range per {
			per[i] = 1
		}
		per[0] = shape[0]
		at = ops.Add(at, ops.Reshape(ops.Cast(starts, tensor.Int64), per...))
	}
	if mode == "circular" {
		at = ops.Mod(at, int64(past.Dim(axis)))
	}
	return out(ops.ScatterReduce(past, axis, at, update, "set", nil))
}

func oneHot(c *call) []*value {
	ids, depth, values := c.x(0), int(c.num(1, 0)), c.x(2)
	if !ids.DType().IsInt() {
		ids = ops.Cast(ids, tensor.Int64)
	}
	axis := c.axis(c.int("axis", -1), ids.Rank()+1)
	ids = ops.Where(ops.Less(ids, ops.ZerosLike(ids)), ops.Add(ids, depth), ids)
	hot := ops.MoveDim(ops.OneHot(ids, depth, tensor.Bool), []int{-1}, []int{axis})
	return out(ops.Where(hot, ops.Select(values, 0, 1), ops.Select(values, 0, 0)))
}

func topK(c *call) []*value {
	x := c.x(0)
	var k int
	if c.version < 10 {
		k = c.int("k", 0)
	} else {
		k = int(c.num(1, 0))
	}
	o := &ops.TopKOptions{}
	if c.version >= 11 {
		o.Smallest = !c.flag("largest", true)
		o.ByPosition = !c.flag("sorted", true)
	}
	values, positions := ops.TopK(x, k, c.axis(c.int("axis", -1), x.Rank()), o)
	return out(values, positions)
}
