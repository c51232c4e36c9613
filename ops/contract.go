package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

var _ = define(Op{
	Name:    "contract",
	Complex: complexContract, Attributes: AttributesOf[ir.ContractAttr](), Operands: operandsAB, hidden: true, kind: ir.KindContract,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(ir.ContractAttr)
		var shape []int
		for _, g := range [][]int{a.ABatch, a.AM} {
			shape = append(shape, ir.Extents(c.shape(0), g)...)
		}
		return append(shape, ir.Extents(c.shape(1), a.BN)...), c.dt(0), nil
	},
	// Each gradient is a contraction of the upstream gradient with the other
	// operand, brought to the axis order of its operand.
	Grad: func(b *Back) {
		a := b.Attr().(ir.ContractAttr)
		nb, nm := len(a.ABatch), len(a.AM)
		batch, m, n := ir.Range(0, nb), ir.Range(nb, nb+nm), ir.Range(nb+nm, nb+nm+len(a.BN))
		if b.Wants(0) {
			d := apply("contract", ir.ContractAttr{ABatch: batch, AM: m, AK: n, BBatch: a.BBatch, BN: a.BK, BK: a.BN}, b.Grad(), b.In(1))
			b.Add(0, Transpose(d, inversePerm(slices.Concat(a.ABatch, a.AM, a.AK))...))
		}
		if b.Wants(1) {
			// The taller operand goes first, because its rows are computed in parallel.
			d := apply("contract", ir.ContractAttr{ABatch: a.ABatch, AM: a.AK, AK: a.AM, BBatch: batch, BN: n, BK: m}, b.In(0), b.Grad())
			b.Add(1, Transpose(d, inversePerm(slices.Concat(a.BBatch, a.BK, a.BN))...))
		}
	},
})

func inversePerm(perm []int) []int {
	out := make([]int, len(perm))
	for i, a := range perm {
		out[a] = i
	}
	return out
}

// MatMul returns the matrix product of a and b:
//
//	y[..., i, j] = Σ_k a[..., i, k] · b[..., k, j]
//
// The last two axes are matrices; the axes before them broadcast by the NumPy
// rules. A vector on the left is a row, one on the right a column, and the axis
// that this adds is dropped from the result. a and b have the same dtype, any
// number; floats of 16 bits are summed in float32, integers wrap.
//
// A sum of floats errs by at most 580·u·Σ_k |a·b|, u = 2⁻²⁴ for float32 and 2⁻⁵³ for
// float64, however long k is; one of more than 2¹⁴ terms by 200·u. Equal terms,
// whose rounding errors all go one way, come to a relative error of up to 2·10⁻⁶ there, others to less.
//
// Errors: dtypes differ or are bool; an operand is a scalar; inner sizes differ; batch
// axes do not broadcast.
func MatMul(a, b *Node) *Node { return ofMatrices("matmul", nil, a, b) }

// ofMatrices applies a product of the last two axes of a and b, of which a may be
// a vector for a row and b one for a column.
func ofMatrices(name string, attr any, a, b *Node, more ...*Node) *Node {
	apply := func(a, b *Node) *Node { return apply(name, attr, slices.Concat([]*Node{a, b}, more)...) }
	if a == nil || b == nil || a.bad || b.bad || a.graph != b.graph || a.Rank() == 0 || b.Rank() == 0 {
		return apply(a, b)
	}
	g := a.graph
	g.scope = append(g.scope, scope{name: name, caller: callerOf(g)})
	defer func() { g.scope = g.scope[:len(g.scope)-1] }()
	row, column := a.Rank() == 1, b.Rank() == 1
	if row {
		a = ExpandDims(a, 0)
	}
	if column {
		b = ExpandDims(b, 1)
	}
	y := apply(a, b)
	if column {
		y = Squeeze(y, -1)
	}
	if row && !y.bad {
		y = Squeeze(y, y.Rank()-1-ir.Btoi(!column))
	}
	return y
}

// callerOf is the line that is building: of the composite, if there is one.
func callerOf(g *Graph) string {
	if k := len(g.scope); k > 0 {
		return g.scope[k-1].caller
	}
	return callerLine()
}

var _ = define(Op{
	Name:    "matmul",
	role:    roleMatMul,
	Complex: composed, Category: "matrix product", Operands: operandsAB, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := matMulShape(c.shape(0), c.shape(1))
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		a, b := c.In[0], c.In[1]
		ra, rb := a.Rank(), b.Rank()
		if rb == 2 { // one right matrix for all: the batch is more rows
			return apply("contract", ir.ContractAttr{
				AM: ir.Range(0, ra-1), AK: []int{ra - 1},
				BN: []int{1}, BK: []int{0},
			}, a, b)
		}
		batch, _ := tensor.Broadcast(a.shape[:ra-2], b.shape[:rb-2])
		a = BroadcastTo(a, append(slices.Clone(batch), a.shape[ra-2:]...)...)
		b = BroadcastTo(b, append(slices.Clone(batch), b.shape[rb-2:]...)...)
		n := len(batch)
		return apply("contract", ir.ContractAttr{
			ABatch: ir.Range(0, n), AM: []int{n}, AK: []int{n + 1},
			BBatch: ir.Range(0, n), BN: []int{n + 1}, BK: []int{n},
		}, a, b)
	},
	Grad: func(b *Back) {
		x, y := b.In(0), b.In(1)
		if b.Wants(0) {
			b.Add(0, MatMul(b.Grad(), swapLast(y)))
		}
		if !b.Wants(1) {
			return
		}
		if y.Rank() == 2 && x.Rank() > 2 {
			k, n := y.shape[0], y.shape[1]
			b.Add(1, MatMul(Transpose(Reshape(x, ir.Product(x.shape[:x.Rank()-1]), k)), Reshape(b.Grad(), ir.Product(x.shape[:x.Rank()-1]), n)))
			return
		}
		b.Add(1, MatMul(swapLast(x), b.Grad()))
	},
})

// matMulShape returns the shape of the product of matrices of shapes a and b.
func matMulShape(a, b []int) ([]int, error) {
	switch {
	case len(a) < 2 || len(b) < 2:
		return nil, fmt.Errorf("a scalar has no product: %v x %v", a, b)
	case a[len(a)-1] != b[len(b)-2]:
		return nil, fmt.Errorf("inner sizes differ: %v x %v", a, b)
	}
	batch, err := tensor.Broadcast(a[:len(a)-2], b[:len(b)-2])
	if err != nil {
		return nil, fmt.Errorf("batch axes do not broadcast: %v x %v", a, b)
	}
	return append(slices.Clone(batch), a[len(a)-2], b[len(b)-1]), nil
}

func swapLast(x *Node) *Node {
	perm := ir.Range(0, x.Rank())
	r := x.Rank()
	perm[r-1], perm[r-2] = r-2, r-1
	return Transpose(x, perm...)
}
