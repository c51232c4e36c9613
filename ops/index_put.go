package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// The scatters that PyTorch and NumPy have by other names, and masks.

// IndexAdd is [ScatterAdd] of slices, by PyTorch's name: idx is a vector, and updates has its length along axis.
func IndexAdd(x *Node, axis int, idx, updates *Node) *Node {
	return indexed(x, axis, idx, updates, "add", nil)
}

// IndexCopy is [Scatter] of slices. See [IndexAdd].
func IndexCopy(x *Node, axis int, idx, updates *Node) *Node {
	return indexed(x, axis, idx, updates, "set", nil)
}

// IndexReduce is [ScatterReduce] of slices. See [IndexAdd].
func IndexReduce(x *Node, axis int, idx, updates *Node, reduction string, o *ScatterOptions) *Node {
	return indexed(x, axis, idx, updates, reduction, o)
}

// IndexFill returns x with the slices along axis that the integers idx name filled with value, a number or a scalar.
func IndexFill[V NodeOrNumber](x *Node, axis int, idx *Node, value V) *Node {
	nodes := nodesOf("index_fill", x, x, value)
	if idx != nil && !idx.bad && x != nil && !x.bad && len(idx.shape) == len(x.shape) && len(x.shape) > 1 {
		return x.graph.fail("index_fill", []*Node{x, idx}, fmt.Errorf("indices are %v, no vector", idx.shape))
	}
	return ScatterReduce(x, axis, idx, nodes[1], "set", nil)
}

// indexed is a scatter of slices whose index is a vector, or a scalar for one slice.
func indexed(x *Node, axis int, idx, updates *Node, reduction string, o *ScatterOptions) *Node {
	if idx != nil && !idx.bad && len(idx.shape) == 0 {
		idx = Reshape(idx, 1)
	}
	return ScatterReduce(x, axis, idx, updates, reduction, o)
}

// PutAlong is [Scatter] element by element, by NumPy's name put_along_axis: the inverse of [TakeAlong].
func PutAlong(x *Node, axis int, idx, values *Node) *Node { return Scatter(x, axis, idx, values) }

// PutFlat returns x with the elements that the integers idx name, in row-major order, replaced by values, or with accumulate, values
// added to them. Negative indices count from the end; those outside are skipped. values has as many elements as idx. The last of
// several values stays. Errors: idx is not an integer; dtypes; sizes.
// Source: PyTorch, put; NumPy, numpy.put.
func PutFlat(x, idx, values *Node, accumulate bool) *Node {
	return apply("index_put", indexPutAttr{Accumulate: accumulate, Flat: true}, x, values, idx)
}

// IndexPut returns x with the elements, or parts, that index tensors name together replaced by values, or with accumulate, values added to
// them:
//
//	y[i_1[s], i_2[s], ..., q] = values[s, q]
//
// The index tensors broadcast to one shape s, values to it and the axes of x that have no index. Negative indices count from the end; those
// outside are skipped. The last of several values stays. Errors: an index is not an integer; there are none, or more than x has
// axes; shapes do not broadcast; dtypes.
// Source: PyTorch, index_put.
func IndexPut(x *Node, indices []*Node, values *Node, accumulate bool) *Node {
	return apply("index_put", indexPutAttr{Accumulate: accumulate}, slices.Concat([]*Node{x, values}, indices)...)
}

// Index returns the elements, or parts, of x that index tensors name together, as [IndexPut] takes them: x[i_1, i_2, ...] in NumPy and
// PyTorch. Indices outside give zeros. Errors: as there.
func Index(x *Node, indices ...*Node) *Node {
	return apply("index", nil, slices.Concat([]*Node{x}, indices)...)
}

type indexPutAttr struct {
	Accumulate bool `default:"false" doc:"values are added"`
	Flat       bool `default:"false" doc:"one index counts the elements of x in row-major order"`
}

// indexShape is the shape that index tensors broadcast to, and the axes of x that have no index.
func indexShape(x []int, indices []*Node) (at, rest []int, err error) {
	if len(indices) == 0 || len(indices) > len(x) {
		return nil, nil, fmt.Errorf("%d indices for x %v", len(indices), x)
	}
	for _, i := range indices {
		if at, err = tensor.Broadcast(at, i.shape); err != nil {
			return nil, nil, errors.New("the shapes of indices do not broadcast")
		}
	}
	return at, x[len(indices):], nil
}

// namedParts are the numbers of the parts of x that index tensors name, in row-major order, and -1 outside.
func namedParts(x *Node, indices []*Node, shape []int) *Node {
	var at, inside *Node
	for k, i := range indices {
		i = wrapIndices(Cast(i, tensor.Int64), x.shape[k])
		ok := And(GreaterEqual(i, 0), Less(i, int64(x.shape[k])))
		if at == nil {
			at, inside = i, ok
			continue
		}
		at, inside = Add(Mul(at, int64(x.shape[k])), i), And(inside, ok)
	}
	return BroadcastTo(Where(inside, at, int64(-1)), shape...)
}

var _ = define(Op{
	Name: "index", Category: "indexing", Complex: eachPart, DTypes: every,
	Operands: []Operand{{Name: "x"}, {Name: "indices", DTypes: ints, Repeated: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		at, rest, err := indexShape(c.shape(0), c.In[1:])
		return slices.Concat(at, rest), c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		x := c.In[0]
		at, rest, _ := indexShape(x.shape, c.In[1:])
		rows := Reshape(x, ir.Product(x.shape[:len(c.In)-1]), ir.Product(rest))
		return Reshape(Gather(rows, 0, namedParts(x, c.In[1:], at)), slices.Concat(at, rest)...)
	},
})

var _ = define(Op{
	Name: "index_put", Category: "indexing", Complex: eachPart, Attributes: AttributesOf[indexPutAttr](), DTypes: every,
	Operands: []Operand{{Name: "x"}, {Name: "values"}, {Name: "indices", DTypes: ints, Repeated: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(indexPutAttr)
		if a.Accumulate {
			if err := checkPut("add", c.dt(0)); err != nil {
				return nil, 0, err
			}
		}
		if a.Flat {
			if len(c.In) != 3 || ir.Product(c.shape(2)) != ir.Product(c.shape(1)) {
				return nil, 0, fmt.Errorf("values %v are not one for each of the indices", c.shape(1))
			}
			return same(c)
		}
		at, rest, err := indexShape(c.shape(0), c.In[2:])
		if err != nil {
			return nil, 0, err
		}
		want := slices.Concat(at, rest)
		if full, err := tensor.Broadcast(c.shape(1), want); err != nil || !slices.Equal(full, want) {
			return nil, 0, fmt.Errorf("values %v do not stretch to %v", c.shape(1), want)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		a, x, values, indices := c.Attr.(indexPutAttr), c.In[0], c.In[1], c.In[2:]
		rows := x
		if a.Flat {
			rows = Reshape(x, x.Size())
			indices = []*Node{Reshape(indices[0], indices[0].Size())}
			values = Reshape(values, values.Size())
		}
		at, rest, _ := indexShape(rows.shape, indices)
		to := namedParts(rows, indices, at)
		n := ir.Product(at)
		values = Reshape(BroadcastTo(values, slices.Concat(at, rest)...), n, ir.Product(rest))
		rows = Reshape(rows, ir.Product(rows.shape[:len(indices)]), ir.Product(rest))
		reduction := "set"
		if a.Accumulate {
			reduction = "add"
		}
		return Reshape(scatterReduced(rows, Reshape(to, n), values, reduction, false, ir.ScatterAttr{}), x.shape...)
	},
})

// MaskedFill returns x with value, a number or a scalar, where mask, a bool that broadcasts against x, is true. It is [Where] by
// PyTorch's name.
func MaskedFill[V NodeOrNumber](x, mask *Node, value V) *Node { return Where(mask, value, x) }

// MaskedScatter returns x with the elements where mask is true, in row-major order, replaced by those of source, in its own order. mask
// broadcasts to x. Where source has too few, 0 is taken. Errors: mask is not bool or does not broadcast to x; dtypes.
// Source: PyTorch, masked_scatter.
func MaskedScatter(x, mask, source *Node) *Node { return apply("masked_scatter", nil, x, mask, source) }

var _ = define(Op{
	Name: "masked_scatter", Category: "indexing", Complex: eachPart, DTypes: every,
	Operands: []Operand{{Name: "x"}, {Name: "mask", DTypes: bools}, {Name: "source"}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		full, err := tensor.Broadcast(c.shape(0), c.shape(1))
		if err != nil {
			return nil, 0, fmt.Errorf("mask %v does not broadcast against %v", c.shape(1), c.shape(0))
		}
		return full, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		shape, _ := tensor.Broadcast(c.shape(0), c.shape(1))
		x, mask, source := BroadcastTo(c.In[0], shape...), BroadcastTo(c.In[1], shape...), c.In[2]
		at := CumSum(Cast(Reshape(mask, mask.Size()), counting(mask.Size())), 0, &CumSumOptions{Exclusive: true})
		drawn := Gather(Reshape(source, source.Size()), 0, Reshape(at, shape...))
		return Where(mask, drawn, x)
	},
})

// counting is a dtype that counts up to n.
func counting(n int) tensor.DType {
	if n < 1<<31 {
		return tensor.Int32
	}
	return tensor.Int64
}
