package ops

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
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
	if x != nil && x.dtype.IsComplex() {
		return Complex(CumSum(Real(x), axis, o), CumSum(Imag(x), axis, o))
	}
	a := cumSumAttr{Axis: axis}
	if o != nil {
		a.Exclusive, a.Reverse = o.Exclusive, o.Reverse
	}
	n := apply("cumsum", a, x)
	if n.bad {
		return n
	}
	return pickOf(n, 0)
}

type cumSumAttr struct {
	Axis      int  `default:"0" doc:"counted from the end where negative"`
	Exclusive bool `default:"false" doc:"each element is left out of its own sum"`
	Reverse   bool `default:"false" doc:"sums run from each element to the end"`
}

var _ = define(Op{
	Name: "cumsum", Category: "scan", Attributes: AttributesOf[cumSumAttr](), Operands: operandX, DTypes: numbers, kind: ir.KindRoutine,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(cumSumAttr)
		a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Results: func(c *Call) ([]Result, error) { return []Result{{c.dt(0), c.shape(0)}}, nil }, ResultNames: []string{"y"},
	algorithm: func(n *ir.Node) engine.Algorithm {
		x, a := n.In[0].Shape, n.Attr.(cumSumAttr)
		return &engine.Scan{
			Outer: int64(ir.Product(x[:a.Axis])), Length: int64(x[a.Axis]), Inner: int64(ir.Product(x[a.Axis+1:])),
			Exclusive: a.Exclusive, Reverse: a.Reverse,
		}
	},
	Grad: func(b *Back) {
		a := b.Attr().(cumSumAttr)
		a.Reverse = !a.Reverse
		b.Add(0, CumSum(b.Grad(), a.Axis, &CumSumOptions{Exclusive: a.Exclusive, Reverse: a.Reverse}))
	},
})
