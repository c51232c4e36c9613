package nn

import "github.com/anycl/anycl/ops"

// Activations without parameters, as modules. Another function of package ops becomes a module by nn.Func: nn.Func(ops.Softplus).
const (
	ReLU       = activation("relu")
	ReLU6      = activation("relu6")
	GELU       = activation("gelu") // the exact one; GELUTanh is the approximation of GPT-2
	GELUTanh   = activation("gelu_tanh")
	SiLU       = activation("silu")
	Sigmoid    = activation("sigmoid")
	Tanh       = activation("tanh")
	Softplus   = activation("softplus")
	SELU       = activation("selu")
	Mish       = activation("mish")
	HardSwish  = activation("hardswish")
	LogSigmoid = activation("logsigmoid")
	Identity   = activation("")
)

// activation is an element-wise op by its name.
type activation string

// Apply is the function of x.
func (a activation) Apply(_ *Pass, x *ops.Node) *ops.Node {
	if a == "" {
		return x
	}
	return ops.Apply(string(a), nil, x)
}

// LeakyReLU is x where x is positive, and Slope·x elsewhere; a Slope of 0 means 0.01.
type LeakyReLU struct{ Slope float64 }

// Apply is the function of x.
func (l *LeakyReLU) Apply(_ *Pass, x *ops.Node) *ops.Node {
	return ops.LeakyReLU(x, orDefault(l.Slope, 0.01))
}

// ELU is x where x is positive, and Alpha·(eˣ - 1) elsewhere; an Alpha of 0 means 1.
type ELU struct{ Alpha float64 }

// Apply is the function of x.
func (e *ELU) Apply(_ *Pass, x *ops.Node) *ops.Node { return ops.ELU(x, orDefault(e.Alpha, 1)) }

// Softmax is the softmax along Axis, counted from the end if negative, in the dtype of the parameters; LogSoftmax is its logarithm.
type (
	Softmax    struct{ Axis int }
	LogSoftmax struct{ Axis int }
)

// Apply is the softmax of x.
func (s *Softmax) Apply(p *Pass, x *ops.Node) *ops.Node { return ops.Softmax(p.Full(x), s.Axis) }

// Apply is the logarithm of the softmax of x.
func (s *LogSoftmax) Apply(p *Pass, x *ops.Node) *ops.Node { return ops.LogSoftmax(p.Full(x), s.Axis) }

// GLU halves x along Axis and multiplies one half by the sigmoid of the other.
type GLU struct{ Axis int }

// Apply is the gated half of x.
func (g *GLU) Apply(_ *Pass, x *ops.Node) *ops.Node { return ops.GLU(x, g.Axis) }

// PReLU is x where x is positive, and weight·x elsewhere, with a weight for each of Channels along axis 1, or one for all
// where Channels is 0. It begins as Start; 0 means 0.25.
type PReLU struct {
	Channels int
	Start    float64

	Weight *ops.Node // made by New
}

// Build declares the weight.
func (l *PReLU) Build(s *Scope) {
	l.Weight = s.Param("weight", Constant(orDefault(l.Start, 0.25)), max(l.Channels, 1))
}

// Apply is the function of x.
func (l *PReLU) Apply(p *Pass, x *ops.Node) *ops.Node {
	if l.Weight == nil {
		return p.fail("prelu", errNotBuilt, x)
	}
	w := castFloat(l.Weight, x.DType())
	if l.Channels > 1 && x.Rank() > 2 {
		for range x.Rank() - 2 {
			w = ops.ExpandDims(w, -1)
		}
	}
	return p.did(l, ops.PReLU(x, w))
}

func orDefault(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}
