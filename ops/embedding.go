package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Embedding returns the rows of the table that the integers ids name:
//
//	y[p, j] = table[ids[p], j]
//
// table is [V, D], any dtype; the result has the shape of ids with D appended.
// An id outside [0, V) gives a row of zeros. Errors: table is not [V, D]; ids
// is not an integer.
func Embedding(table, ids *Node) *Node { return apply("embedding", nil, table, ids) }

var _ = define(Op{
	Name:     "embedding",
	Category: "indexing", Complex: eachPart,
	Operands: []Operand{{Name: "table"}, {Name: "ids", DTypes: ints}},
	DTypes:   every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if len(c.shape(0)) != 2 {
			return nil, 0, fmt.Errorf("the table is %v, not [V D]", c.shape(0))
		}
		return append(append([]int{}, c.shape(1)...), c.shape(0)[1]), c.dt(0), nil
	},
	Compose: func(c *Call) *Node { return Gather(c.In[0], 0, c.In[1]) },
})

// BagMode says how the rows in a bag are combined.
type BagMode string

// The modes of [EmbeddingBag].
const (
	BagSum  BagMode = "sum"
	BagMean BagMode = "mean"
	BagMax  BagMode = "max"
)

// EmbeddingBagOptions say which rows are in a bag and how these are combined. The zero value and nil are bags that are rows of ids, and
// their means.
type EmbeddingBagOptions struct {
	Mode BagMode // empty: mean, as in PyTorch
	// Offsets say where each bag begins in ids, which has one axis then; they do not fall. nil: the bags are the rows of ids, of two axes.
	Offsets *Node
	// Weights multiply the rows, in the shape of ids; for sums only.
	Weights *Node
	// Padding is an id whose rows do not count, where Pads says so. Nor do ids outside of the table.
	Padding int
	Pads    bool
}

type bagAttr struct {
	Mode    BagMode `default:"mean" doc:"sum, mean or max of the rows"`
	Offsets bool    `default:"false" doc:"there is an operand that says where bags begin"`
	Weights bool    `default:"false" doc:"the last operand weights the rows"`
	Padding int     `default:"-1" doc:"an id whose rows do not count"`
}

// EmbeddingBag returns for every bag of ids the sum, the mean or the maximum of the rows of the table that they name:
//
//	y[b, j] = Σ_{i in bag b} weights[i] · table[ids[i], j]
//
// table is [V, D], a float; ids is an integer, [B, L] for bags of equal size or [L] with Offsets [B]. A bag without rows gives zeros. The
// largest element of a bag takes its derivative; several share it. Errors: shapes; dtypes; weights with another mode than sum.
// Source: PyTorch, torch.nn.EmbeddingBag.
func EmbeddingBag(table, ids *Node, o *EmbeddingBagOptions) *Node {
	v := valueOf(o)
	a := bagAttr{v.Mode, v.Offsets != nil, v.Weights != nil, -1}
	if v.Pads {
		a.Padding = v.Padding
	}
	return apply("embedding_bag", a, given([]*Node{table, ids}, v.Offsets, v.Weights)...)
}

var _ = define(Op{
	Name: "embedding_bag", Category: "indexing", Attributes: AttributesOf[bagAttr](), DTypes: floats,
	Operands: []Operand{{Name: "table"}, {Name: "ids", DTypes: ints},
		{Name: "more", DTypes: slices.Concat(ints, floats), Optional: true, Repeated: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, table, ids := c.Attr.(bagAttr), c.shape(0), c.shape(1)
		want := 2
		for _, more := range []bool{a.Offsets, a.Weights} {
			if more {
				want++
			}
		}
		axes := 2
		if a.Offsets {
			axes = 1
		}
		switch {
		case len(c.In) != want:
			return nil, 0, fmt.Errorf("takes %d operands where it says which there are, not %d", want, len(c.In))
		case len(table) != 2 || len(ids) != axes:
			return nil, 0, fmt.Errorf("the table is %v and ids %v, not [V D] and %d axes", table, ids, axes)
		case a.Offsets && (!c.dt(2).IsInt() || len(c.shape(2)) != 1):
			return nil, 0, fmt.Errorf("offsets are %v%v, not integers of one axis", c.dt(2), c.shape(2))
		case a.Weights && (c.dt(want-1) != c.dt(0) || !slices.Equal(c.shape(want-1), ids)):
			return nil, 0, fmt.Errorf("weights are %v%v, not %v%v", c.dt(want-1), c.shape(want-1), c.dt(0), ids)
		case a.Weights && a.mode() != BagSum:
			return nil, 0, fmt.Errorf("weights are for sums, not for the mode %q", a.mode())
		case !slices.Contains([]BagMode{BagSum, BagMean, BagMax}, a.mode()):
			return nil, 0, fmt.Errorf("the mode %q is none of sum, mean and max", a.Mode)
		}
		bags := ids[0]
		if a.Offsets {
			bags = c.shape(2)[0]
		}
		return []int{bags, table[1]}, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, table, ids := c.Attr.(bagAttr), c.In[0], Cast(c.In[1], tensor.Int64)
		counts := And(And(GreaterEqual(ids, 0), Less(ids, int64(table.shape[0]))), NotEqual(ids, int64(a.Padding)))
		rows := widen(Gather(table, 0, Where(counts, ids, ScalarLike(ids, -1)))) // others are zeros
		var weights *Node
		if a.Weights {
			weights = widen(c.In[len(c.In)-1])
			rows = Mul(rows, ExpandDims(weights, -1))
		}
		number := Cast(counts, rows.dtype)
		low := ScalarLike(rows, math.Inf(-1))
		var y, n *Node
		switch {
		case !a.Offsets && a.mode() == BagMax:
			y, n = Max(Where(ExpandDims(counts, -1), rows, low), 1), Sum(number, 1)
		case !a.Offsets:
			y, n = Sum(rows, 1), Sum(number, 1)
		default:
			bag, bags := bagsOf(c.In[2], ids.shape[0]), c.shape(2)[0]
			n = ScatterAdd(zerosIn(ids.graph, rows.dtype, []int{bags}), 0, bag, number)
			if a.mode() == BagMax {
				low := BroadcastTo(low, bags, table.shape[1])
				y = ScatterMax(low, 0, Where(counts, bag, ScalarLike(bag, -1)), rows)
			} else {
				y = ScatterAdd(zerosIn(ids.graph, rows.dtype, []int{bags, table.shape[1]}), 0, bag, rows)
			}
		}
		n = ExpandDims(n, -1)
		switch a.mode() {
		case BagMean:
			y = Div(y, Maximum(n, 1.0))
		case BagMax:
			y = Where(Greater(n, 0.0), y, ScalarLike(y, 0))
		}
		return Cast(y, table.dtype)
	},
})

func (a bagAttr) mode() BagMode {
	if a.Mode == "" {
		return BagMean
	}
	return a.Mode
}

// bagsOf is the bag of each of n ids: how many bags begin at or before it, less one.
func bagsOf(offsets *Node, n int) *Node {
	g := offsets.graph
	starts := ScatterAdd(zerosIn(g, tensor.Int64, []int{n}), 0, offsets, g.Full(tensor.Int64, 1, offsets.shape...))
	return Sub(CumSum(starts, 0, nil), 1)
}
