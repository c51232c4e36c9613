package ops

import (
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// UniqueConsecutive removes repetitions that follow each other: of the elements of x in row-major order, or with Along of its slices along
// Axis. Results are those of [Unique], in the order of x; First is where each run begins. NaN differs from everything, as in
// PyTorch. It takes linear time. Derivatives of Values go to the first of each run. FirstSeen has no meaning. Errors: the axis does not exist.
// Source: PyTorch, unique_consecutive.
func UniqueConsecutive(x *Node, o *UniqueOptions) Uniques {
	var a consecutiveAttr
	if o != nil && o.Along {
		a = consecutiveAttr{Along: true, Axis: o.Axis}
	}
	all := ApplyAll("unique_consecutive", a, x)
	return Uniques{all[0], all[1], all[2], all[3], all[4]}
}

type consecutiveAttr struct {
	Along bool `default:"false" doc:"slices along axis are compared, instead of elements"`
	Axis  int  `default:"0" doc:"counted from the end where negative"`
}

// items are how many things are compared.
func (a consecutiveAttr) items(x []int) int {
	if a.Along {
		return x[a.Axis]
	}
	return ir.Product(x)
}

var _ = define(Op{
	Name: "unique_consecutive", Category: "order", Attributes: AttributesOf[consecutiveAttr](), Operands: operandX, DTypes: every,
	ResultNames: []string{"values", "first", "inverse", "counts", "number"},
	Complete: func(c *Call) (err error) {
		a := c.Attr.(consecutiveAttr)
		if a.Along {
			a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
		} else {
			a.Axis = 0
		}
		c.Attr = a
		return err
	},
	Results: func(c *Call) ([]Result, error) {
		a, x := c.Attr.(consecutiveAttr), c.shape(0)
		n := []int{a.items(x)}
		values := n
		if a.Along {
			values = x
		}
		return []Result{{c.dt(0), values}, {tensor.Int64, n}, {tensor.Int64, n}, {tensor.Int64, n}, {tensor.Int64, nil}}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		a, x := c.Attr.(consecutiveAttr), c.In[0]
		g, n := x.graph, a.items(x.shape)
		var items *Node
		if a.Along {
			items = MoveDim(x, []int{a.Axis}, []int{0})
		} else {
			items = Reshape(x, n)
		}
		width := ir.Product(items.shape[1:])
		rows := Reshape(items, n, width)
		starts := g.Ones(tensor.Bool, min(n, 1))
		if n > 1 {
			differ := Any(NotEqual(Slice(rows, From(0, 1)), Slice(rows, To(0, n-1))), 1)
			starts = Concat(0, starts, differ)
		}
		at, number := places(starts, n)
		values := compacted(items, at, n, 0)
		if a.Along {
			values = MoveDim(values, []int{0}, []int{a.Axis})
		}
		inverse := Sub(CumSum(Cast(starts, tensor.Int64), 0, nil), int64(1))
		first := compacted(g.Iota(tensor.Int64, 0, n), at, n, -1)
		counts := first
		if n > 0 { // a run ends where the next begins, the last with x
			end := Where(Less(first, 0), int64(n), first)
			next := Concat(0, Slice(end, From(0, 1)), g.Full(tensor.Int64, float64(n), 1))
			counts = Where(Less(first, 0), int64(0), Sub(next, end))
		}
		return []*Node{values, first, inverse, counts, number}
	},
})
