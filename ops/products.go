package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Outer returns all products of an element of a and one of b, which are vectors, or are read as vectors in row-major order:
//
//	y[i, j] = a[i] · b[j]
//
// Both have the same dtype, any number. Errors: dtypes differ.
func Outer(a, b *Node) *Node { return apply("outer", nil, a, b) }

var _ = define(Op{
	Name:    "outer",
	Complex: composed, Category: "linear algebra",
	Operands: operandsAB, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return []int{ir.Product(c.shape(0)), ir.Product(c.shape(1))}, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		return Mul(Reshape(c.In[0], c.In[0].Size(), 1), Reshape(c.In[1], 1, c.In[1].Size()))
	},
})

// Inner returns the sums of products over the last axes of a and b, or their product where one is a scalar:
//
//	y[p, q] = Σ_i a[p, i] · b[q, i]
//
// Both have the same dtype, any number. Errors: dtypes differ; the last axes differ.
func Inner(a, b *Node) *Node { return apply("inner", nil, a, b) }

var _ = define(Op{
	Name:    "inner",
	Complex: composed, Category: "linear algebra",
	Operands: operandsAB, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, b := c.shape(0), c.shape(1)
		if len(a) == 0 || len(b) == 0 {
			return shapes.With(a, b...), c.dt(0), nil
		}
		if a[len(a)-1] != b[len(b)-1] {
			return nil, 0, fmt.Errorf("the last axes of %v and %v differ", a, b)
		}
		return shapes.With(a[:len(a)-1], b[:len(b)-1]...), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, b := c.In[0], c.In[1]
		if a.Rank() == 0 || b.Rank() == 0 {
			return Mul(a, b)
		}
		return contracted(a, b, []int{a.Rank() - 1}, []int{b.Rank() - 1})
	},
})

// TensorDot returns the sums of products over some axes of a and as many of b, matched in order:
//
//	y[p, q] = Σ_i a[p, i] · b[q, i]
//
// where i are these axes, p the others of a and q those of b. Without axes it is all products. Both have the same dtype, any number.
// Errors: dtypes differ; an axis does not exist or is named twice; extents differ.
// Source: NumPy, numpy.tensordot.
func TensorDot(a, b *Node, axesA, axesB []int) *Node {
	return apply("tensordot", tensorDotAttr{axesA, axesB}, a, b)
}

type tensorDotAttr struct {
	A []int `default:"" doc:"axes of a that are summed"`
	B []int `default:"" doc:"those of b that they go with"`
}

var _ = define(Op{
	Name:    "tensordot",
	Complex: composed, Category: "linear algebra",
	Attributes: AttributesOf[tensorDotAttr](), Operands: operandsAB, DTypes: numbers,
	Complete: func(c *Call) error {
		a := c.Attr.(tensorDotAttr)
		if len(a.A) != len(a.B) {
			return fmt.Errorf("axes %v and %v are not pairs", a.A, a.B)
		}
		var err error
		resolve := func(axes []int, shape []int) []int {
			perm, e := shapes.ToEnd(axes, len(shape))
			if e != nil {
				err = e
				return nil
			}
			return perm[len(shape)-len(axes):]
		}
		a.A, a.B = resolve(a.A, c.shape(0)), resolve(a.B, c.shape(1))
		if err == nil && !slices.Equal(ir.Extents(c.shape(0), a.A), ir.Extents(c.shape(1), a.B)) {
			err = fmt.Errorf("axes %v of %v have not the extents of axes %v of %v", a.A, c.shape(0), a.B, c.shape(1))
		}
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(tensorDotAttr)
		return shapes.With(ir.Extents(c.shape(0), shapes.Except(len(c.shape(0)), a.A)),
			ir.Extents(c.shape(1), shapes.Except(len(c.shape(1)), a.B))...), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(tensorDotAttr)
		return contracted(c.In[0], c.In[1], a.A, a.B)
	},
})

func zerosOf(like *Node, shape []int) *Node { return BroadcastTo(ScalarLike(like, 0), shape...) }

// contracted sums products over axes ak of a and bk of b; the other axes of a come first in the result.
func contracted(a, b *Node, ak, bk []int) *Node {
	return contractedIn(a, b, nil, nil, ak, bk)
}

// contractedIn is contracted within each index of the axes ab of a and bb of b, which come first in the result.
func contractedIn(a, b *Node, ab, bb, ak, bk []int) *Node {
	am, bn := shapes.Except(a.Rank(), slices.Concat(ab, ak)), shapes.Except(b.Rank(), slices.Concat(bb, bk))
	if len(ak) > 0 && (len(am) > 0 || len(bn) > 0) {
		return apply("contract", ir.ContractAttr{ABatch: ab, AM: am, AK: ak, BBatch: bb, BN: bn, BK: bk}, a, b)
	}
	// No inner axis, or a single number for each batch: products, and their sum.
	left, right := slices.Concat(ab, am, ak), slices.Concat(bb, bn, bk)
	a, b = reordered(a, left), reordered(b, right)
	x := slices.Clone(a.shape[:len(ab)+len(am)])
	y := slices.Clone(b.shape[:len(bb)])
	for range bn {
		x = append(x, 1)
	}
	for range am {
		y = append(y, 1)
	}
	a = Reshape(a, shapes.With(x, a.shape[len(ab)+len(am):]...)...)
	b = Reshape(b, shapes.With(y, b.shape[len(bb):]...)...)
	p := Mul(a, b)
	if len(ak) == 0 {
		return p
	}
	return Sum(p, ir.Range(p.Rank()-len(ak), p.Rank())...)
}

// reordered is x with its axes in another order.
func reordered(x *Node, perm []int) *Node {
	if slices.IsSorted(perm) {
		return x
	}
	return Transpose(x, perm...)
}

// Kron returns the Kronecker product of a and b, of which the one with fewer axes gets more of extent 1 in front:
//
//	y[i·n + k, j·m + l] = a[i, j] · b[k, l] for b of n x m, and so for more axes
//
// Both have the same dtype, any number. Errors: dtypes differ.
func Kron(a, b *Node) *Node { return apply("kron", nil, a, b) }

var _ = define(Op{
	Name:    "kron",
	Complex: composed, Category: "linear algebra",
	Operands: operandsAB, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, b := kronShapes(c)
		for i := range a {
			if b[i] > 0 && a[i] > math.MaxInt/b[i] {
				return nil, 0, fmt.Errorf("the product of %v and %v is too large", c.shape(0), c.shape(1))
			}
			a[i] *= b[i]
		}
		return a, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, b := kronShapes(c)
		var x, y, shape []int
		for i := range a {
			x, y, shape = append(x, a[i], 1), append(y, 1, b[i]), append(shape, a[i]*b[i])
		}
		return Reshape(Mul(Reshape(c.In[0], x...), Reshape(c.In[1], y...)), shape...)
	},
})

// kronShapes are the shapes of both operands with as many axes.
func kronShapes(c *Call) (a, b []int) {
	rank := max(len(c.shape(0)), len(c.shape(1)))
	pad := func(s []int) []int { return shapes.With(slices.Repeat([]int{1}, rank-len(s)), s...) }
	return pad(c.shape(0)), pad(c.shape(1))
}

// The derivative of a product by one factor is the product of the others, a
// polynomial of one degree less.

// others are for each element of x the product of all other elements that a
// reduction over the same axes multiplies it with:
//
//	y[p, i] = Π_j x[p, j],  j ≠ i
//
// Its value is a quotient, product / factor, where no factor is zero. A rule
// of that quotient and of tests for zeros would have no derivatives of its
// own: they are taken of othersTree, which consists of products alone.
func others(x *Node, axes []int) *Node { return apply("others", ir.ReduceAttr{Axes: axes}, x) }

var _ = define(Op{
	Name: "others", Attributes: AttributesOf[ir.ReduceAttr](), Operands: operandX, hidden: true, Result: same,
	Compose: func(c *Call) *Node {
		x, axes := c.In[0], c.axes()
		if len(axes) == 0 || foldSize(c) <= fewFactors {
			return othersTree(x, axes)
		}
		// A zero leaves a product only to itself, and only when it is alone.
		zero, one := ScalarLike(x, 0), ScalarLike(x, 1)
		isZero := Equal(x, zero)
		factors := Where(isZero, one, x)
		rest := spread(reduction("prod", factors, axes), x, axes)
		zeros := spread(reduction("sum", Cast(isZero, x.dtype), axes), x, axes)
		return Where(isZero,
			Where(Equal(zeros, one), rest, zero),
			Where(Equal(zeros, zero), Div(rest, factors), zero))
	},
	Grad: func(b *Back) {
		x := b.In(0)
		tree := Cast(othersTree(widen(x), b.Attr().(ir.ReduceAttr).Axes), x.dtype)
		if d := pullBack([]*Node{tree}, []*Node{b.Grad()}, []*Node{x})[0]; d != nil {
			b.Add(0, d)
		}
	},
})

// fewFactors is up to how many factors are multiplied in less time than their
// product is found and divided: a launch less, and half the time.
const fewFactors = 4

// othersTree is others by products alone: in time linear in the size of x, at a
// depth of the logarithm of how many factors there are.
func othersTree(x *Node, axes []int) *Node {
	if len(axes) == 0 || x.Size() == 0 {
		return BroadcastTo(ScalarLike(x, 1), x.shape...)
	}
	// Neighbouring axes are one long one.
	first, end := len(axes)-1, axes[len(axes)-1]+1
	for first > 0 && axes[first-1] == axes[first]-1 {
		first--
	}
	axis := axes[first]
	long := Reshape(x, slices.Concat(x.shape[:axis], []int{ir.Product(x.shape[axis:end])}, x.shape[end:])...)
	y, all := othersAlong(long, axis, first > 0)
	if first > 0 {
		y = Mul(y, ExpandDims(othersTree(all, axes[:first]), axis))
	}
	return Reshape(y, x.shape...)
}

// othersAlong is othersTree for one axis that is not empty. It pairs each
// element of the first half of the axis with one of the second: the others of
// an element are its partner and the others of the pair, among the products of all
// pairs. With whole it gives the product of all as well.
func othersAlong(x *Node, axis int, whole bool) (y, all *Node) {
	n := x.shape[axis]
	if n == 1 {
		return BroadcastTo(ScalarLike(x, 1), x.shape...), Reshape(x, slices.Delete(slices.Clone(x.shape), axis, axis+1)...)
	}
	m := (n + 1) / 2
	even := Pad(x, 1, Padding{axis, 0, 2*m - n})
	halves := Reshape(even, slices.Concat(x.shape[:axis], []int{2, m}, x.shape[axis+1:])...)
	y = Flip(halves, axis)
	if m > 1 || whole {
		pairs := Mul(Slice(even, Range{Axis: axis, Stop: m}), Slice(even, Range{Axis: axis, Start: m, Stop: 2 * m}))
		var rest *Node
		if rest, all = othersAlong(pairs, axis, whole); m > 1 {
			y = Mul(y, ExpandDims(rest, axis))
		}
	}
	return Slice(Reshape(y, even.shape...), Range{Axis: axis, Stop: n}), all
}
