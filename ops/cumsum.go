package ops

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// CumSumOptions say which sums CumSum gives. The zero value and nil are those from
// the start up to each element.
type CumSumOptions struct {
	// Exclusive leaves each element out of its own sum: the first one is 0.
	Exclusive bool
	// Reverse sums from each element to the end.
	Reverse bool
}

// CumSum returns the running sums of x along axis:
//
//	y[p, i, q] = Σ_j x[p, j, q],  j <= i
//
// x is any number and keeps its shape and dtype: integers wrap, floats of 16 bits are
// summed in float32. Every sum is as exact as [Sum] makes it. Exclusive sums have j < i, reverse ones j >= i, both together j > i.
// The derivative of the sums is the running sum the other way. Errors: dtype is bool;
// the axis does not exist.
// Source: ONNX, operator CumSum.
func CumSum(x *Node, axis int, o *CumSumOptions) *Node {
	if x == nil || x.bad {
		return apply("cumsum", nil, x)
	}
	d, err := axisOf(axis, x.Rank())
	if err != nil {
		return x.graph.fail("cumsum", []*Node{x}, err)
	}
	a := cumSumAttr{axis: d}
	if o != nil {
		a.CumSumOptions = *o
	}
	n := apply("cumsum", a, x)
	if n.bad {
		return n
	}
	return pickOf(n, 0)
}

type cumSumAttr struct {
	axis int
	CumSumOptions
}

var _ = define(Op{
	Name: "cumsum", Arity: 1, DTypes: numbers, kind: ir.KindRoutine,
	Result:  firstResult,
	results: func(c *Call) []Result { return []Result{{c.dt(0), c.shape(0)}} },
	algorithm: func(n *ir.Node) engine.Algorithm {
		x, a := n.In[0].Shape, n.Attr.(cumSumAttr)
		return &engine.Scan{
			Outer: int64(ir.Product(x[:a.axis])), Length: int64(x[a.axis]), Inner: int64(ir.Product(x[a.axis+1:])),
			Exclusive: a.Exclusive, Reverse: a.Reverse,
		}
	},
	Grad: func(b *Back) {
		a := b.node.attr.(cumSumAttr)
		a.Reverse = !a.Reverse
		b.Add(0, CumSum(b.Grad(), a.axis, &a.CumSumOptions))
	},
	Samples: cumSumSamples(),
})

// CumSumCase is what the reference must know: Attr of the samples.
type CumSumCase struct {
	Axis int
	CumSumOptions
}

func cumSumSamples() (out []Sample) {
	for _, c := range []struct {
		label string
		shape []int
		axis  int
		o     CumSumOptions
	}{
		{"row", []int{53}, 0, CumSumOptions{}},
		{"rows", []int{7, 33}, 1, CumSumOptions{Exclusive: true}},
		{"rows of vectors", []int{5, 48}, -1, CumSumOptions{Reverse: true}},
		{"columns", []int{33, 7}, 0, CumSumOptions{Exclusive: true, Reverse: true}},
		{"many columns", []int{17, 300}, 0, CumSumOptions{}},
		{"middle", []int{3, 17, 5}, 1, CumSumOptions{Reverse: true}},
		{"one", []int{4, 1}, 1, CumSumOptions{}},
		{"nothing before one", []int{4, 1}, 1, CumSumOptions{Exclusive: true}},
		{"long", []int{2, 5003}, -1, CumSumOptions{}},
		{"long reverse", []int{5003}, 0, CumSumOptions{Reverse: true, Exclusive: true}},
		{"tall", []int{3001, 3}, 0, CumSumOptions{Reverse: true}},
		{"many rows", []int{700, 3}, 1, CumSumOptions{}},
		{"empty", []int{3, 0}, 1, CumSumOptions{}},
		{"no rows", []int{0, 3}, 1, CumSumOptions{}},
	} {
		axis := (c.axis + len(c.shape)) % len(c.shape)
		out = append(out, Sample{
			Label: c.label, Operands: []Operand{{Shape: c.shape}}, Attr: CumSumCase{axis, c.o},
			Build: func(in []*Node) *Node { return CumSum(in[0], c.axis, &c.o) },
		})
	}
	return append(out, Sample{
		Label: "transposed", Operands: []Operand{{Shape: []int{13, 29}}}, Attr: CumSumCase{Axis: 1},
		Through: func(in []*Node) []*Node { return []*Node{Transpose(in[0])} },
		Build:   func(in []*Node) *Node { return CumSum(in[0], 1, nil) },
	})
}
