package linalg

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// MultiDot returns the product of several matrices, multiplied in the order that takes the fewest multiplications. The first may be a
// vector for a row, the last one for a column; these axes are dropped from the result. All have the same dtype, any number.
// Errors: no operand; dtypes; shapes.
// Source: Cormen and others, Introduction to Algorithms (2009), section 15.2.
func MultiDot(xs ...*ops.Node) *ops.Node { return ops.Apply("linalg.multi_dot", nil, xs...) }

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.multi_dot", Category: "linear algebra",
	Operands: []ops.Operand{{Name: "xs", Repeated: true}}, DTypes: dtypes.Numbers,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		shape := []int{}
		last := len(c.In) - 1
		for i := range c.In {
			s := c.Shape(i)
			if rank := len(s); rank != 2 && (rank != 1 || i > 0 && i < last || last == 0) {
				return nil, 0, fmt.Errorf("%s is %v, not a matrix", c.OperandName(i), s)
			}
			if i > 0 && s[0] != c.Shape(i - 1)[len(c.Shape(i-1))-1] {
				return nil, 0, fmt.Errorf("inner sizes differ: %v x %v", c.Shape(i-1), s)
			}
		}
		if len(c.Shape(0)) == 2 {
			shape = append(shape, c.Shape(0)[0])
		}
		if s := c.Shape(last); len(s) == 2 {
			shape = append(shape, s[1])
		}
		return shape, c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		n := len(c.In)
		if n == 1 {
			return c.In[0]
		}
		d := make([]int, n+1) // operand i is d[i] x d[i+1]
		for i := range c.In {
			if s := c.Shape(i); i == 0 && len(s) == 1 {
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
		var product func(i, j int) *ops.Node
		product = func(i, j int) *ops.Node {
			if i == j {
				return c.In[i]
			}
			return ops.MatMul(product(i, split[i][j]), product(split[i][j]+1, j))
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
func Vander(x *ops.Node, n int, descending bool) *ops.Node {
	return ops.Apply("linalg.vander", vanderAttr{n, descending}, x)
}

type vanderAttr struct {
	N          int  `default:"-1" doc:"how many powers; -1: as many as the last axis of x has elements"`
	Descending bool `default:"false" doc:"the highest power first"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.vander", Category: "linear algebra",
	Attributes: ops.AttributesOf[vanderAttr](), Operands: operandOne, DTypes: dtypes.Numbers,
	Complete: func(c *ops.Call) error {
		s, a := c.Shape(0), c.Attr.(vanderAttr)
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
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		return shapes.With(c.Shape(0), c.Attr.(vanderAttr).N), c.DType(0), nil
	},
	// Power 2j is the square of power j, and 2j + 1 that times x: each is as exact as a product of few factors, and doubling takes log n
	// steps.
	Compose: func(c *ops.Call) *ops.Node {
		x, a := ops.ExpandDims(ops.Widen(c.In[0]), -1), c.Attr.(vanderAttr)
		if a.N == 0 {
			return c.In[0].Graph().Zeros(c.DType(0), shapes.With(c.Shape(0), 0)...)
		}
		at := x.Graph().Iota(tensor.Int32, 0, a.N)
		if a.Descending {
			at = ops.Sub(ops.ScalarLike(at, float64(a.N-1)), at)
		}
		y := ops.BroadcastTo(ops.ScalarLike(x, 1), shapes.With(c.Shape(0), a.N)...)
		for bit := 1; bit < a.N; bit *= 2 {
			set := ops.NotEqual(ops.And(at, ops.ScalarLike(at, float64(bit))), ops.ScalarLike(at, 0))
			y = ops.Mul(y, ops.Where(set, x, ops.ScalarLike(x, 1)))
			if bit*2 < a.N {
				x = ops.Mul(x, x)
			}
		}
		return ops.Cast(y, c.DType(0))
	},
})

// Vecdot returns the scalar products of vectors along an axis of a and b, which broadcast:
//
//	y[p, q] = Σ_i a[p, i, q] · b[p, i, q]
//
// Both have the same dtype, any number. Errors: dtypes; shapes; the axis does not exist.
func Vecdot(a, b *ops.Node, axis int) *ops.Node {
	return ops.Apply("linalg.vecdot", axisAttr{axis}, a, b)
}

type axisAttr struct {
	Axis int `default:"-1" doc:"counted from the end where negative"`
}

// bothAlong is the shape of both operands of c, which broadcast, and the axis of their vectors.
func bothAlong(c *ops.Call) (shape []int, axis int, err error) {
	if shape, err = bothOf(c); err != nil {
		return nil, 0, err
	}
	axis, err = shapes.Axis(c.Attr.(axisAttr).Axis, len(shape))
	return shape, axis, err
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.vecdot", Category: "linear algebra",
	Attributes: ops.AttributesOf[axisAttr](), Operands: operandsBoth, DTypes: dtypes.Numbers,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		shape, axis, err := bothAlong(c)
		if err != nil {
			return nil, 0, err
		}
		return slices.Delete(slices.Clone(shape), axis, axis+1), c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node { return ops.Sum(ops.Mul(c.In[0], c.In[1]), c.Attr.(axisAttr).Axis) },
})

// Cross returns the cross products of vectors of three elements along an axis of a and b, which broadcast:
//
//	y[0] = a[1] b[2] - a[2] b[1], and in circles
//
// Both have the same dtype, any number. Errors: dtypes; shapes; the axis does not exist or has not three elements.
func Cross(a, b *ops.Node, axis int) *ops.Node {
	return ops.Apply("linalg.cross", axisAttr{axis}, a, b)
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cross", Category: "linear algebra",
	Attributes: ops.AttributesOf[axisAttr](), Operands: operandsBoth, DTypes: dtypes.Numbers,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		shape, axis, err := bothAlong(c)
		if err == nil && shape[axis] != 3 {
			err = fmt.Errorf("axis %d of %v has %d elements, not 3", axis, shape, shape[axis])
		}
		return shape, c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		shape, _ := bothOf(c)
		axis, _ := shapes.Axis(c.Attr.(axisAttr).Axis, len(shape))
		a, b := ops.BroadcastTo(c.In[0], shape...), ops.BroadcastTo(c.In[1], shape...)
		next := func(x *ops.Node, by int) *ops.Node {
			return ops.Concat(axis, build.Cut(x, axis, by, 3), build.Cut(x, axis, 0, by))
		}
		return ops.Sub(ops.Mul(next(a, 1), next(b, 2)), ops.Mul(next(a, 2), next(b, 1)))
	},
})

// bothOf is the shape to which both operands broadcast.
func bothOf(c *ops.Call) ([]int, error) {
	shape, err := tensor.Broadcast(c.Shape(0), c.Shape(1))
	if err != nil {
		err = fmt.Errorf("shapes do not broadcast: %v x %v", c.Shape(0), c.Shape(1))
	}
	return shape, err
}
