// Package reference holds helpers of references: loops over elements, coordinates, sums with their magnitudes,
// and the random numbers of the suite.
package reference

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

func Exactly(a spec.Array) spec.Result { return spec.Result{Array: a} }

// Attr reads the attribute of a case; a sample that carries another type is a
// mistake of the op's author.
func Attr[T any](c spec.Case) T {
	v, ok := c.Attr.(T)
	if !ok {
		panic(fmt.Sprintf("optest: the sample's Attr is a %T, and the reference wants a %T", c.Attr, v))
	}
	return v
}

// Each1 is a reference for an element-wise function of one operand, one
// function per class of numbers. A nil function means that the op does not
// take the class.
func Each1(f func(float64) float64, i func(int64) int64, u func(uint64) uint64) spec.Reference {
	return func(c spec.Case) spec.Result {
		x := c.In[0]
		y := spec.NewArray(x.DType, x.Shape...)
		for p := range y.F {
			y.F[p] = f(x.F[p])
		}
		for p := range y.I {
			y.I[p] = WrapInt(y.DType, i(x.I[p]))
		}
		for p := range y.U {
			y.U[p] = WrapUint(y.DType, u(x.U[p]))
		}
		return Exactly(y)
	}
}

// Real1 is each1 for floats only.
func Real1(f func(float64) float64) spec.Reference { return Each1(f, nil, nil) }

// Each2 is a reference for an element-wise function of two operands that
// broadcast.
func Each2(f func(a, b float64) float64, i func(a, b int64, dt tensor.DType) int64,
	u func(a, b uint64, dt tensor.DType) uint64) spec.Reference {
	return func(c spec.Case) spec.Result {
		a, b := c.In[0], c.In[1]
		y := spec.NewArray(a.DType, Broadcast(a.Shape, b.Shape)...)
		for p, at := range Coordinates(y.Shape) {
			j, k := Stretched(a.Shape, at), Stretched(b.Shape, at)
			switch {
			case y.F != nil:
				y.F[p] = f(a.F[j], b.F[k])
			case y.I != nil:
				y.I[p] = WrapInt(y.DType, i(a.I[j], b.I[k], y.DType))
			default:
				y.U[p] = WrapUint(y.DType, u(a.U[j], b.U[k], y.DType))
			}
		}
		return Exactly(y)
	}
}

// Compare is a reference for a predicate of two operands that broadcast; less
// and equal are both false where an operand is NaN.
func Compare(holds func(less, equal, ordered bool) bool) spec.Reference {
	return func(c spec.Case) spec.Result {
		a, b := c.In[0], c.In[1]
		y := spec.NewArray(tensor.Bool, Broadcast(a.Shape, b.Shape)...)
		for p, at := range Coordinates(y.Shape) {
			j, k := Stretched(a.Shape, at), Stretched(b.Shape, at)
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
			y.U[p] = Truth(holds(less, equal, ordered))
		}
		return Exactly(y)
	}
}

// Predicate is a reference for a predicate of one float.
func Predicate(holds func(float64) bool) spec.Reference {
	return func(c spec.Case) spec.Result {
		y := spec.NewArray(tensor.Bool, c.In[0].Shape...)
		for p, v := range c.In[0].F {
			y.U[p] = Truth(holds(v))
		}
		return Exactly(y)
	}
}
