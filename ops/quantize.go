package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// QuantizeLinear returns x as integers of 8 or 16 bits:
//
//	y = saturate(round(x / scale) + zero)
//
// round takes the nearest whole number, of two the even one, and saturate the
// nearest bound of y's dtype; NaN gives 0. x is a float and scale one of the same
// dtype; y has the dtype of zero, and is uint8 where zero is nil, which counts as 0.
// scale and zero are one value each, or one for each element along axis. 16-bit
// floats are computed in float32. The derivative is 0. Errors: dtypes; shapes; the
// axis does not exist.
// Source: ONNX, operator QuantizeLinear.
func QuantizeLinear(x, scale, zero *Node, axis int) *Node {
	return apply("quantize_linear", quantAttr{first: zero != nil, axis: axis}, given([]*Node{x, scale}, zero)...)
}

// DequantizeLinear returns the real numbers that the integers x stand for:
//
//	y = (x - zero) · scale
//
// x has 8, 16 or 32 bits; scale is a float, whose dtype y has; zero is of x's
// dtype, or nil for 0. The difference is exact for 8 and 16 bits and wraps for 32,
// and is rounded to scale's dtype, or float32 where that has 16 bits, before it is
// multiplied. scale and zero are one value each, or one for each element along axis. It has a
// derivative with respect to scale. Errors: as QuantizeLinear.
// Source: ONNX, operator DequantizeLinear.
func DequantizeLinear(x, scale, zero *Node, axis int) *Node {
	return apply("dequantize_linear", quantAttr{first: zero != nil, axis: axis}, given([]*Node{x, scale}, zero)...)
}

var (
	narrow     = []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16}
	upToWord   = append(slices.Clone(narrow), tensor.Int32)
	errNoScale = errors.New("the scale is not a float")
)

var _ = define(Op{
	Name: "quantize_linear", Arity: -1, Least: 2, Most: 3, DTypes: floats, Flat: true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		dt := tensor.Uint8
		if c.Attr.(quantAttr).first {
			dt = c.dt(2)
		}
		switch {
		case c.dt(1) != c.dt(0):
			return nil, 0, fmt.Errorf("dtypes differ: x is %v, the scale %v (cast with ops.Cast)", c.dt(0), c.dt(1))
		case !slices.Contains(narrow, dt):
			return nil, 0, fmt.Errorf("the zero point is %v, not one of %v", dt, narrow)
		}
		return c.shape(0), dt, scaleFits(c)
	},
	Compose: func(c *Call) *Node {
		y := Round(Div(widen(c.In[0]), widen(along(c, 1))))
		if len(c.In) < 3 {
			return Cast(y, tensor.Uint8)
		}
		return Cast(Add(y, Cast(along(c, 2), y.dtype)), c.dt(2))
	},
	Samples: quantizations(),
})

var _ = define(Op{
	Name: "dequantize_linear", Arity: -1, Least: 2, Most: 3, DTypes: upToWord,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		switch {
		case !c.dt(1).IsFloat():
			return nil, 0, errNoScale
		case c.Attr.(quantAttr).first && c.dt(2) != c.dt(0):
			return nil, 0, fmt.Errorf("dtypes differ: x is %v, the zero point %v", c.dt(0), c.dt(2))
		}
		return c.shape(0), c.dt(1), scaleFits(c)
	},
	Compose: func(c *Call) *Node {
		x, scale := Cast(c.In[0], tensor.Int32), widen(along(c, 1))
		if len(c.In) > 2 {
			x = Sub(x, Cast(along(c, 2), tensor.Int32))
		}
		return Cast(Mul(Cast(x, scale.dtype), scale), c.dt(1))
	},
	Samples: dequantizations(),
})

// scaleFits checks the shapes of scale and zero point.
func scaleFits(c *Call) error {
	x := c.shape(0)
	for i := 1; i < len(c.In); i++ {
		z := c.shape(i)
		if len(z) == 0 || len(z) == 1 && z[0] == 1 {
			continue
		}
		axis, err := axisOf(c.Attr.(quantAttr).axis, len(x))
		switch {
		case err != nil:
			return err
		case len(z) != 1 || z[0] != x[axis]:
			return fmt.Errorf("the %s is %v, not one value or one for each of %v along axis %d", [...]string{1: "scale", 2: "zero point"}[i], z, x, axis)
		}
	}
	return nil
}

// along is operand i, of one value or one along the axis, so that it broadcasts
// with operand 0.
func along(c *Call, i int) *Node {
	z := c.In[i]
	if z.Size() == 1 {
		return Reshape(z)
	}
	axis, _ := axisOf(c.Attr.(quantAttr).axis, len(c.shape(0)))
	shape := slices.Repeat([]int{1}, len(c.shape(0))-axis)
	shape[0] = z.Size()
	return Reshape(z, shape...)
}

// quantizations have scales that are powers of two, so that quotients are exact and
// ties are met on every device.
func quantizations() []Sample {
	var out []Sample
	for _, dt := range append(slices.Clone(narrow), tensor.Invalid) {
		zero := dt.Valid()
		label := "to uint8 without a zero point"
		if zero {
			label = fmt.Sprintf("to %v", dt)
		}
		for _, per := range []bool{false, true} {
			name, shape := label, []int{}
			if per {
				name, shape = label+" by axis", []int{5}
			}
			s := Sample{Label: name, Attr: QuantSample{First: zero, Axis: -2}}
			s.Operands = []Operand{{Shape: []int{7, 5, 33}, Lo: -90, Hi: 90, Special: true}, {Shape: shape, Lo: 0.5, Hi: 0.5}}
			if zero {
				s.Operands = append(s.Operands, Operand{Shape: shape, DType: dt, Lo: -100, Hi: 200})
			}
			s.Through = func(in []*Node) []*Node {
				in = slices.Clone(in)
				in[0] = Mul(Round(Mul(in[0], ScalarLike(in[0], 4))), ScalarLike(in[0], 0.25)) // in quarters: ties
				return in
			}
			s.Build = quantizing(QuantizeLinear)
			out = append(out, s)
		}
	}
	return append(out,
		Sample{Label: "scalar", Operands: []Operand{{}, {Lo: 0.25, Hi: 0.25}}, Attr: QuantSample{}, Build: func(in []*Node) *Node { return QuantizeLinear(in[0], in[1], nil, 0) }},
		Sample{Label: "empty", Operands: []Operand{{Shape: []int{3, 0}}, {Shape: []int{3}, Lo: 1, Hi: 2}}, Attr: QuantSample{}, Build: func(in []*Node) *Node { return QuantizeLinear(in[0], in[1], nil, 0) }},
	)
}

func quantizing(f func(x, scale, zero *Node, axis int) *Node) func(in []*Node) *Node {
	return func(in []*Node) *Node {
		var zero *Node
		if len(in) > 2 {
			zero = in[2]
		}
		return f(in[0], in[1], zero, -2)
	}
}

func dequantizations() []Sample {
	var out []Sample
	for _, dt := range floats {
		for _, per := range []bool{false, true} {
			for _, zero := range []bool{false, true} {
				if dt != tensor.Float32 && !(per && zero) {
					continue
				}
				shape := []int{}
				if per {
					shape = []int{5}
				}
				s := Sample{
					Label: fmt.Sprintf("to %v by axis %v zero point %v", dt, per, zero), Attr: QuantSample{First: zero, Axis: -2},
					Operands: []Operand{{Shape: []int{7, 5, 33}, Special: true}, {Shape: shape, DType: dt, Lo: 0.01, Hi: 3}},
					Build:    quantizing(DequantizeLinear),
				}
				if zero {
					s.Operands = append(s.Operands, Operand{Shape: shape})
				}
				out = append(out, s)
			}
		}
	}
	f32 := Operand{DType: tensor.Float32, Lo: 1, Hi: 2}
	return append(out,
		Sample{Label: "scalar", Operands: []Operand{{}, f32}, Attr: QuantSample{}, Build: func(in []*Node) *Node { return DequantizeLinear(in[0], in[1], nil, 0) }},
		Sample{Label: "empty", Operands: []Operand{{Shape: []int{0, 3}}, f32}, Attr: QuantSample{}, Build: func(in []*Node) *Node { return DequantizeLinear(in[0], in[1], nil, 0) }},
	)
}
