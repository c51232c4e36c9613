package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// MultiDot returns the product of several matrices, multiplied in the order that takes the fewest multiplications. The first may be a vector
// for a row, the last one for a column; these axes are dropped from the result. All have the same dtype, any number.
// Errors: no operand; dtypes; shapes.
// Source: Cormen and others, Introduction to Algorithms (2009), section 15.2.
func MultiDot(xs ...*Node) *Node { return apply("multi_dot", nil, xs...) }

var _ = define(Op{
	Name: "multi_dot", Category: "linear algebra",
	Operands: []Operand{{Name: "xs", Repeated: true}}, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape := []int{}
		last := len(c.In) - 1
		for i := range c.In {
			s := c.shape(i)
			if rank := len(s); rank != 2 && (rank != 1 || i > 0 && i < last || last == 0) {
				return nil, 0, fmt.Errorf("%s is %v, not a matrix", c.operand(i), s)
			}
			if i > 0 && s[0] != c.shape(i - 1)[len(c.shape(i-1))-1] {
				return nil, 0, fmt.Errorf("inner sizes differ: %v x %v", c.shape(i-1), s)
			}
		}
		if len(c.shape(0)) == 2 {
			shape = append(shape, c.shape(0)[0])
		}
		if s := c.shape(last); len(s) == 2 {
			shape = append(shape, s[1])
		}
		return shape, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		n := len(c.In)
		if n == 1 {
			return c.In[0]
		}
		d := make([]int, n+1) // operand i is d[i] x d[i+1]
		for i := range c.In {
			if s := c.shape(i); i == 0 && len(s) == 1 {
				d[0], d[1] = 1, s[0]
			} else if d[i] = s[0]; len(s) == 1 {
				d[i+1] = 1
			} else {
				d[i+1] = s[1]
			}
		}
		cost, split := make([][]float64, n), make([][]int, n)
		for i := range n {
			cost[i], split[i] = make([]float64, n), make([]int, n)
		}
		for length := 1; length < n; length++ {
			for i := 0; i+length < n; i++ {
				j := i + length
				cost[i][j] = math.Inf(1)
				for k := i; k < j; k++ {
					if v := cost[i][k] + cost[k+1][j] + float64(d[i])*float64(d[k+1])*float64(d[j+1]); v < cost[i][j] {
						cost[i][j], split[i][j] = v, k
					}
				}
			}
		}
		var product func(i, j int) *Node
		product = func(i, j int) *Node {
			if i == j {
				return c.In[i]
			}
			return MatMul(product(i, split[i][j]), product(split[i][j]+1, j))
		}
		return product(0, n-1)
	},
})

// Vander returns the Vandermonde matrices of x:
//
//	y[..., i, j] = x[..., i]^j,  j < n
//
// or the powers in descending order. n below 0 stands for the extent of the last axis of x. x is any number with at least one axis.
// Errors: dtype; x is a scalar.
// Source: NumPy, numpy.vander, where powers descend by default.
func Vander(x *Node, n int, descending bool) *Node {
	return apply("vander", vanderAttr{n, descending}, x)
}

type vanderAttr struct {
	N          int  `default:"-1" doc:"how many powers; -1: as many as the last axis of x has elements"`
	Descending bool `default:"false" doc:"the highest power first"`
}

var _ = define(Op{
	Name: "vander", Category: "linear algebra",
	Attributes: AttributesOf[vanderAttr](), Operands: operandX, DTypes: numbers,
	Complete: func(c *Call) error {
		s, a := c.shape(0), c.Attr.(vanderAttr)
		if len(s) == 0 {
			return errors.New("x is a scalar")
		}
		if a.N < 0 {
			a.N = s[len(s)-1]
		}
		if c.Attr = a; a.N > 1<<30 {
			return fmt.Errorf("%d powers are out of all bounds", a.N)
		}
		return nil
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return with(c.shape(0), c.Attr.(vanderAttr).N), c.dt(0), nil
	},
	// Power 2j is the square of power j, and 2j + 1 that times x: each is as exact as a product of few factors, and doubling takes log n steps.
	Compose: func(c *Call) *Node {
		x, a := ExpandDims(widen(c.In[0]), -1), c.Attr.(vanderAttr)
		if a.N == 0 {
			return zerosOf(c.In[0], with(c.shape(0), 0))
		}
		at := x.graph.Iota(tensor.Int32, 0, a.N)
		if a.Descending {
			at = Sub(ScalarLike(at, float64(a.N-1)), at)
		}
		y := BroadcastTo(ScalarLike(x, 1), with(c.shape(0), a.N)...)
		for bit := 1; bit < a.N; bit *= 2 {
			set := NotEqual(And(at, ScalarLike(at, float64(bit))), ScalarLike(at, 0))
			y = Mul(y, Where(set, x, ScalarLike(x, 1)))
			if bit*2 < a.N {
				x = Mul(x, x)
			}
		}
		return Cast(y, c.dt(0))
	},
})

func zerosOf(like *Node, shape []int) *Node { return BroadcastTo(ScalarLike(like, 0), shape...) }

// Vecdot returns the scalar products of vectors along an axis of a and b, which broadcast:
//
//	y[p, q] = Σ_i a[p, i, q] · b[p, i, q]
//
// Both have the same dtype, any number. Errors: dtypes; shapes; the axis does not exist.
func Vecdot(a, b *Node, axis int) *Node { return apply("vecdot", axisAttr{axis}, a, b) }

var _ = define(Op{
	Name: "vecdot", Category: "linear algebra",
	Attributes: AttributesOf[axisAttr](), Operands: operandsAB, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := broadcastShapes(c)
		if err != nil {
			return nil, 0, err
		}
		axis, err := axisOf(c.Attr.(axisAttr).Axis, len(shape))
		if err != nil {
			return nil, 0, err
		}
		return slices.Delete(slices.Clone(shape), axis, axis+1), c.dt(0), nil
	},
	Compose: func(c *Call) *Node { return Sum(Mul(c.In[0], c.In[1]), c.Attr.(axisAttr).Axis) },
})

// Cross returns the cross products of vectors of three elements along an axis of a and b, which broadcast:
//
//	y[0] = a[1] b[2] - a[2] b[1], and in circles
//
// Both have the same dtype, any number. Errors: dtypes; shapes; the axis does not exist or has not three elements.
func Cross(a, b *Node, axis int) *Node { return apply("cross", axisAttr{axis}, a, b) }

var _ = define(Op{
	Name: "cross", Category: "linear algebra",
	Attributes: AttributesOf[axisAttr](), Operands: operandsAB, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := broadcastShapes(c)
		if err != nil {
			return nil, 0, err
		}
		axis, err := axisOf(c.Attr.(axisAttr).Axis, len(shape))
		if err == nil && shape[axis] != 3 {
			err = fmt.Errorf("axis %d of %v has %d elements, not 3", axis, shape, shape[axis])
		}
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		shape, _ := broadcastShapes(c)
		axis, _ := axisOf(c.Attr.(axisAttr).Axis, len(shape))
		a, b := BroadcastTo(c.In[0], shape...), BroadcastTo(c.In[1], shape...)
		next := func(x *Node, by int) *Node { return Concat(axis, cutAxis(x, axis, by, 3), cutAxis(x, axis, 0, by)) }
		return Sub(Mul(next(a, 1), next(b, 2)), Mul(next(a, 2), next(b, 1)))
	},
})

// Outer returns all products of an element of a and one of b, which are vectors, or are taken for them in row-major order:
//
//	y[i, j] = a[i] · b[j]
//
// Both have the same dtype, any number. Errors: dtypes differ.
func Outer(a, b *Node) *Node { return apply("outer", nil, a, b) }

var _ = define(Op{
	Name: "outer", Category: "linear algebra",
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
	Name: "inner", Category: "linear algebra",
	Operands: operandsAB, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, b := c.shape(0), c.shape(1)
		if len(a) == 0 || len(b) == 0 {
			return with(a, b...), c.dt(0), nil
		}
		if a[len(a)-1] != b[len(b)-1] {
			return nil, 0, fmt.Errorf("the last axes of %v and %v differ", a, b)
		}
		return with(a[:len(a)-1], b[:len(b)-1]...), c.dt(0), nil
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
	Name: "tensordot", Category: "linear algebra",
	Attributes: AttributesOf[tensorDotAttr](), Operands: operandsAB, DTypes: numbers,
	Complete: func(c *Call) error {
		a := c.Attr.(tensorDotAttr)
		if len(a.A) != len(a.B) {
			return fmt.Errorf("axes %v and %v are not pairs", a.A, a.B)
		}
		var err error
		resolve := func(axes []int, shape []int) []int {
			perm, e := movedToEnd(axes, len(shape))
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
		return with(ir.Extents(c.shape(0), axesBut(len(c.shape(0)), a.A)), ir.Extents(c.shape(1), axesBut(len(c.shape(1)), a.B))...), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(tensorDotAttr)
		return contracted(c.In[0], c.In[1], a.A, a.B)
	},
})

// axesBut are the axes of a rank that are not named.
func axesBut(rank int, axes []int) []int {
	return slices.DeleteFunc(ir.Range(0, rank), func(a int) bool { return slices.Contains(axes, a) })
}

// contracted sums products over axes ak of a and bk of b; the other axes of a come first in the result.
func contracted(a, b *Node, ak, bk []int) *Node {
	return contractedIn(a, b, nil, nil, ak, bk)
}

// contractedIn is contracted within each index of the axes ab of a and bb of b, which come first in the result.
func contractedIn(a, b *Node, ab, bb, ak, bk []int) *Node {
	am, bn := axesBut(a.Rank(), slices.Concat(ab, ak)), axesBut(b.Rank(), slices.Concat(bb, bk))
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
	a = Reshape(a, with(x, a.shape[len(ab)+len(am):]...)...)
	b = Reshape(b, with(y, b.shape[len(bb):]...)...)
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
	Name: "kron", Category: "linear algebra",
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
	pad := func(s []int) []int { return with(slices.Repeat([]int{1}, rank-len(s)), s...) }
	return pad(c.shape(0)), pad(c.shape(1))
}
