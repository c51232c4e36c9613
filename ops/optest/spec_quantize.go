package optest

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// Products of quantised integers, and the conversions from and to floatDTypes.

func init() {
	Register("matmul_integer", Spec{
		Reference: func(c Case) Result {
			first, second := zeroPoints(c)
			return matmul(less(c.In[0], first, -2), less(c.In[1], second, -1))
		},
		Tolerance: exact,
		Samples:   matMulIntegers(),
	})
	Register("conv_integer", Spec{
		Reference: func(c Case) Result {
			first, second := zeroPoints(c)
			return conv2d(less(c.In[0], first, 1), less(c.In[1], second, 0), attr[quantAttr](c).Conv)
		},
		Tolerance: exact,
		Samples:   convIntegers(),
	})
	Register("quantize_linear", Spec{
		Reference: func(c Case) Result {
			x, scale := c.In[0], c.In[1]
			y := NewArray(c.DType, x.Shape...)
			low, high := limits(c.DType)
			for p, at := range coordinates(x.Shape) {
				v := math.RoundToEven(x.F[p] / scale.F[perAxis(c, scale, at)])
				if len(c.In) > 2 {
					v += c.In[2].float(perAxis(c, c.In[2], at))
				}
				if math.IsNaN(v) {
					v = 0
				}
				y.setWhole(p, int64(min(max(v, low), high)))
			}
			return exactly(y)
		},
		Tolerance: exact,
		Samples:   quantizations(),
	})
	Register("dequantize_linear", Spec{
		Reference: func(c Case) Result {
			x, scale := c.In[0], c.In[1]
			y := NewArray(scale.DType, x.Shape...)
			for p, at := range coordinates(x.Shape) {
				v := x.whole(p)
				if len(c.In) > 2 {
					v = wrapInt(tensor.Int32, v-c.In[2].whole(perAxis(c, c.In[2], at)))
				}
				f := float64(v)
				if scale.DType != tensor.Float64 {
					f = float64(float32(f))
				}
				y.F[p] = f * scale.F[perAxis(c, scale, at)]
			}
			return exactly(y)
		},
		Tolerance: Tolerance{ULP: 0.5, ULP64: 0.5, Source: ieee},
		Samples:   dequantizations(),
	})
}

// zeroPoints are those of a product, nil where it has none.
func zeroPoints(c Case) (first, second *Array) {
	s, next := attr[quantAttr](c), 2
	if s.First {
		first = &c.In[next]
		next++
	}
	if s.Second {
		second = &c.In[next]
	}
	return first, second
}

// less is x minus its zero point as int32: one value, one for each element along
// axis, or one that broadcasts. A vector has one value.
func less(x Array, zero *Array, axis int) Array {
	y := NewArray(tensor.Int32, x.Shape...)
	for p, at := range coordinates(x.Shape) {
		y.I[p] = x.whole(p)
		switch {
		case zero == nil:
		case zero.Len() == 1:
			y.I[p] -= zero.whole(0)
		case len(zero.Shape) == 1:
			if axis < 0 {
				axis += len(x.Shape)
			}
			y.I[p] -= zero.whole(at[axis])
		default:
			y.I[p] -= zero.whole(stretched(zero.Shape, at))
		}
	}
	return y
}

// perAxis is which element of a scale or zero point belongs to element at of operand 0.
func perAxis(c Case, z Array, at []int) int {
	if z.Len() == 1 {
		return 0
	}
	axis := attr[quantAttr](c).Axis
	if axis < 0 {
		axis += len(at)
	}
	return at[axis]
}

// whole is element i of an integer array.
func (a Array) whole(i int) int64 {
	if a.I != nil {
		return a.I[i]
	}
	return int64(a.U[i])
}

// setWhole sets element i of an integer array.
func (a Array) setWhole(i int, v int64) {
	if a.I != nil {
		a.I[i] = v
	} else {
		a.U[i] = uint64(v)
	}
}
