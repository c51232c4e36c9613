package ops

import (
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Shape returns the extents of x as numbers of the graph, int64 [rank]:
//
//	y[i] = extent of axis i of x
//
// It is a constant for every combination of sizes with which a graph runs, also where these are open (see [Dim]). Where an extent is wanted, as by [Reshape],
// [Slice] and [Graph.Full], give what [Node.Dim] has instead. x has any dtype; its values are not read. There is no derivative.
// Source: ONNX, operator Shape.
func Shape(x *Node) *Node { return apply("shape", nil, x) }

var _ = define(Op{
	Name: "shape", Category: "layout", Operands: operandX, DTypes: every, Flat: true,
	Result: func(c *Call) ([]int, tensor.DType, error) { return []int{len(c.shape(0))}, tensor.Int64, nil },
	Compose: func(c *Call) *Node {
		s := c.shape(0)
		all := make([]int64, len(s))
		for i, d := range s {
			all[i] = int64(d)
		}
		return constOf(c.In[0].graph, tensor.Int64, all, len(all))
	},
})

// Size returns the number of elements of x, or the product of its extents along axes, as a number of the graph: an int64 scalar, as [Shape] gives them.
// Cast it to calculate with values of another dtype, as with the size of an open batch. Errors: an axis does not exist or is named twice.
// Source: ONNX, operator Size; PyTorch, Tensor.size.
func Size(x *Node, axes ...int) *Node { return apply("size", sizeAttr{axes}, x) }

type sizeAttr struct {
	Axes []int `default:"" doc:"whose extents are multiplied, counted from the end where negative; none: all"`
}

var _ = define(Op{
	Name: "size", Category: "layout", Attributes: AttributesOf[sizeAttr](), Operands: operandX, DTypes: every, Flat: true,
	Complete: func(c *Call) error {
		axes, err := shapes.Axes(c.Attr.(sizeAttr).Axes, len(c.shape(0)))
		c.Attr = sizeAttr{axes}
		return err
	},
	Result: func(*Call) ([]int, tensor.DType, error) { return nil, tensor.Int64, nil },
	Compose: func(c *Call) *Node {
		a, s := c.Attr.(sizeAttr), c.shape(0)
		n := 1
		for _, axis := range a.Axes {
			n *= s[axis]
		}
		return c.In[0].graph.int(int64(n))
	},
})
