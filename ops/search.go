package ops

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// SearchOptions say where SearchSorted puts a value that is among the sorted ones. The zero value and nil: before them.
type SearchOptions struct {
	// Right puts it behind those that are equal.
	Right bool
	// Sorter are integers that sort the values searched in along their last axis, as [ArgSort] gives; nil: they are sorted.
	Sorter *Node
}

// SearchSorted returns for each of values at which place of sorted, which is ascending along its last axis, it would keep the order, as
// int64:
//
//	y[p, i] = how many of sorted[p, ...] are < values[p, i];  <= with the option Right
//
// NaN stands after all numbers. sorted is a vector, and values of any shape; or both have the same axes before the last. Both have the
// same dtype, any number. It takes a logarithm of steps for each value. There is no derivative. Errors: dtypes; shapes.
// Source: NumPy, function searchsorted.
func SearchSorted[V NodeOrNumber](sorted *Node, values V, o *SearchOptions) *Node {
	a := searchAttr{}
	if o != nil {
		if a.Right = o.Right; o.Sorter != nil {
			nodes := nodesOf("searchsorted", sorted, sorted, values)
			return apply("searchsorted", a, nodes[0], nodes[1], o.Sorter)
		}
	}
	return applyNumbers("searchsorted", a, sorted, values)
}

// Bucketize returns between which of the ascending boundaries each of values lies, as int64: [SearchSorted] with its operands the other
// way round, as in PyTorch.
func Bucketize[V NodeOrNumber](values V, boundaries *Node, o *SearchOptions) *Node {
	return SearchSorted(boundaries, values, o)
}

type searchAttr struct {
	Right bool `default:"false" doc:"behind those that are equal"`
}

var _ = define(Op{
	Name: "searchsorted", Category: "order", Attributes: AttributesOf[searchAttr](), DTypes: numbers, Flat: true,
	Operands: []Operand{{Name: "sorted"}, {Name: "values"}, {Name: "sorter", DTypes: ints, Optional: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s, v := c.shape(0), c.shape(1)
		switch {
		case len(s) == 0:
			return nil, 0, errors.New("what is searched in is a scalar")
		case len(s) > 1 && (len(v) != len(s) || !slices.Equal(s[:len(s)-1], v[:len(v)-1])):
			return nil, 0, fmt.Errorf("rows of %v and of %v", s, v)
		case len(c.In) == 3 && !slices.Equal(c.shape(2), s):
			return nil, 0, fmt.Errorf("the sorter is %v, not %v", c.shape(2), s)
		}
		return v, tensor.Int64, nil
	},
	Compose: func(c *Call) *Node {
		s, v := c.In[0], c.In[1]
		if len(c.In) == 3 {
			s = TakeAlong(s, s.Rank()-1, c.In[2])
		}
		rows := ir.Product(s.shape[:s.Rank()-1])
		dt := searched(s.dtype)
		y := apply("search_rows", c.Attr, Reshape(Cast(s, dt), rows, s.Dim(-1)), Reshape(Cast(v, dt), rows, v.Size()/max(rows, 1)))
		return Reshape(y, v.shape...)
	},
})

// searched is the dtype in which search_rows compares numbers of dtype dt.
func searched(dt tensor.DType) tensor.DType {
	switch dt {
	case tensor.Float16, tensor.BFloat16:
		return tensor.Float32
	case tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16:
		return tensor.Int32
	case tensor.Uint32:
		return tensor.Int64
	}
	return dt
}

// search_rows looks for values in rows of sorted ones, [rows, n] and [rows, m].
var _ = define(Op{
	Name: "search_rows", Operands: []Operand{{Name: "sorted"}, {Name: "values"}}, Attributes: AttributesOf[searchAttr](), hidden: true,
	Flat:   true,
	DTypes: []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint64},
	Result: func(c *Call) ([]int, tensor.DType, error) { return c.shape(1), tensor.Int64, nil },
	Kernel: func(c *Call) KernelOptions {
		right, n, m := c.Attr.(searchAttr).Right, c.shape(0)[1], c.shape(1)[1]
		k := KernelOptions{Name: "searchsorted", Entry: "search_rows", Args: []any{int64(n), int64(max(m, 1))}}
		options := map[tensor.DType]string{tensor.Float32: "float", tensor.Float64: "double", tensor.Int32: "int", tensor.Int64: "long",
			tensor.Uint64: "ulong"}
		k.Options = "-DELEM=" + options[c.dt(0)]
		if right {
			k.Options += " -DRIGHT=1"
		}
		if c.dt(0) == tensor.Float64 {
			k.Source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
		}
		k.Source += searchSource
		k.Host = func(outs, ins []*tensor.Tensor) error {
			y, err := tensor.ToSlice[int64](outs[0])
			if err != nil {
				return err
			}
			switch c.dt(0) {
			case tensor.Float32:
				return searchRows[float32](y, ins, n, m, right)
			case tensor.Float64:
				return searchRows[float64](y, ins, n, m, right)
			case tensor.Int32:
				return searchRows[int32](y, ins, n, m, right)
			case tensor.Int64:
				return searchRows[int64](y, ins, n, m, right)
			}
			return searchRows[uint64](y, ins, n, m, right)
		}
		return k
	},
})

const searchSource = `
#ifndef RIGHT
#define RIGHT 0
#endif
#define BEFORE(a, b) ((a) < (b) || (b) != (b) && (a) == (a))
kernel void search_rows(__global const ELEM *sorted, __global const ELEM *values, __global long *y, const long n, const long m) {
    const long i = (long)get_global_id(0);
    const ELEM v = values[i];
    long from = i / m * n, left = n;
    while (left > 0) {
        const long half_of = left >> 1;
        const ELEM s = sorted[from + half_of];
#if RIGHT
        const int on = !BEFORE(v, s);
#else
        const int on = BEFORE(s, v);
#endif
        from = on ? from + half_of + 1 : from;
        left = on ? left - half_of - 1 : half_of;
    }
    y[i] = from - i / m * n;
}
`

func searchRows[T float32 | float64 | int32 | int64 | uint64](y []int64, ins []*tensor.Tensor, n, m int, right bool) error {
	s, err := tensor.ToSlice[T](ins[0])
	if err != nil {
		return err
	}
	v, err := tensor.ToSlice[T](ins[1])
	if err != nil {
		return err
	}
	before := func(a, b T) bool { return a < b || b != b && a == a }
	for i, x := range v {
		row := s[i/m*n:][:n]
		y[i] = int64(sort.Search(n, func(k int) bool {
			if right {
				return before(x, row[k])
			}
			return !before(row[k], x)
		}))
	}
	return nil
}

// IsIn returns, as bool, which elements of x are among those of set, by a sort of set and a search for each element. NaN is in no set.
// Errors: dtypes differ or are bool.
// Source: NumPy, numpy.isin; PyTorch, isin.
func IsIn(x, set *Node) *Node {
	if x == nil || set == nil || x.bad || set.bad {
		return apply("equal", nil, x, set)
	}
	sorted, _ := Sort(Reshape(set, -1), 0, nil)
	at := SearchSorted(sorted, x, nil)
	if at.bad {
		return at
	}
	found := Equal(Gather(sorted, 0, at), x)
	return And(found, Less(at, int64(set.Size()))) // behind the last one 0 is read
}
