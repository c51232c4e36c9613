package export

import (
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// channels are the axis of scales that are not one value.
func (c *call) channels(in []string) []*model.Attr {
	for i := 1; i < len(in); i++ {
		if c.in[i].Size() == 1 {
			in[i] = c.reshape(in[i])
		}
	}
	if c.in[1].Size() == 1 {
		return nil
	}
	axis := c.int("axis")
	if axis < 0 {
		axis += c.in[0].Rank()
	}
	return []*model.Attr{anInt("axis", axis)}
}

var (
	_ = define("quantize_linear", func(c *call) []string {
		s, to := signatures()["QuantizeLinear"], c.dtype()
		if !s.takes(c.in[0].DType(), c.opset()) || to.Size() > 1 && c.opset() < 21 || len(c.in) > 2 && c.in[2].Size() != c.in[1].Size() {
			return nil
		}
		in := c.args()
		attrs := c.channels(in)
		y := c.add(1, "QuantizeLinear", in, attrs...)
		c.x.types[y[0]] = to
		return y
	})
	_ = define("dequantize_linear", func(c *call) []string {
		s, to := signatures()["DequantizeLinear"], c.dtype()
		if !s.takes(c.in[0].DType(), c.opset()) || to != tensor.Float32 && (to == tensor.Float64 || c.opset() < 19) || len(c.in) > 2 &&
			c.in[2].Size() != c.in[1].Size() {
			return nil
		}
		in := c.args()
		attrs := c.channels(in)
		y := c.add(1, "DequantizeLinear", in, attrs...)
		c.x.types[y[0]] = to
		return y
	})
	_ = define("dynamic_quantize_linear", func(c *call) []string {
		if c.in[0].DType() != tensor.Float32 {
			return nil
		}
		return c.ops(3, "DynamicQuantizeLinear", c.args())
	})
	_ = define("matmul_integer", func(c *call) []string {
		if c.in[0].Dim(-1) == 0 {
			return []string{c.expand(c.number(0, c.dtype()), nil, c.n.Shape())}
		}
		return c.integers("MatMulInteger")
	})
	_ = define("conv_integer", func(c *call) []string {
		o, _ := c.attrs["conv"].(map[string]any)
		pad := intsOf(o["pad"])
		groups, _ := o["groups"].(int64)
		w := c.shape(1)
		s := spatial{size: w[2:], stride: intsOf(o["stride"]), before: pad, after: pad, dilation: intsOf(o["dilation"])}
		if c.in[0].Size() == 0 {
			return nil
		}
		return c.integers("ConvInteger", append(s.attrs(), anInt("group", max(int(groups), 1)))...)
	})
)

// integers writes a product of 8-bit integers with zero points.
func (c *call) integers(operator string, attrs ...*model.Attr) []string {
	in := []string{c.arg(0), c.arg(1), "", ""}
	next := 2
	for i, name := range []string{"zero_of_a", "zero_of_b"} {
		if !c.bool(name) {
			continue
		}
		zero := c.in[next]
		in[2+i] = c.arg(next)
		switch {
		case zero.Size() == 1:
			in[2+i] = c.reshape(in[2+i])
		case operator == "MatMulInteger" && zero.Rank() != 1:
			return nil
		}
		next++
	}
	y := c.add(1, operator, in, attrs...)
	c.x.types[y[0]] = tensor.Int32
	return y
}
