package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// UniqueOptions say what Unique compares. The zero value and nil are the
// elements of x, sorted.
type UniqueOptions struct {
	// Along compares the slices of x along Axis instead of its elements.
	Along bool
	Axis  int
	// FirstSeen gives different elements in the order in which they stand in x
	// instead of sorted.
	FirstSeen bool
}

// Uniques are the results of Unique. As shapes are fixed, they have room for all
// of x; behind the elements that were found there are zeros in Values and Counts, and -1 in First.
type Uniques struct {
	Values  *Node // [n], or x's shape where slices are compared
	First   *Node // [n] int64: where each stands first
	Inverse *Node // [n] int64: for each element of x, its number among Values
	Counts  *Node // [n] int64: how often each stands in x
	Number  *Node // int64 scalar: how many there are
}

// Unique finds the different elements of x, in row-major order, or its different
// slices along an axis:
//
//	x[i] = Values[Inverse[i]],  Values[k] = x[First[k]]
//
// Sorted slices are in the order of their first elements, then of their second.
// NaN equals NaN and comes last; the zeros are equal, and the first one found stands
// for both. There is no derivative. Errors: the axis does not exist; more than
// 2^31 - 1 of them.
// Source: ONNX, operator Unique; for NaN NumPy 1.21.
func Unique(x *Node, o *UniqueOptions) Uniques {
	if o == nil {
		o = &UniqueOptions{}
	}
	bad := func(n *Node) Uniques { return Uniques{n, n, n, n, n} }
	if x == nil || x.bad {
		return bad(apply("unique", nil, x))
	}
	if hasOpenSizes(x) {
		all := x.graph.sized("unique", []*Node{x}, 5, func(_ *Graph, in []*Node, _ func(d int) int) []*Node {
			u := Unique(in[0], o)
			return []*Node{u.Values, u.First, u.Inverse, u.Counts, u.Number}
		})
		return Uniques{all[0], all[1], all[2], all[3], all[4]}
	}
	items, back := Reshape(x, x.Size(), 1), func(v *Node) *Node { return Reshape(v, x.Size()) }
	if o.Along {
		axis, err := shapes.Axis(o.Axis, x.Rank())
		if err != nil {
			return bad(x.graph.fail("unique", []*Node{x}, err))
		}
		perm := ir.Range(0, x.Rank())
		perm[0], perm[axis] = axis, 0 // its own inverse
		turned := Transpose(x, perm...)
		items = Reshape(turned, x.shape[axis], x.Size()/max(x.shape[axis], 1))
		back = func(v *Node) *Node { return Transpose(Reshape(v, turned.shape...), perm...) }
	}
	n := apply("unique", uniqueAttr{!o.FirstSeen}, items)
	if n.bad {
		return bad(n)
	}
	return Uniques{back(pickOf(n, 0)), pickOf(n, 1), pickOf(n, 2), pickOf(n, 3), Reshape(pickOf(n, 4))}
}

type uniqueAttr struct {
	Sorted bool `default:"true" doc:"in ascending order; otherwise in the order in which they stand in x"`
}

var _ = define(Op{
	Name: "unique", Category: "order", Attributes: AttributesOf[uniqueAttr](), Operands: operandX, DTypes: every, kind: ir.KindRoutine,
	ResultNames: []string{"values", "first", "inverse", "counts", "number"},
	Results: func(c *Call) ([]Result, error) {
		x := c.shape(0)
		switch {
		case len(x) != 2:
			return nil, fmt.Errorf("%v is not [items, elements]", x)
		case x[0] > math.MaxInt32:
			return nil, fmt.Errorf("%d items; 2^31 - 1 are the most", x[0])
		}
		n := x[:1]
		return []Result{{c.dt(0), x}, {tensor.Int64, n}, {tensor.Int64, n}, {tensor.Int64, n}, {tensor.Int64, []int{1}}}, nil
	},
	algorithm: func(n *ir.Node) engine.Algorithm {
		s := n.In[0].Shape
		return &engine.Unique{Count: int64(s[0]), Width: int64(s[1]), Sorted: n.Attr.(uniqueAttr).Sorted}
	},
})

// UniqueConsecutive removes repetitions that follow each other: of the elements of x in row-major order, or with Along of its slices along
// Axis. Results are those of [Unique], in the order of x; First is where each run begins. NaN differs from everything, as in
// PyTorch. It takes linear time. Derivatives of Values go to the first of each run. FirstSeen has no meaning. Errors: the axis does not
// exist.
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

// items is the number of elements or slices that are compared.
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
