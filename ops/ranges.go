package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Nodes of constants and of numbers in a row.

// Zeros is a tensor of zeros; of bool, of false.
func (g *Graph) Zeros(dt tensor.DType, shape ...int) *Node { return g.Full(dt, 0, shape...) }

// Ones is a tensor of ones; of bool, of true.
func (g *Graph) Ones(dt tensor.DType, shape ...int) *Node { return g.Full(dt, 1, shape...) }

// ZerosLike is zeros in the shape and dtype of x.
func ZerosLike(x *Node) *Node { return FullLike(x, 0) }

// OnesLike is ones in the shape and dtype of x.
func OnesLike(x *Node) *Node { return FullLike(x, 1) }

// FullLike is v in the shape and dtype of x; v is converted as by [Graph.Full].
func FullLike(x *Node, v float64) *Node {
	if x == nil || x.bad {
		return apply("broadcast_to", nil, x)
	}
	return BroadcastTo(ScalarLike(x, v), x.shape...)
}

// heldNumbers is how many numbers of a range are a constant of the graph; those of longer ones are computed where they are read.
const heldNumbers = 1 << 20

// Arange is the numbers from start on, step apart, up to stop, which is left out:
//
//	y[i] = start + i·step,  i < (stop - start) / step
//
// For an integer dtype start and step are whole numbers. Errors: step is 0 or leads away from stop; a number is not finite or, of an
// integer dtype, not whole; dtype is bool.
// Source: PyTorch, arange; NumPy, numpy.arange.
func (g *Graph) Arange(dt tensor.DType, start, stop, step float64) *Node {
	n := math.Ceil((stop - start) / step)
	var err error
	switch whole := func(v float64) bool { return v == math.Trunc(v) }; {
	case !slices.Contains(numbers, dt):
		err = dtypeError(dt, numbers)
	case step == 0 || math.IsNaN(n) || math.IsInf(n, 0) || n > math.MaxInt32<<16 || math.IsInf(start, 0) || math.IsInf(step, 0):
		err = fmt.Errorf("from %v to %v in steps of %v", start, stop, step)
	case n < 0:
		err = fmt.Errorf("from %v the step %v leads away from %v", start, step, stop)
	case !dt.IsFloat() && (!whole(start) || !whole(step)):
		err = fmt.Errorf("from %v in steps of %v is not of whole numbers, and the dtype is %v", start, step, dt)
	}
	if err != nil {
		return g.fail("arange", nil, err)
	}
	return g.numbersOf(dt, int(n), start, step, func(i int) float64 { return start + float64(i)*step })
}

// numbersOf are n numbers: start + i·step, which of floats that are not too many f gives exactly.
func (g *Graph) numbersOf(dt tensor.DType, n int, start, step float64, f func(i int) float64) *Node {
	if g == nil {
		return g.fail("arange", nil, errNoGraph)
	}
	if !dt.IsFloat() {
		y := g.Iota(dt, 0, n)
		if n == 0 {
			return y
		}
		// Numbers of unsigned dtypes may go down: steps wrap.
		return Add(Mul(y, g.wholeConst(dt, int64(step))), g.wholeConst(dt, int64(start)))
	}
	if n > heldNumbers {
		y := g.Iota(widened(dt), 0, n)
		return Cast(Add(Mul(y, ScalarLike(y, step)), ScalarLike(y, start)), dt)
	}
	all := make([]float64, n)
	for i := range all {
		all[i] = f(i)
	}
	t, err := tensor.Cast(tensor.Must(tensor.FromSlice(all, n)), dt)
	if err != nil {
		return g.fail("arange", nil, err)
	}
	return g.Const(t)
}

// wholeConst is an integer as a scalar, wrapped into a dtype.
func (g *Graph) wholeConst(dt tensor.DType, v int64) *Node {
	t, err := tensor.Cast(tensor.Scalar(v), dt)
	if err != nil {
		return g.fail("const", nil, err)
	}
	return g.Const(t)
}

// Linspace is n numbers in equal steps from start to stop, both included; one number is start. Errors: n is negative; dtype is not a float.
// Source: PyTorch, linspace; NumPy, numpy.linspace.
func (g *Graph) Linspace(dt tensor.DType, start, stop float64, n int) *Node {
	if err := checkSpace(dt, n); err != nil {
		return g.fail("linspace", nil, err)
	}
	step := (stop - start) / float64(max(n-1, 1))
	return g.numbersOf(dt, n, start, step, func(i int) float64 { return between(start, stop, step, i, n) })
}

// Logspace is base to the power of each number of [Graph.Linspace]. Errors: as there.
// Source: PyTorch, logspace; NumPy, numpy.logspace.
func (g *Graph) Logspace(dt tensor.DType, start, stop float64, n int, base float64) *Node {
	if err := checkSpace(dt, n); err != nil {
		return g.fail("logspace", nil, err)
	}
	step := (stop - start) / float64(max(n-1, 1))
	if n > heldNumbers {
		y := g.numbersOf(widened(dt), n, start, step, nil)
		return Cast(Pow(ScalarLike(y, base), y), dt)
	}
	return g.numbersOf(dt, n, 0, 0, func(i int) float64 { return math.Pow(base, between(start, stop, step, i, n)) })
}

// between is number i of n, counted from the nearer end so that both are exact.
func between(start, stop, step float64, i, n int) float64 {
	if i < (n+1)/2 {
		return start + float64(i)*step
	}
	return stop - float64(n-1-i)*step
}

func checkSpace(dt tensor.DType, n int) error {
	if !slices.Contains(floats, dt) {
		return dtypeError(dt, floats)
	}
	if n < 0 {
		return fmt.Errorf("%d numbers", n)
	}
	return nil
}

// Eye is the matrix with ones on a diagonal, 0 the main one, and zeros elsewhere. Errors: an extent is negative.
// Source: NumPy, numpy.eye.
func (g *Graph) Eye(dt tensor.DType, rows, columns, k int) *Node {
	if g == nil || rows < 0 || columns < 0 {
		return g.fail("eye", nil, fmt.Errorf("a matrix of %d rows and %d columns", rows, columns))
	}
	row, column := g.Iota(tensor.Int64, 0, rows, columns), g.Iota(tensor.Int64, 1, rows, columns)
	return Cast(Equal(Add(row, int64(k)), column), dt)
}
