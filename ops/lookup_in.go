package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// LookupIn returns for each element of x the value that a table has for it, which is fed or computed when the graph runs:
//
//	y = values[i] where x = keys[i], other where no key is x
//
// x is any number, keys [n] are of its dtype, values [n, ...] of any dtype, and other is a number or a node of theirs that broadcasts to the result, which has x's shape and then
// the axes of values behind the first. Of equal keys the first counts; NaN is no key. The keys are sorted at every run, then each element takes a logarithm of steps: for keys that
// are known when the graph is built, [Lookup] is faster. Derivatives go to values and other. Errors: dtypes; keys are no vector; values are not as many.
func LookupIn[V NodeOrNumber](x, keys, values *Node, other V) *Node {
	return apply("lookup_in", nil, x, keys, values, nodesOf("lookup_in", values, other)[0])
}

var _ = define(Op{
	Name: "lookup_in", Category: "indexing", DTypes: numbers,
	Operands: []Operand{{Name: "x"}, {Name: "keys"}, {Name: "values", DTypes: every}, {Name: "other", DTypes: every}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		k, v := c.shape(1), c.shape(2)
		switch {
		case len(k) != 1 || len(v) == 0 || v[0] != k[0]:
			return nil, 0, fmt.Errorf("keys %v of values %v, not [n] of [n ...]", k, v)
		case c.dt(3) != c.dt(2):
			return nil, 0, fmt.Errorf("other is %v, and values are %v (cast with ops.Cast)", c.dt(3), c.dt(2))
		}
		shape := slices.Concat(c.shape(0), v[1:])
		both, err := tensor.Broadcast(shape, c.shape(3))
		if err == nil && !slices.Equal(both, shape) {
			err = fmt.Errorf("other %v does not broadcast to %v", c.shape(3), shape)
		}
		return shape, c.dt(2), err
	},
	Compose: func(c *Call) *Node {
		x, keys, values, other := c.In[0], c.In[1], c.In[2], c.In[3]
		n, rest := keys.Dim(0), values.shape[1:]
		shape := slices.Concat(x.shape, rest)
		if n == 0 {
			return BroadcastTo(other, shape...)
		}
		sorted, order := Sort(keys, 0, nil)
		at := SearchSorted(sorted, x, nil)
		found := And(Equal(Gather(sorted, 0, at), x), Less(at, int64(n))) // behind the last one 0 is read
		y := Gather(values, 0, Gather(order, 0, at))
		return Where(ExpandDims(found, trailing(x.Rank(), len(rest))...), y, other)
	},
})
