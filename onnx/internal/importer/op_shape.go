package importer

import (
	"math"
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "Identity", since: 1, moves: true, build: func(c *call) []*value {
			v := c.value(0)
			return []*value{{node: v.node, host: v.host, fold: v.fold, input: v.input, trims: v.trims}}
		}},
		{name: "Shape", since: 1, build: func(c *call) []*value {
			x := c.x(0)
			start, end := c.int("start", 0), c.int("end", math.MaxInt)
			shape := x.Shape()
			bound := func(i int) int {
				if i < 0 {
					i += len(shape)
				}
				return min(max(i, 0), len(shape))
			}
			return c.known(int64s(shape[bound(start):max(bound(start), bound(end))]))
		}},
		{name: "Size", since: 1, build: func(c *call) []*value {
			return []*value{{host: tensor.Scalar(int64(product(c.x(0).Shape())))}}
		}},
		{name: "Reshape", since: 1, moves: true, ignore: consumed, build: func(c *call) []*value {
			x := c.x(0)
			shape, given := c.intsOrInput("shape", 1, 5)
			if !given {
				c.fail("there is no shape")
			}
			zero := c.flag("allowzero", false)
			shape = slices.Clone(shape)
			for i, d := range shape {
				if d == 0 && !zero {
					if i >= x.Rank() {
						c.fail("extent %d of %v is that of the operand, which has %d axes", i, shape, x.Rank())
					}
					shape[i] = x.Dim(i)
				}
			}
			shape = c.batched(x, shape)
			if at := slices.Index(shape, -1); at >= 0 && x.Size() == 0 { // 0 elements do not determine the extent that is left open
				rest := slices.Delete(slices.Clone(shape), at, at+1)
				if product(rest) == 0 {
					c.fail("%v leaves an extent open, and there are no elements", shape)
				}
				shape[at] = 0
			}
			return out(ops.Reshape(x, shape...))
		}},
		{name: "Flatten", since: 1, moves: true, build: func(c *call) []*value { return out(flatten(c, c.x(0), c.int("axis", 1))) }},
		{name: "Transpose", since: 1, moves: true, build: func(c *call) []*value { return out(ops.Transpose(c.x(0), c.intList("perm")...)) }},
		{name: "Squeeze", since: 1, moves: true, build: func(c *call) []*value {
			axes, given := c.intsOrInput("axes", 1, 13)
			x := c.x(0)
			if !given {
				return out(ops.Squeeze(x))
			}
			return out(ops.Squeeze(x, append([]int{}, axes...)...))
		}},
		{name: "Unsqueeze", since: 1, moves: true, build: func(c *call) []*value {
			axes, _ := c.intsOrInput("axes", 1, 13)
			x := c.x(0)
			rank := x.Rank() + len(axes)
			shape := make([]int, rank)
			for _, a := range axes {
				a = c.axis(a, rank)
				if shape[a] != 0 {
					c.fail("axis %d is named twice in %v", a, axes)
				}
				shape[a] = -1
			}
			old := x.Shape()
			for i := range shape {
				if shape[i] == -1 {
					shape[i] = 1
					continue
				}
				shape[i], old = old[0], old[1:]
			}
			return out(ops.Reshape(x, shape...))
		}},
		{name: "Concat", since: 1, build: func(c *call) []*value {
			xs := c.all(0)
			axis := c.int("axis", 1)
			if len(xs) == 1 {
				return out(xs[0])
			}
			return out(ops.Concat(c.axis(axis, xs[0].Rank()), xs...))
		}},
		{name: "Split", since: 1, moves: true, build: split},
		{name: "Slice", since: 1, moves: true, build: slice},
		{name: "Expand", since: 8, moves: true, build: func(c *call) []*value {
			x := c.x(0)
			shape, err := tensor.Broadcast(x.Shape(), c.ints(1))
			c.check(err)
			return out(ops.BroadcastTo(x, shape...))
		}},
		{name: "Tile", since: 6, moves: true, build: func(c *call) []*value {
			x, reps := c.x(0), c.ints(1)
			if len(reps) != x.Rank() {
				c.fail("%d repetitions for %d axes", len(reps), x.Rank())
			}
			return out(ops.Tile(x, reps...))
		}},
		{name: "DepthToSpace", since: 1, build: func(c *call) []*value {
			mode := c.str("mode", "DCR")
			if mode != "DCR" && mode != "CRD" {
				c.refuse("mode %q is neither DCR nor CRD", mode)
			}
			return out(ops.DepthToSpace(c.x(0), c.int("blocksize", 0), mode == "DCR"))
		}},
		{name: "SpaceToDepth", since: 1, build: func(c *call) []*value {
			mode := c.str("mode", "DCR")
			return out(ops.SpaceToDepth(c.x(0), c.int("blocksize", 0), mode == "DCR"))
		}},
		{name: "Trilu", since: 14, build: func(c *call) []*value {
			x, k := c.x(0), int(c.num(1, 0))
			k = min(max(k, -1<<40), 1<<40)
			if c.flag("upper", true) {
				return out(ops.Triu(x, k))
			}
			return out(ops.Tril(x, k))
		}},
		{name: "Constant", since: 1, build: constant},
		{name: "ConstantOfShape", since: 9, build: func(c *call) []*value {
			shape := c.ints(0)
			fill := tensor.Scalar(float32(0))
			if a := c.attr("value", model.AttrTensor); a != nil {
				v, err := a.Tensor.Tensor(nil)
				c.check(err)
				if v.Len() != 1 {
					c.fail("its value has %d elements, not 1", v.Len())
				}
				v, err = v.Reshape()
				c.check(err)
				fill = v
			}
			return out(ops.BroadcastTo(c.b.g.Const(fill), shape...))
		}},
		{name: "Range", since: 11, build: func(c *call) []*value {
			dt := c.x(0).DType()
			start, limit, delta := c.num(0, 0), c.num(1, 0), c.num(2, 0)
			if delta == 0 {
				c.fail("the step is 0")
			}
			n := max(0, int(math.Ceil((limit-start)/delta)))
			if n > maxFold {
				c.fail("%d elements, more than %d", n, maxFold)
			}
			t, err := tensor.New(dt, n)
			c.check(err)
			for i := range n {
				t.SetFloat64(i, start+float64(i)*delta)
			}
			return c.known(t, nil)
		}},
		{name: "EyeLike", since: 9, build: func(c *call) []*value {
			x := c.x(0)
			dt := x.DType()
			if c.given("dtype") {
				dt = c.dtype(c.int("dtype", 1))
			}
			if x.Rank() != 2 {
				c.fail("its operand has %d axes, not 2", x.Rank())
			}
			return out(ops.Cast(c.b.g.Eye(tensor.Int32, x.Dim(0), x.Dim(1), c.int("k", 0)), dt))
		}},
		{name: "CenterCropPad", since: 18, build: cropPad},
		{name: "Pad", since: 2, build: pad},
	}
})
