package bench

import (
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// step builds one step of a program in a graph.
type step func(a *Attr, x []*ops.Node) *ops.Node

func unary(f func(*ops.Node) *ops.Node) step {
	return func(_ *Attr, x []*ops.Node) *ops.Node { return f(x[0]) }
}

func binary(f func(a, b *ops.Node) *ops.Node) step {
	return func(_ *Attr, x []*ops.Node) *ops.Node { return f(x[0], x[1]) }
}

func reduction(f func(x *ops.Node, axes ...int) *ops.Node) step {
	return func(a *Attr, x []*ops.Node) *ops.Node { return f(x[0], a.Axes...) }
}

func twice(n int) [2]int { return [2]int{n, n} }

// steps are the steps that a program can consist of.
var steps = map[string]step{
	"add": binary(ops.Add), "sub": binary(ops.Sub), "mul": binary(ops.Mul), "div": binary(ops.Div),
	"relu": unary(ops.ReLU), "exp": unary(ops.Exp), "tanh": unary(ops.Tanh), "sigmoid": unary(ops.Sigmoid),
	"gelu": unary(ops.GELU), "silu": unary(ops.SiLU), "sqrt": unary(ops.Sqrt),
	"copy":      unary(func(x *ops.Node) *ops.Node { return x }),
	"gelu_tanh": unary(ops.GELUTanh),
	"relu6":     unary(func(x *ops.Node) *ops.Node { return ops.Clip(x, 0, 6) }),
	"scale": func(a *Attr, x []*ops.Node) *ops.Node {
		return ops.Mul(x[0], ops.ScalarLike(x[0], a.Value))
	},
	"cast": func(a *Attr, x []*ops.Node) *ops.Node {
		dt, err := tensor.ParseDType(a.CastType)
		if err != nil {
			return ops.Cast(x[0], tensor.Invalid) // the graph reports it
		}
		return ops.Cast(x[0], dt)
	},
	"matmul":         binary(ops.MatMul),
	"matmul_integer": func(_ *Attr, x []*ops.Node) *ops.Node { return ops.MatMulInteger(x[0], x[1], nil, nil) },
	"conv2d": func(a *Attr, x []*ops.Node) *ops.Node {
		y := ops.Conv2D(x[0], x[1], ops.Conv2DOptions{Stride: twice(a.Stride), Pad: twice(a.Pad), Groups: a.Groups})
		if len(x) > 2 {
			y = ops.Add(y, ops.Reshape(x[2], x[2].Size(), 1, 1))
		}
		return y
	},
	"max_pool2d": func(a *Attr, x []*ops.Node) *ops.Node { return ops.MaxPool2D(x[0], pooling(a)) },
	"avg_pool2d": func(a *Attr, x []*ops.Node) *ops.Node { return ops.AvgPool2D(x[0], pooling(a)) },
	"sum":        reduction(ops.Sum), "mean": reduction(ops.Mean), "max": reduction(ops.Max),
	"argmax":  func(a *Attr, x []*ops.Node) *ops.Node { return ops.ArgMax(x[0], a.Axis) },
	"cumsum":  func(a *Attr, x []*ops.Node) *ops.Node { return ops.CumSum(x[0], a.Axis, nil) },
	"softmax": func(a *Attr, x []*ops.Node) *ops.Node { return ops.Softmax(x[0], a.Axis) },
	"layer_norm": func(a *Attr, x []*ops.Node) *ops.Node {
		return ops.LayerNorm(x[0], x[1], x[2], a.Value)
	},
	"cross_entropy": binary(ops.CrossEntropy),
	"reshape":       func(a *Attr, x []*ops.Node) *ops.Node { return ops.Reshape(x[0], a.Shape...) },
	"transpose":     func(a *Attr, x []*ops.Node) *ops.Node { return ops.Transpose(x[0], a.Axes...) },
	"slice": func(a *Attr, x []*ops.Node) *ops.Node {
		return ops.Slice(x[0], ops.Range{Axis: a.Axis, Start: a.Start, Stop: a.Stop})
	},
	"concat": func(a *Attr, x []*ops.Node) *ops.Node { return ops.Concat(a.Axis, x...) },
	"gather": func(a *Attr, x []*ops.Node) *ops.Node { return ops.Gather(x[0], a.Axis, x[1]) },
	"attention": func(a *Attr, x []*ops.Node) *ops.Node {
		return ops.Attention(x[0], x[1], x[2], &ops.AttentionOptions{Causal: a.Causal})
	},
	"rotary": func(_ *Attr, x []*ops.Node) *ops.Node { return ops.RotaryEmbedding(x[0], x[1], x[2], nil) },
	"tiny":   unary(tiny),
	// Steps that no other contender translates.
	"scatter_add": func(a *Attr, x []*ops.Node) *ops.Node { return ops.ScatterAdd(x[0], a.Axis, x[1], x[2]) },
	"sort":        sorted, "top_k": topK, "unique": unique, "suppress": suppress, "trees": trees,
	"suppressed": suppressed, "kept": kept, "lookup": lookup, "classify": classify,
}

// tiny is a kernel of one's own, so that another loop can launch the very same.
func tiny(x *ops.Node) *ops.Node {
	return ops.Kernel(x.Graph(), ops.KernelOptions{
		Source: TinyKernel, Entry: "tiny", Global: [3]int{TinyItems}, Local: [3]int{TinyItems},
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{TinyItems}}},
		Host: func(outs, ins []*tensor.Tensor) error {
			for i := range TinyItems {
				outs[0].SetFloat64(i, ins[0].Float64At(i)/2+1)
			}
			return nil
		},
	}, x)[0]
}

func pooling(a *Attr) ops.PoolOptions {
	return ops.PoolOptions{Size: twice(a.Size), Stride: twice(a.Stride), Pad: twice(a.Pad)}
}

// build puts p into a graph. leaf makes the node of a leaf.
func (p *Program) build(leaf func(r Ref, n *Node) *ops.Node) ([]*ops.Node, error) {
	made := make([]*ops.Node, len(p.Nodes))
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Op == "leaf" {
			made[i] = leaf(Ref(i), n)
			continue
		}
		f := steps[n.Op]
		if n.Op == "call" {
			f = func(_ *Attr, x []*ops.Node) *ops.Node { return n.Ours(x) }
		}
		if f == nil {
			return nil, fmt.Errorf("bench: there is no step %q", n.Op)
		}
		in := make([]*ops.Node, len(n.In))
		for j, r := range n.In {
			in[j] = made[r]
		}
		made[i] = f(&n.Attr, in)
	}
	return made, nil
}
