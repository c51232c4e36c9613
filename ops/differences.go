package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Diff returns the differences of neighbours along axis, n times over, which has n elements less:
//
//	y[p, i, q] = x[p, i+1, q] - x[p, i, q]
//
// x has any dtype; of bools it says whether they differ. Errors: the axis does not exist; n is negative.
func Diff(x *Node, n, axis int) *Node { return apply("diff", diffAttr{n, axis}, x) }

type diffAttr struct {
	N    int `default:"1" doc:"how often"`
	Axis int `default:"-1" doc:"counted from the end where negative"`
}

var _ = define(Op{
	Name: "diff", Category: "scan", Attributes: AttributesOf[diffAttr](), Operands: operandX, DTypes: every,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(diffAttr)
		a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, shape := c.Attr.(diffAttr), slices.Clone(c.shape(0))
		switch {
		case a.N < 0:
			return nil, 0, fmt.Errorf("differences %d times over", a.N)
		case len(shape) == 0:
			return nil, 0, fmt.Errorf("a scalar has no neighbours")
		}
		shape[a.Axis] = max(shape[a.Axis]-a.N, 0)
		return shape, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(diffAttr), c.In[0]
		for range min(a.N, x.shape[a.Axis]) {
			n := x.shape[a.Axis]
			next, own := part(x, a.Axis, min(1, n), max(n-1, 0)), part(x, a.Axis, 0, max(n-1, 0))
			if x.dtype == tensor.Bool {
				x = NotEqual(next, own)
			} else {
				x = Sub(next, own)
			}
		}
		return x
	},
})

// Trapezoid returns the integral along axis, which vanishes, of a function with the values y in steps of dx, by the trapezoidal rule:
//
//	z[p, q] = dx · Σ_i (y[p, i, q] + y[p, i+1, q]) / 2
//
// y is a float. Errors: dtype is not a float; the axis does not exist.
func Trapezoid(y *Node, dx float64, axis int) *Node {
	return apply("trapezoid", trapezoidAttr{axis, dx}, y)
}

// TrapezoidAt is [Trapezoid] for values at the places x, which broadcast against y; a vector lies along axis. Both have the same dtype.
func TrapezoidAt(y, x *Node, axis int) *Node { return apply("trapezoid", trapezoidAttr{axis, 1}, y, x) }

// CumulativeTrapezoid returns the integrals of [Trapezoid] up to each value but the first, along axis, which has one element less.
func CumulativeTrapezoid(y *Node, dx float64, axis int) *Node {
	return apply("cumulative_trapezoid", trapezoidAttr{axis, dx}, y)
}

// CumulativeTrapezoidAt is [CumulativeTrapezoid] for values at the places x, as [TrapezoidAt].
func CumulativeTrapezoidAt(y, x *Node, axis int) *Node {
	return apply("cumulative_trapezoid", trapezoidAttr{axis, 1}, y, x)
}

type trapezoidAttr struct {
	Axis int     `default:"-1" doc:"counted from the end where negative"`
	DX   float64 `attr:"dx" default:"1" doc:"from one value to the next"`
}

// ReducedAxes are the axes that are folded.
func (a trapezoidAttr) ReducedAxes() []int { return []int{a.Axis} }

var _ = define(trapezoidOp("trapezoid", false))

var _ = define(trapezoidOp("cumulative_trapezoid", true))

func trapezoidOp(name string, running bool) Op {
	return Op{
		Name: name, Category: "scan", Attributes: AttributesOf[trapezoidAttr](), DTypes: floats,
		Operands: []Operand{{Name: "y"}, {Name: "x", Optional: true}},
		Complete: func(c *Call) (err error) {
			a := c.Attr.(trapezoidAttr)
			a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
			c.Attr = a
			return err
		},
		Result: func(c *Call) ([]int, tensor.DType, error) {
			a, shape := c.Attr.(trapezoidAttr), slices.Clone(c.shape(0))
			if len(shape) == 0 {
				return nil, 0, fmt.Errorf("a scalar has no integral")
			}
			if len(c.In) == 2 {
				x := c.shape(1)
				if len(x) == 1 {
					x = a.along(x[0], len(shape))
				}
				full, err := tensor.Broadcast(shape, x)
				if err != nil || !slices.Equal(full, shape) {
					return nil, 0, fmt.Errorf("values %v at places %v", shape, c.shape(1))
				}
			}
			if !running {
				return slices.Delete(shape, a.Axis, a.Axis+1), c.dt(0), nil
			}
			shape[a.Axis] = max(shape[a.Axis]-1, 0)
			return shape, c.dt(0), nil
		},
		Compose: func(c *Call) *Node {
			a, y := c.Attr.(trapezoidAttr), widen(c.In[0])
			n := y.shape[a.Axis]
			if len(c.In) == 1 && !running && n > 1 { // every value counts twice but the first and the last
				ends := Add(part(y, a.Axis, 0, 1), part(y, a.Axis, n-1, 1))
				inner := reduction("sum", part(y, a.Axis, 1, n-2), []int{a.Axis})
				return Cast(Add(Mul(inner, ScalarLike(y, a.DX)), Mul(Squeeze(ends, a.Axis), ScalarLike(y, a.DX/2))), c.dt(0))
			}
			two := func(v *Node) (own, next *Node) {
				return part(v, a.Axis, 0, max(n-1, 0)), part(v, a.Axis, min(1, n), max(n-1, 0))
			}
			own, next := two(y)
			t := Add(own, next)
			if len(c.In) == 2 {
				x := widen(c.In[1])
				if x.Rank() == 1 {
					x = Reshape(x, a.along(x.Dim(0), y.Rank())...)
				}
				from, to := two(BroadcastTo(x, y.shape...))
				t = Mul(Mul(t, Sub(to, from)), 0.5)
			} else {
				t = Mul(t, ScalarLike(t, a.DX/2))
			}
			if running {
				return Cast(CumSum(t, a.Axis, nil), c.dt(0))
			}
			return Cast(reduction("sum", t, []int{a.Axis}), c.dt(0))
		},
	}
}

// along is the shape of a vector that lies along the axis of a tensor of some rank.
func (a trapezoidAttr) along(n, rank int) []int {
	shape := slices.Repeat([]int{1}, rank)
	shape[a.Axis] = n
	return shape
}
