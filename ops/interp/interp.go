// Package interp interpolates between points: linearly, and by cubic splines.
package interp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func init() { ops.Helper() }

// Beyond says which values there are outside of the points.
type Beyond uint8

// The values outside of the points.
const (
	Extend    Beyond = iota // the first or last piece goes on
	Hold                    // the first or last value
	Undefined               // NaN
)

// Linear returns the values at at of the lines that connect points:
//
//	y(t) = y[i] + (y[i+1] - y[i]) · (t - x[i]) / (x[i+1] - x[i]) for the piece i in which t lies
//
// x is [n], ascending and without equal neighbours, n at least 2; y is [..., n], at [m], and the result [..., m], all of one dtype, float32
// or float64. NaN in at gives NaN. There are derivatives by all three; at a point the one of the piece behind it. Errors, of the graph:
// dtypes; shapes.
// Source: NumPy, numpy.interp, which holds.
func Linear(x, y, at *ops.Node, b Beyond) *ops.Node {
	if err := check(x, y, at); err != nil {
		return fail("Linear", err, x, y, at)
	}
	i := piece(x, at)
	from, to := pick(x, i), pick(x, ops.Add(i, 1))
	share := ops.Div(ops.Sub(at, from), ops.Sub(to, from))
	left, right := pick(y, i), pick(y, ops.Add(i, 1))
	return beyond(x, y, at, ops.Add(left, ops.Mul(ops.Sub(right, left), share)), b)
}

// End says how a spline ends.
type End uint8

// The ends of a spline.
const (
	NotAKnot End = iota // the third derivative is continuous at the second point and the last but one
	Natural             // the second derivative is 0
	Clamped             // the first derivative is 0
)

// Spline returns the values at at of the cubic spline through points: a polynomial of degree 3 in each piece, with continuous second
// derivatives. x are the places of points, ascending and without equal neighbours, at least 2; y is [..., n], at [m] and the result [...,
// m], of one dtype, float32 or float64. With derivative k, from 0 to 3, it is the k-th derivative by at. Two points make a line, three
// without a knot a parabola. There are derivatives by y and at.
// Errors, of the graph: dtypes; shapes; x does not ascend; there is no such derivative.
// Source: de Boor, A Practical Guide to Splines (2001), chapter IV.
func Spline(x []float64, y, at *ops.Node, end End, derivative int, b Beyond) *ops.Node {
	g := y.Graph()
	n := len(x)
	t := tensor.Must(tensor.New(y.DType(), n))
	for i, v := range x {
		t.SetFloat64(i, v)
	}
	knots := g.Const(t)
	err := check(knots, y, at)
	for i := 1; i < n && err == nil; i++ {
		if !(t.Float64At(i) > t.Float64At(i-1)) {
			err = fmt.Errorf("place %d is %v, after %v, in %v", i, x[i], x[i-1], y.DType())
		}
	}
	if err == nil && (derivative < 0 || derivative > 3) {
		err = fmt.Errorf("derivative %d is not from 0 to 3", derivative)
	}
	if err != nil {
		return fail("Spline", err, y, at)
	}
	// Slopes at the points are linear in y: a matrix that is known now.
	m := tensor.Must(tensor.New(y.DType(), n, n))
	for j, column := range slopes(x, end) {
		for i, v := range column {
			m.SetFloat64(j*n+i, v)
		}
	}
	flat := ops.Reshape(y, -1, n)
	s := ops.Reshape(ops.MatMul(flat, g.Const(m)), y.Shape()...)
	i := piece(knots, at)
	next := ops.Add(i, 1)
	from, to := pick(knots, i), pick(knots, next)
	h := ops.Sub(to, from)
	y0, y1, s0, s1 := pick(y, i), pick(y, next), pick(s, i), pick(s, next)
	rise := ops.Div(ops.Sub(y1, y0), h)
	c := ops.Div(ops.Sub(ops.Mul(3, rise), ops.Add(ops.Mul(2, s0), s1)), h)
	d := ops.Div(ops.Sub(ops.Add(s0, s1), ops.Mul(2, rise)), ops.Square(h))
	u := ops.Sub(at, from)
	if b == Hold {
		u = ops.Minimum(ops.Maximum(u, 0), h)
	}
	coefficients := []*ops.Node{y0, s0, c, d}
	for range derivative { // of the polynomial
		for k := range coefficients {
			coefficients[k] = ops.Mul(coefficients[k], float64(k))
		}
		coefficients = coefficients[1:]
	}
	value := coefficients[len(coefficients)-1]
	for _, a := range slices.Backward(coefficients[:len(coefficients)-1]) {
		value = ops.Add(a, ops.Mul(u, value))
	}
	value = ops.Add(value, ops.Mul(u, 0)) // NaN, and the shape of at
	if b == Hold && derivative > 0 {
		inside := ops.And(ops.GreaterEqual(at, ops.Narrow(knots, 0, 0, 1)), ops.LessEqual(at, ops.Narrow(knots, 0, n-1, 1)))
		return ops.Where(ops.Or(inside, ops.IsNaN(at)), value, 0)
	}
	if b == Undefined {
		return beyond(knots, y, at, value, b)
	}
	return value
}

// slopes has for each point j the slopes at all points of the spline that is 1 at j and 0 at the others. Of each point between,
//
//	h[i] s[i-1] + 2 (h[i-1] + h[i]) s[i] + h[i-1] s[i+1] = 3 (h[i] r[i-1] + h[i-1] r[i]),  r[i] = (y[i+1] - y[i]) / h[i]
func slopes(x []float64, end End) [][]float64 {
	n := len(x)
	all := make([][]float64, n)
	h := make([]float64, n-1)
	for i := range h {
		h[i] = x[i+1] - x[i]
	}
	for j := range n {
		y, r := make([]float64, n), make([]float64, n-1)
		y[j] = 1
		for i := range r {
			r[i] = (y[i+1] - y[i]) / h[i]
		}
		all[j] = solved(n, h, r, end)
	}
	return all
}

func solved(n int, h, r []float64, end End) []float64 {
	if n == 2 && end != Clamped {
		return []float64{r[0], r[0]}
	}
	if n == 3 && end == NotAKnot { // the parabola
		c := (r[1] - r[0]) / (h[0] + h[1])
		return []float64{r[0] - c*h[0], r[0] + c*h[0], r[1] + c*h[1]}
	}
	low, diagonal, high, right := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := 1; i < n-1; i++ {
		low[i], diagonal[i], high[i] = h[i], 2*(h[i-1]+h[i]), h[i-1]
		right[i] = 3 * (h[i]*r[i-1] + h[i-1]*r[i])
	}
	last := n - 1
	switch end {
	case Natural:
		diagonal[0], high[0], right[0] = 2, 1, 3*r[0]
		low[last], diagonal[last], right[last] = 1, 2, 3*r[last-1]
	case Clamped:
		diagonal[0], diagonal[last] = 1, 1
	default:
		d := h[0] + h[1]
		diagonal[0], high[0] = h[1], d
		right[0] = ((h[0]+2*d)*h[1]*r[0] + h[0]*h[0]*r[1]) / d
		d = h[last-1] + h[last-2]
		low[last], diagonal[last] = d, h[last-2]
		right[last] = (h[last-1]*h[last-1]*r[last-2] + (2*d+h[last-1])*h[last-2]*r[last-1]) / d
	}
	for i := 1; i < n; i++ { // Thomas's elimination
		f := low[i] / diagonal[i-1]
		diagonal[i] -= f * high[i-1]
		right[i] -= f * right[i-1]
	}
	s := right
	s[last] /= diagonal[last]
	for i := last - 1; i >= 0; i-- {
		s[i] = (s[i] - high[i]*s[i+1]) / diagonal[i]
	}
	return s
}

// check reports operands that do not fit.
func check(x, y, at *ops.Node) error {
	dt := x.DType()
	switch n := x.Shape(); {
	case dt != tensor.Float32 && dt != tensor.Float64 || y.DType() != dt || at.DType() != dt:
		return fmt.Errorf("dtypes are %v, %v and %v, not all float32 or all float64", dt, y.DType(), at.DType())
	case len(n) != 1 || y.Rank() == 0 || y.Dim(-1) != n[0]:
		return fmt.Errorf("values are %v, for points of %v", y.Shape(), n)
	case at.Rank() != 1:
		return fmt.Errorf("places are %v, not a vector", at.Shape())
	case n[0] < 2:
		return errors.New("fewer than two points have nothing between them")
	}
	return nil
}

// piece is that in which each place lies, the first one and the last one for places beyond.
func piece(x, at *ops.Node) *ops.Node {
	i := ops.Sub(ops.SearchSorted(x, at, &ops.SearchOptions{Right: true}), 1)
	return ops.Clamp(i, 0, x.Size()-2)
}

// pick are elements i of the last axis.
func pick(x, i *ops.Node) *ops.Node { return ops.Gather(x, -1, i) }

// beyond is value, but for places outside of the points.
func beyond(x, y, at, value *ops.Node, b Beyond) *ops.Node {
	n := x.Size()
	before, after := ops.Less(at, ops.Narrow(x, 0, 0, 1)), ops.Greater(at, ops.Narrow(x, 0, n-1, 1))
	switch b {
	case Hold:
		value = ops.Where(before, ops.Narrow(y, -1, 0, 1), value)
		return ops.Where(after, ops.Narrow(y, -1, n-1, 1), value)
	case Undefined:
		return ops.Where(ops.Or(before, after), math.NaN(), value)
	}
	return value
}

func fail(name string, err error, in ...*ops.Node) *ops.Node {
	return in[0].Graph().Fail("interp."+name, err, in...)
}
