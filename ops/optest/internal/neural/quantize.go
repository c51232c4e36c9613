package neural

import (
	"math"

	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Products of quantised integers, and the conversions from and to floats.

func init() {
	spec.Register("matmul_integer", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			first, second := zeroPoints(c)
			return reference.MatMul(less(c.In[0], first, -2), less(c.In[1], second, -1))
		},
		Tolerance: spec.Exact,
		Samples:   matMulIntegers(),
	})
	spec.Register("conv_integer", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			first, second := zeroPoints(c)
			return conv2d(less(c.In[0], first, 1), less(c.In[1], second, 0), reference.Attr[QuantAttr](c).Conv)
		},
		Tolerance: spec.Exact,
		Samples:   convIntegers(),
	})
	spec.Register("quantize_linear", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, scale := c.In[0], c.In[1]
			y := spec.NewArray(c.DType, x.Shape...)
			low, high := spec.Limits(c.DType)
			for p, at := range reference.Coordinates(x.Shape) {
				v := math.RoundToEven(x.F[p] / scale.F[perAxis(c, scale, at)])
				if len(c.In) > 2 {
					v += reference.FloatAt(c.In[2], perAxis(c, c.In[2], at))
				}
				if math.IsNaN(v) {
					v = 0
				}
				reference.SetWholeAt(y, p, int64(min(max(v, low), high)))
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples:   quantizations(),
	})
	spec.Register("dequantize_linear", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, scale := c.In[0], c.In[1]
			y := spec.NewArray(scale.DType, x.Shape...)
			for p, at := range reference.Coordinates(x.Shape) {
				v := reference.WholeAt(x, p)
				if len(c.In) > 2 {
					v = reference.WrapInt(tensor.Int32, v-reference.WholeAt(c.In[2], perAxis(c, c.In[2], at)))
				}
				f := float64(v)
				if scale.DType != tensor.Float64 {
					f = float64(float32(f))
				}
				y.F[p] = f * scale.F[perAxis(c, scale, at)]
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Source: spec.IEEE},
		Samples:   dequantizations(),
	})
}

// zeroPoints returns the zero points of the two operands of a product, nil for an operand without one.
func zeroPoints(c spec.Case) (first, second *spec.Array) {
	s, next := reference.Attr[QuantAttr](c), 2
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
func less(x spec.Array, zero *spec.Array, axis int) spec.Array {
	y := spec.NewArray(tensor.Int32, x.Shape...)
	for p, at := range reference.Coordinates(x.Shape) {
		y.I[p] = reference.WholeAt(x, p)
		switch {
		case zero == nil:
		case zero.Len() == 1:
			y.I[p] -= reference.WholeAt(*zero, 0)
		case len(zero.Shape) == 1:
			if axis < 0 {
				axis += len(x.Shape)
			}
			y.I[p] -= reference.WholeAt(*zero, at[axis])
		default:
			y.I[p] -= reference.WholeAt(*zero, reference.Stretched(zero.Shape, at))
		}
	}
	return y
}

// perAxis is which element of a scale or zero point belongs to element at of operand 0.
func perAxis(c spec.Case, z spec.Array, at []int) int {
	if z.Len() == 1 {
		return 0
	}
	axis := reference.Attr[QuantAttr](c).Axis
	if axis < 0 {
		axis += len(at)
	}
	return at[axis]
}
