package export

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var (
	_ = define("gather", func(c *call) []string {
		axis := c.n.Attr().(ir.GatherAttr).Axis
		if c.shape(0)[axis] == 0 {
			return []string{c.expand(c.number(0, c.dtype()), nil, c.n.Shape())}
		}
		at, ok := c.index(1, c.shape(0)[axis])
		y := c.op("Gather", []string{c.arg(0), at}, anInt("axis", axis))
		if ok == "" {
			return []string{y}
		}
		after := c.in[0].Rank() - axis - 1
		shape := append(c.shape(1), slices.Repeat([]int{1}, after)...)
		return []string{c.choose(c.reshape(ok, shape...), y, c.number(0, c.dtype()))}
	})
	_ = define("take_along", func(c *call) []string {
		axis := c.n.Attr().(ir.GatherAttr).Axis
		at, ok := c.index(1, c.shape(0)[axis])
		if slices.Contains(c.shape(0), 0) {
			return []string{c.expand(c.number(0, c.dtype()), nil, c.n.Shape())}
		}
		y := c.op("GatherElements", []string{c.arg(0), at}, anInt("axis", axis))
		if ok == "" {
			return []string{y}
		}
		return []string{c.choose(ok, y, c.number(0, c.dtype()))}
	})
	_ = define("scatter_into", scatter)
)

// index is operand i, whose integers count among n, and which of them do: "" where all are known to. Others stand for the first, since
// here an index outside reads 0, and elsewhere it is a mistake or counts from the end.
func (c *call) index(i, n int) (at, ok string) {
	at = c.arg(i)
	if dt := c.in[i].DType(); dt != tensor.Int32 && dt != tensor.Int64 {
		at = c.cast(at, tensor.Int64)
	}
	if inside(c.in[i], n) {
		return at, ""
	}
	ok = c.op("And", []string{c.is("GreaterOrEqual", at, c.like(at, 0)), c.is("Less", at, c.like(at, float64(n)))})
	return c.choose(ok, at, c.like(at, 0)), ok
}

// inside reports integers that are known to be indices of n elements: constants, and bounded nodes.
func inside(x *ops.Node, n int) bool {
	switch x.Op().Name {
	case "const":
		t, _ := constant(x)
		for _, v := range t.All() {
			if v < 0 || v >= float64(n) {
				return false
			}
		}
		return true
	case "within":
		a := x.Attr().(ir.WithinAttr)
		return a.Lo >= 0 && a.Hi < int64(n)
	case "iota":
		shape := x.Shape()
		return shape[x.Attr().(ir.IotaAttr).Axis] <= n
	case "cast", "reshape", "transpose", "slice", "broadcast_to":
		return x.Operands()[0].DType().IsInt() && inside(x.Operands()[0], n)
	}
	return false
}

var reductions = map[engine.Put]string{engine.PutAdd: "add", engine.PutMul: "mul", engine.PutMin: "min", engine.PutMax: "max",
	engine.PutSet: "none"}

// scatter puts updates into a tensor. One whose index is outside goes to a slice behind the last, which is cut off.
func scatter(c *call) []string {
	a := c.n.Attr().(ir.ScatterAttr)
	shape, axis := c.shape(0), a.Axis
	if slices.Contains(shape, 0) || c.in[2].Size() == 0 {
		return same(c)
	}
	if a.Put != engine.PutSet && c.dtype() == tensor.Bool {
		return c.refused("bools are not reduced")
	}
	n := shape[axis]
	x, u, to := c.arg(0), c.arg(2), slices.Clone(shape)
	at := c.cast(c.arg(1), tensor.Int64)
	known := inside(c.in[1], n)
	if !known {
		ok := c.op("And", []string{c.is("GreaterOrEqual", at, c.like(at, 0)), c.is("Less", at, c.like(at, float64(n)))})
		at = c.choose(ok, at, c.like(at, float64(n)))
		before, after := make([]int, len(shape)), make([]int, len(shape))
		after[axis] = 1
		x = c.pad(x, before, after, 0, c.dtype())
		to[axis]++
	}
	if !a.Along { // an index is for a slice
		k := c.in[1].Size()
		part := slices.Clone(shape)
		part[axis] = k
		one := slices.Repeat([]int{1}, len(shape))
		one[axis] = k
		u = c.reshape(u, part...)
		at = c.expand(c.reshape(at, one...), one, part)
	}
	y := c.op("ScatterElements", []string{x, at, u}, anInt("axis", axis), text("reduction", reductions[a.Put]))
	if known {
		return []string{y}
	}
	return []string{c.slice(y, to, shape, make([]int, len(shape)), slices.Repeat([]int{1}, len(shape)))}
}
