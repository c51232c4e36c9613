package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

type fakeAttr struct {
	Axis int `default:"1" doc:"that scale and zero point have a value for each index of, where they have more than one"`
	Low  int `default:"0" doc:"smallest quantised value"`
	High int `default:"255" doc:"largest quantised value"`
}

// FakeQuantize returns x quantised and dequantised:
//
//	y = (clamp(round(x / scale) + zero, low, high) - zero) · scale
//
// round takes the nearest whole number, of two the even one. x is a float; scale and zero have its dtype, one value each or one for each
// element along axis; zero holds whole numbers, nil stands for 0. The derivative passes straight through where the quantised value lies
// in [low, high], and is 0 elsewhere; scale and zero have none. 16-bit floats are computed in float32. Errors: dtypes; shapes; low is
// above high.
// Source: Jacob et al., Quantization and Training of Neural Networks (2018), section 3; PyTorch, torch.fake_quantize_per_channel_affine.
func FakeQuantize(x, scale, zero *Node, axis, low, high int) *Node {
	return apply("fake_quantize", fakeAttr{axis, low, high}, given([]*Node{x, scale}, zero)...)
}

var _ = define(Op{
	Name: "fake_quantize", Category: "quantization", Attributes: AttributesOf[fakeAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "scale"}, {Name: "zero", Optional: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(fakeAttr)
		if a.Low > a.High {
			return nil, 0, fmt.Errorf("the range %d to %d is empty", a.Low, a.High)
		}
		return c.shape(0), c.dt(0), scaleFits(&Call{Op: c.Op, In: c.In, Attr: channelAttr{a.Axis}})
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(fakeAttr)
		q, scale, zero := fakeQuantized(c)
		return Cast(Mul(Sub(Clip(q, float64(a.Low), float64(a.High)), zero), scale), c.dt(0))
	},
	Grad: func(b *Back) {
		a := b.Attr().(fakeAttr)
		q, _, _ := fakeQuantized(&Call{Op: b.node.op, In: b.node.in, Attr: b.node.attr})
		inside := And(GreaterEqual(q, a.Low), LessEqual(q, a.High))
		b.Add(0, Where(inside, b.Grad(), ScalarLike(b.Grad(), 0)))
	},
})

// fakeQuantized is round(x / scale) + zero, with scale and zero so that they broadcast.
func fakeQuantized(c *Call) (q, scale, zero *Node) {
	at := &Call{Op: c.Op, In: c.In, Attr: channelAttr{c.Attr.(fakeAttr).Axis}}
	x := widen(c.In[0])
	scale = widen(along(at, 1))
	if zero = ScalarLike(x, 0); len(c.In) > 2 {
		zero = widen(along(at, 2))
	}
	return Add(Round(Div(x, scale)), zero), scale, zero
}

// DynamicQuantizeLinear returns x as integers of 8 bits, and the scale and zero point that make them cover all of x and 0:
//
//	scale = (max(0, max x) - min(0, min x)) / 255
//	zero = saturate(round(-min(0, min x) / scale))
//	y = saturate(round(x / scale) + zero)
//
// x is a float of at least one element; y and zero are uint8, scale has the dtype of x, or is 1 where all of x is 0. 16-bit floats are
// computed in float32. Errors: x is empty; dtype not float.
// Source: ONNX, operator DynamicQuantizeLinear.
func DynamicQuantizeLinear(x *Node) (y, scale, zero *Node) {
	r := ApplyAll("dynamic_quantize_linear", nil, x)
	return r[0], r[1], r[2]
}

var _ = define(Op{
	Name: "dynamic_quantize_linear", Category: "quantization", DTypes: floats, Operands: operandX, Flat: true,
	ResultNames: []string{"y", "scale", "zero"},
	Results: func(c *Call) ([]Result, error) {
		if c.In[0].Size() == 0 {
			return nil, errors.New("x is empty and has no range")
		}
		return []Result{{tensor.Uint8, c.shape(0)}, {c.dt(0), []int{}}, {tensor.Uint8, []int{}}}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		x := widen(c.In[0])
		low, high := Minimum(Min(x), 0.0), Maximum(Max(x), 0.0)
		scale := Div(Sub(high, low), 255.0)
		// The caller multiplies by the scale rounded to its dtype, so x is divided by the rounded scale too.
		stored := widen(Cast(Where(Equal(scale, 0.0), ScalarLike(scale, 1), scale), c.dt(0)))
		zero := Clip(Round(Div(Neg(low), stored)), 0, 255)
		y := Cast(Add(Round(Div(x, stored)), zero), tensor.Uint8)
		return []*Node{y, Cast(stored, c.dt(0)), Cast(zero, tensor.Uint8)}
	},
})

// Quantized are integers of 8 bits that stand for the numbers (Value - Zero) · Scale. Zero may be nil for 0.
type Quantized struct{ Value, Scale, Zero *Node }

// QLinearMatMul returns the matrix product of quantised matrices, quantised again:
//
//	y = quantise(a.Scale · b.Scale · Σ_k (a - a.Zero) · (b - b.Zero))
//
// a and b are matrices as of [MatMulInteger]; scales are floats of one dtype, one value, or one for each row of a and column of b. y has
// the dtype of outZero, uint8 where that is nil. The sum is exact in 32 bits, and the rest is one pass over it. Errors: as MatMulInteger
// and [QuantizeLinear]. Source: ONNX, operator QLinearMatMul.
func QLinearMatMul(a, b Quantized, outScale, outZero *Node) *Node {
	sum := MatMulInteger(a.Value, b.Value, a.Zero, b.Zero)
	return requantize("q_linear_matmul", sum, rowScale(a.Scale), b.Scale, outScale, outZero)
}

// rowScale is a scale of rows as a column.
func rowScale(s *Node) *Node {
	if s == nil || s.bad || s.Rank() != 1 {
		return s
	}
	return ExpandDims(s, 1)
}

// QLinearConv returns the convolution of quantised images and kernels, quantised again:
//
//	y = quantise(x.Scale · w.Scale · (Σ (x - x.Zero) · (w - w.Zero) + bias))
//
// as [ConvInteger] sums; bias is int32 [O] or nil; the scale of w is one value or one for each channel of the result. Otherwise as
// [QLinearMatMul]. Errors: as ConvInteger and [QuantizeLinear]. Source: ONNX, operator QLinearConv.
func QLinearConv(x, w Quantized, bias, outScale, outZero *Node, o Conv2DOptions) *Node {
	sum := ConvInteger(x.Value, w.Value, x.Zero, w.Zero, o)
	if bias != nil && !bias.bad && bias.Rank() == 1 {
		bias = ExpandDims(bias, 1, 2)
	}
	if bias != nil {
		sum = Add(sum, bias)
	}
	scale := w.Scale
	if scale != nil && !scale.bad && scale.Rank() == 1 {
		scale = ExpandDims(scale, 1, 2)
	}
	return requantize("q_linear_conv", sum, x.Scale, scale, outScale, outZero)
}

// requantize is sum · a · b / scale, as integers of the dtype of zero.
func requantize(name string, sum, a, b, scale, zero *Node) *Node {
	in := []*Node{sum, a, b, scale}
	for _, n := range in {
		if n == nil {
			return graphOf(in...).fail(name, in, errNil)
		}
	}
	for _, n := range append(in, given(nil, zero)...) {
		if n.bad { // reported where it happened
			return n
		}
	}
	if !slices.Contains(floats, a.dtype) {
		return sum.graph.fail(name, in, dtypeError(a.dtype, floats))
	}
	real := Mul(Mul(Cast(sum, widen(a).dtype), widen(a)), widen(b))
	return QuantizeLinear(real, widen(scale), zero, 0)
}
