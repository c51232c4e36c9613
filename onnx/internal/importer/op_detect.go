package importer

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "NonMaxSuppression", since: 10, build: func(c *call) []*value {
			boxes, scores := c.x(0), c.x(1)
			most := int(c.num(2, 0))
			o := &ops.SuppressOptions{PerClass: most, IoU: c.num(3, 0), Centre: c.flag("center_point_box", false)}
			if c.has(4) {
				score := c.num(4, 0)
				o.Score = &score
			}
			if most <= 0 { // none are asked for
				return out(c.b.g.Zeros(tensor.Int64, 0, 3))
			}
			selected, count := ops.NonMaxSuppression(boxes, scores, o)
			return []*value{{node: selected, trims: []trim{{0, count}}}}
		}},
		{name: "BitCast", since: 26, build: func(c *call) []*value {
			x, to := c.x(0), c.dtype(c.int("to", 0))
			from := x.DType()
			switch {
			case from.Size() != to.Size():
				c.fail("%v and %v have elements of different sizes", from, to)
			case from == to || from.IsInt() && to.IsInt():
				return out(ops.Cast(x, to))
			}
			t := c.host(0).Contiguous()
			b, _ := t.Bytes()
			aligned := tensor.AlignedBytes(len(b))
			copy(aligned, b)
			return c.known(tensor.FromBytes(to, aligned, t.Shape()...))
		}},
	}
})
