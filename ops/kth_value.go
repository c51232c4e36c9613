package ops

import (
	"slices"

	"github.com/anycl/anycl/tensor"
)

// KthValue returns the k-th smallest element, counted from 1, of each row of x along axis, and as int64 where it stands. NaN counts as larger
// than every number; of equal elements the first come first. The derivative goes to that element. Errors: the axis does not exist; k is not in [1, extent].
// Source: PyTorch, kthvalue.
func KthValue(x *Node, k, axis int) (values, positions *Node) {
	all := ApplyAll("kth_value", kthAttr{k, axis}, x)
	return all[0], all[len(all)-1]
}

type kthAttr struct {
	K    int `doc:"which, counted from 1"`
	Axis int `default:"-1" doc:"counted from the end where negative"`
}

// ReducedAxes is for KeepDims.
func (a kthAttr) ReducedAxes() []int { return []int{a.Axis} }

var _ = define(Op{
	Name: "kth_value", Category: "order", Attributes: AttributesOf[kthAttr](), Operands: operandX, DTypes: numbers,
	ResultNames: []string{"values", "positions"},
	Complete: func(c *Call) (err error) {
		a := c.Attr.(kthAttr)
		a.Axis, err = scatterAxis(a.Axis, c)
		c.Attr = a
		return err
	},
	Results: func(c *Call) ([]Result, error) {
		a, x := c.Attr.(kthAttr), c.shape(0)
		n := 1
		if len(x) > 0 {
			n = x[a.Axis]
		}
		if a.K < 1 || a.K > n {
			return nil, rangeError(a.K, n)
		}
		if len(x) > 0 {
			x = slices.Delete(slices.Clone(x), a.Axis, a.Axis+1)
		}
		return []Result{{c.dt(0), x}, {tensor.Int64, x}}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		a, x := c.Attr.(kthAttr), c.In[0]
		shape := x.shape
		if len(shape) == 0 {
			x = Reshape(x, 1)
		} else {
			shape = slices.Delete(slices.Clone(shape), a.Axis, a.Axis+1)
		}
		values, positions := TopK(x, a.K, a.Axis, &TopKOptions{Smallest: true})
		last := func(n *Node) *Node { return Reshape(Slice(n, Between(a.Axis, a.K-1, a.K)), shape...) }
		return []*Node{last(values), last(positions)}
	},
})

// MSort returns x sorted along its first axis, ascending: the values of [Sort].
// Source: PyTorch, msort.
func MSort(x *Node) *Node {
	values, _ := Sort(x, 0, nil)
	return values
}
