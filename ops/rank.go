package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// TopKOptions say which elements TopK gives, and in which order. The zero value
// and nil are the largest, the largest first.
type TopKOptions struct {
	// Smallest gives the smallest elements, the smallest first.
	Smallest bool
	// ByPosition gives them in the order in which they stand in x. ONNX's
	// sorted = 0 leaves the order open; this is the one that is the same everywhere.
	ByPosition bool
}

// TopK returns the k largest elements of x along axis, the largest first, and
// as int64 the positions at which they stand:
//
//	values[p, i, q] = x[p, positions[p, i, q], q],  i < k
//
// NaN counts as larger than every number, as in PyTorch; the zeros are equal. Of
// equal elements the one that stands first comes first, also among the smallest.
// k at most the extent of axis. The derivative of an element that is among the
// k is that of its value, of the others 0. Errors: the axis does not exist; k
// is negative or above its extent.
// Source: ONNX, operator TopK.
func TopK(x *Node, k, axis int, o *TopKOptions) (values, positions *Node) {
	a := rankAttr{Keep: k, Descending: true}
	if o != nil {
		a.Descending, a.ByPosition = !o.Smallest, o.ByPosition
	}
	return ranked("top_k", x, axis, a)
}

// SortOptions say in which order. The zero value and nil are ascending.
type SortOptions struct {
	Descending bool
}

// Sort returns the elements of x sorted along axis, and as int64 the positions
// at which they stood:
//
//	values[p, i, q] = x[p, positions[p, i, q], q],  values[p, i, q] <= values[p, i+1, q]
//
// The sort is stable: equal elements stay in order, in both directions. NaN
// counts as larger than every number: it comes last, or first when descending,
// as in PyTorch. The zeros are equal. The derivative goes where each value came
// from. Errors: the axis does not exist.
func Sort(x *Node, axis int, o *SortOptions) (values, positions *Node) {
	a := rankAttr{Keep: -1}
	if o != nil {
		a.Descending = o.Descending
	}
	return ranked("sort", x, axis, a)
}

// ArgSort returns the positions of [Sort]: the permutation that sorts x along
// axis. Ties, NaN and errors as there.
func ArgSort(x *Node, axis int, o *SortOptions) *Node {
	_, positions := Sort(x, axis, o)
	return positions
}

type rankAttr struct {
	Keep       int  `default:"-1" doc:"how many of each row; -1: all"`
	Descending bool `default:"false" doc:"the largest first"`
	ByPosition bool `default:"false" doc:"in the order in which they stand in x"`
}

// ranked calls an op that orders the last axis with another one in its place.
func ranked(name string, x *Node, axis int, a rankAttr) (values, positions *Node) {
	if x == nil || x.bad {
		n := apply(name, nil, x)
		return n, n
	}
	d, err := shapes.Axis(axis, x.Rank())
	if err != nil {
		n := x.graph.fail(name, []*Node{x}, err)
		return n, n
	}
	perm := ir.Range(0, x.Rank())
	perm[d], perm[len(perm)-1] = perm[len(perm)-1], perm[d] // its own inverse
	n := apply(name, a, Transpose(x, perm...))
	if n.bad {
		return n, n
	}
	return Transpose(pickOf(n, 0), perm...), Transpose(pickOf(n, 1), perm...)
}

func rankOp(name string) Op {
	return Op{
		Name: name, Category: "order", Attributes: AttributesOf[rankAttr](), Operands: operandX, DTypes: numbers, kind: ir.KindRoutine,
		Complete: func(c *Call) error {
			a, x := c.Attr.(rankAttr), c.shape(0)
			if len(x) == 0 {
				return errors.New("a scalar has no order")
			}
			if a.Keep == -1 {
				a.Keep = x[len(x)-1]
			}
			c.Attr = a
			return nil
		},
		ResultNames: []string{"values", "positions"},
		Results: func(c *Call) ([]Result, error) {
			x, k := c.shape(0), c.Attr.(rankAttr).Keep
			switch n := x[len(x)-1]; {
			case k < 0 || k > n:
				return nil, fmt.Errorf("%d of %d elements", k, n)
			case n > math.MaxUint32:
				return nil, fmt.Errorf("an axis of %d elements; 2^32 - 1 are the most", n)
			}
			shape := append(slices.Clone(x[:len(x)-1]), k)
			return []Result{{c.dt(0), shape}, {tensor.Int64, shape}}, nil
		},
		algorithm: func(n *ir.Node) engine.Algorithm {
			x, a := n.In[0].Shape, n.Attr.(rankAttr)
			return &engine.Rank{
				Rows: int64(ir.Product(x[:len(x)-1])), Length: int64(x[len(x)-1]), Keep: int64(a.Keep),
				Descending: a.Descending, ByPosition: a.ByPosition,
			}
		},
		// Each value hands its derivative to the element it came from: all rows
		// are one vector, and no position occurs twice.
		Grad: func(b *Back) {
			x, positions := b.In(0), b.Result(1)
			n := x.Dim(-1)
			rows := ir.Product(x.shape[:x.Rank()-1])
			shape := []int{rows, positions.Dim(-1)}
			starts := Mul(x.graph.Iota(tensor.Int64, 0, shape...), scalarConst(x.graph, tensor.Int64, float64(n)))
			at := Reshape(Add(Reshape(positions, shape...), starts), shape[0]*shape[1])
			d := ScatterAdd(zerosLike(Reshape(x, rows*n)), 0, at, Reshape(b.Grad(), shape[0]*shape[1]))
			b.Add(0, Reshape(d, x.shape...))
		},
	}
}

var _ = define(rankOp("top_k"))

var _ = define(rankOp("sort"))
