package optest

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Case is one call of an op, for its reference.
type Case struct {
	In   []Array
	Attr any // as in [Sample]
	// DType and Shape are what the graph inferred for the result. References
	// use them only where nothing else says it: a cast, an iota.
	DType tensor.DType
	Shape []int
	// Stream is the number of the random tensor in its graph, from 1.
	Stream uint32
}

// Result is what a reference found: the exact result, up to the error of
// float64, and what its error bound needs.
type Result struct {
	Array
	// Terms, if not nil, is Σ|terms| for every element of the result of a sum:
	// rounding errors are relative to it and not to the sum itself.
	Terms []float64
	// N is how many roundings a term goes through.
	N float64
}

// Reference computes one op.
type Reference func(c Case) Result

func exactly(a Array) Result { return Result{Array: a} }

// attr reads the attribute of a case; a sample that carries another type is a
// mistake of the op's author.
func attr[T any](c Case) T {
	v, ok := c.Attr.(T)
	if !ok {
		panic(fmt.Sprintf("optest: the sample's Attr is a %T, and the reference wants a %T", c.Attr, v))
	}
	return v
}

// each1 is a reference for an element-wise function of one operand, one
// function per class of numbers. A nil function means that the op does not
// take the class.
func each1(f func(float64) float64, i func(int64) int64, u func(uint64) uint64) Reference {
	return func(c Case) Result {
		x := c.In[0]
		y := NewArray(x.DType, x.Shape...)
		for p := range y.F {
			y.F[p] = f(x.F[p])
		}
		for p := range y.I {
			y.I[p] = wrapInt(y.DType, i(x.I[p]))
		}
		for p := range y.U {
			y.U[p] = wrapUint(y.DType, u(x.U[p]))
		}
		return exactly(y)
	}
}

// real1 is each1 for floats only.
func real1(f func(float64) float64) Reference { return each1(f, nil, nil) }

// each2 is a reference for an element-wise function of two operands that
// broadcast.
func each2(f func(a, b float64) float64, i func(a, b int64, dt tensor.DType) int64, u func(a, b uint64, dt tensor.DType) uint64) Reference {
	return func(c Case) Result {
		a, b := c.In[0], c.In[1]
		y := NewArray(a.DType, broadcastShape(a.Shape, b.Shape)...)
		for p, at := range coordinates(y.Shape) {
			j, k := stretched(a.Shape, at), stretched(b.Shape, at)
			switch {
			case y.F != nil:
				y.F[p] = f(a.F[j], b.F[k])
			case y.I != nil:
				y.I[p] = wrapInt(y.DType, i(a.I[j], b.I[k], y.DType))
			default:
				y.U[p] = wrapUint(y.DType, u(a.U[j], b.U[k], y.DType))
			}
		}
		return exactly(y)
	}
}

// compare is a reference for a predicate of two operands that broadcast; less
// and equal are both false where an operand is NaN.
func compare(holds func(less, equal, ordered bool) bool) Reference {
	return func(c Case) Result {
		a, b := c.In[0], c.In[1]
		y := NewArray(tensor.Bool, broadcastShape(a.Shape, b.Shape)...)
		for p, at := range coordinates(y.Shape) {
			j, k := stretched(a.Shape, at), stretched(b.Shape, at)
			var less, equal, ordered bool
			switch {
			case a.F != nil:
				less, equal = a.F[j] < b.F[k], a.F[j] == b.F[k]
				ordered = !math.IsNaN(a.F[j]) && !math.IsNaN(b.F[k])
			case a.I != nil:
				less, equal, ordered = a.I[j] < b.I[k], a.I[j] == b.I[k], true
			default:
				less, equal, ordered = a.U[j] < b.U[k], a.U[j] == b.U[k], true
			}
			y.U[p] = truth(holds(less, equal, ordered))
		}
		return exactly(y)
	}
}

// test is a reference for a predicate of one float.
func test(holds func(float64) bool) Reference {
	return func(c Case) Result {
		y := NewArray(tensor.Bool, c.In[0].Shape...)
		for p, v := range c.In[0].F {
			y.U[p] = truth(holds(v))
		}
		return exactly(y)
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// broadcastShape is the NumPy broadcast of two shapes that are known to fit.
func broadcastShape(a, b []int) []int {
	n := max(len(a), len(b))
	out := make([]int, n)
	for i := range out {
		da, db := 1, 1
		if k := i - n + len(a); k >= 0 {
			da = a[k]
		}
		if k := i - n + len(b); k >= 0 {
			db = b[k]
		}
		out[i] = da
		if da == 1 {
			out[i] = db
		}
	}
	return out
}
