package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// MaxUnpool puts every element of x where indices, as [MaxPoolWithIndices] gives them, say that it came from, into zeros:
//
//	y[p, indices[p, i]] = x[p, i]
//
// Indices count in row-major order in the last axes of the result, which have the extents of size; x has as many in their place, and any before. Where several name the same
// element, the last of them in row-major order stays; one outside is skipped. x is of any dtype, and indices an integer of its shape. The derivative of every element is that of the place that its index names, also of one that did not stay, as in PyTorch. Errors: shapes; dtypes; an extent is negative.
// Source: PyTorch, torch.nn.MaxUnpool2d.
func MaxUnpool(x, indices *Node, size ...int) *Node {
	return apply("max_unpool", adaptiveSize{size}, x, indices)
}

var _ = define(Op{
	Name: "max_unpool", Category: "pooling", Attributes: AttributesOf[adaptiveSize](), Operands: []Operand{{Name: "x"}, {Name: "indices", DTypes: ints}}, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		size, x := c.Attr.(adaptiveSize).Size, c.shape(0)
		switch {
		case len(size) < 1 || len(size) > len(x) || slices.Min(size) < 0:
			return nil, 0, fmt.Errorf("the size %v does not fit the axes of %v", size, x)
		case !slices.Equal(x, c.shape(1)):
			return nil, 0, fmt.Errorf("indices are %v, not %v", c.shape(1), x)
		}
		return slices.Concat(x[:len(x)-len(size)], size), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		x, size := c.In[0], c.Attr.(adaptiveSize).Size
		lead := x.shape[:x.Rank()-len(size)]
		rows, volume, own := ir.Product(lead), ir.Product(size), ir.Product(x.shape[len(lead):])
		y := zerosIn(x.graph, x.dtype, []int{rows, volume})
		y = Scatter(y, 1, Reshape(c.In[1], rows, own), Reshape(x, rows, own))
		return Reshape(y, slices.Concat(lead, size)...)
	},
	Grad: func(b *Back) {
		x, d := b.In(0), b.Grad()
		lead := x.shape[:x.Rank()-len(b.Attr().(adaptiveSize).Size)]
		rows := ir.Product(lead)
		if rows == 0 || x.Size() == 0 {
			b.Add(0, zerosLike(x))
			return
		}
		d = TakeAlong(Reshape(d, rows, ir.Product(d.shape[len(lead):])), 1, Reshape(b.In(1), rows, x.Size()/rows))
		b.Add(0, Reshape(d, x.shape...))
	},
})
