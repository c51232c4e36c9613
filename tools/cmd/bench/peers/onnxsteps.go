package peers

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// simpleONNX are the steps that are one node without attributes.
var simpleONNX = map[string]string{
	"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "relu": "Relu", "exp": "Exp", "tanh": "Tanh",
	"sigmoid": "Sigmoid", "sqrt": "Sqrt", "matmul": "MatMul", "matmul_integer": "MatMulInteger", "copy": "Identity", "gelu": "Gelu",
}

// step adds the nodes of one step.
func (m *model) step(r bench.Ref, n *bench.Node) error {
	out := valueName(r)
	in := make([]string, len(n.In))
	for i, x := range n.In {
		in[i] = valueName(x)
	}
	if op := simpleONNX[n.Op]; op != "" {
		m.node(op, out, in)
		return nil
	}
	square := func(v int) []int { return []int{v, v} }
	switch n.Op {
	case "silu":
		s := m.fresh()
		m.node("Sigmoid", s, in)
		m.node("Mul", out, []string{in[0], s})
	case "gelu_tanh":
		m.geluTanh(out, in[0])
	case "relu6":
		m.node("Clip", out, []string{in[0], m.scalar(0), m.scalar(6)})
	case "scale":
		m.node("Mul", out, []string{in[0], m.scalar(n.Value)})
	case "cast":
		dt, err := tensor.ParseDType(n.CastType)
		if err != nil {
			return err
		}
		m.node("Cast", out, in, attribute{"to", int(onnxTypes[dt])})
	case "conv2d":
		kernel := m.p.Nodes[n.In[1]].Dims
		m.node("Conv", out, in, attribute{"kernel_shape", kernel[2:]}, attribute{"strides", square(n.Stride)},
			attribute{"pads", append(square(n.Pad), square(n.Pad)...)}, attribute{"group", max(1, n.Groups)})
	case "max_pool2d", "avg_pool2d":
		op := map[string]string{"max_pool2d": "MaxPool", "avg_pool2d": "AveragePool"}[n.Op]
		m.node(op, out, in, attribute{"kernel_shape", square(n.Size)}, attribute{"strides", square(orSize(n))},
			attribute{"pads", append(square(n.Pad), square(n.Pad)...)})
	case "sum", "mean", "max":
		op := map[string]string{"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax"}[n.Op]
		if len(n.Axes) > 0 {
			in = append(in, m.ints(n.Axes...))
		}
		m.node(op, out, in, attribute{"keepdims", 0})
	case "argmax":
		m.node("ArgMax", out, in, attribute{"axis", n.Axis}, attribute{"keepdims", 0})
	case "softmax":
		m.node("Softmax", out, in, attribute{"axis", n.Axis})
	case "layer_norm":
		m.node("LayerNormalization", out, in, attribute{"axis", -1}, attribute{"epsilon", n.Value})
	case "reshape":
		m.node("Reshape", out, []string{in[0], m.ints(n.Shape...)})
	case "transpose":
		m.node("Transpose", out, in, attribute{"perm", n.Axes})
	case "slice":
		m.node("Slice", out, []string{in[0], m.ints(n.Start), m.ints(n.Stop), m.ints(n.Axis)})
	case "gather":
		m.node("Gather", out, in, attribute{"axis", n.Axis})
	case "attention":
		m.attention(out, in, n)
	default:
		return fmt.Errorf("%w: onnxruntime has no translation of %s", bench.ErrCannot, n.Op)
	}
	return nil
}

func orSize(n *bench.Node) int {
	if n.Stride == 0 {
		return n.Size
	}
	return n.Stride
}

// geluTanh is Gelu with approximate="tanh", spelled out: it is then fused by the
// runtime where it has a kernel for it.
func (m *model) geluTanh(out, x string) {
	do := func(op string, in ...string) string {
		y := m.fresh()
		m.node(op, y, in)
		return y
	}
	cube := do("Mul", do("Mul", x, x), x)
	inner := do("Mul", do("Add", x, do("Mul", cube, m.scalar(0.044715))), m.scalar(math.Sqrt(2/math.Pi)))
	m.node("Mul", out, []string{do("Mul", x, do("Add", do("Tanh", inner), m.scalar(1))), m.scalar(0.5)})
}

// attention is spelled out as products and a softmax.
func (m *model) attention(out string, in []string, n *bench.Node) {
	dims := m.p.Nodes[n.In[0]].Dims
	if len(dims) != 4 { // the result of a step: [batch, heads, tokens, width] is in the shape
		dims = n.Shape
	}
	tokens, width := dims[2], dims[3]
	turned, scores, scaled, weights := m.fresh(), m.fresh(), m.fresh(), m.fresh()
	m.node("Transpose", turned, in[1:2], attribute{"perm", []int{0, 1, 3, 2}})
	m.node("MatMul", scores, []string{in[0], turned})
	m.node("Mul", scaled, []string{scores, m.scalar(1 / math.Sqrt(float64(width)))})
	if n.Causal {
		masked := m.fresh()
		m.node("Add", masked, []string{scaled, m.causal(tokens)})
		scaled = masked
	}
	m.node("Softmax", weights, []string{scaled}, attribute{"axis", -1})
	m.node("MatMul", out, []string{weights, in[2]})
}

// causal adds a constant that is 0 on and below the diagonal and -Inf above.
func (m *model) causal(tokens int) string {
	raw := make([]byte, 4*tokens*tokens)
	for i := range tokens {
		for j := i + 1; j < tokens; j++ {
			copy(raw[4*(i*tokens+j):], []byte{0, 0, 0x80, 0xff})
		}
	}
	name := m.fresh()
	m.raw(name, tensor.Float32, []int{tokens, tokens}, raw)
	return name
}
