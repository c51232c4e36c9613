package nn_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// layer is a case of testdata/layers.json: a module, and how it is called.
type layer struct {
	module any
	inputs []*tensor.Tensor
	run    func(p *nn.Pass, in []*ops.Node) *ops.Node // nil: Apply of the first input
}

func layers() map[string]layer {
	x3 := numbers(101, 1, 2, 5, 4)
	x1 := numbers(104, 1, 2, 4, 7)
	image := numbers(105, 1, 2, 2, 5, 6)
	q, k := numbers(109, 1, 2, 4, 8), numbers(110, 1, 2, 5, 8)
	bilinear := &nn.Bilinear{In1: 4, In2: 3, Out: 2}
	cross := &nn.MultiheadAttention{Embed: 8, Heads: 2}
	causal := &nn.MultiheadAttention{Embed: 8, Heads: 2}
	padded := &nn.MultiheadAttention{Embed: 8, Heads: 4, KeyDim: 3, ValueDim: 6}
	options := nn.TransformerOptions{Embed: 8, Heads: 2, Hidden: 16}
	first := options
	first.NormFirst, first.Activation = true, nn.GELU
	decoder := &nn.DecoderLayer{TransformerOptions: options}
	transformer := &struct {
		T *nn.Transformer
	}{&nn.Transformer{TransformerOptions: options, EncoderLayers: 1, DecoderLayers: 1}}
	padding := tensor.Must(tensor.FromSlice([]bool{false, false, false, true, true, false, false, false, false, true}, 2, 5))
	one := func(m nn.Module, x *tensor.Tensor) layer { return layer{m, []*tensor.Tensor{x}, nil} }
	return map[string]layer{
		"linear": one(&nn.Linear{In: 4, Out: 3}, x3),
		"bilinear": {bilinear, []*tensor.Tensor{numbers(102, 1, 2, 4), numbers(103, 1, 2, 3)}, func(p *nn.Pass, in []*ops.Node) *ops.Node {
			return bilinear.Run(p, in[0], in[1])
		}},
		"conv1d":           one(&nn.Conv{In: 4, Out: 6, Kernel: []int{3}, Stride: []int{2}, Pad: []int{1}, Groups: 2}, x1),
		"conv2d":           one(&nn.Conv{In: 2, Out: 3, Kernel: []int{3, 2}, Pad: []int{1, 0}, Dilation: []int{1, 2}}, image),
		"conv2d_reflect":   one(&nn.Conv{In: 2, Out: 3, Kernel: []int{3, 3}, Pad: []int{1}, PadWith: "reflect"}, image),
		"conv3d":           one(nn.Conv3D(1, 2, 2), numbers(106, 1, 1, 1, 3, 3, 3)),
		"conv_transpose1d": one(&nn.ConvTranspose{In: 4, Out: 6, Kernel: []int{3}, Stride: []int{2}, Pad: []int{1}, OutputPad: []int{1}, Groups: 2}, x1),
		"conv_transpose2d": one(&nn.ConvTranspose{In: 2, Out: 3, Kernel: []int{3, 3}, Stride: []int{2}}, numbers(107, 1, 2, 2, 3, 3)),
		"batch_norm":       one(&nn.BatchNorm{Channels: 2}, image),
		"layer_norm":       one(&nn.LayerNorm{Shape: []int{5, 4}}, x3),
		"group_norm":       one(&nn.GroupNorm{Groups: 2, Channels: 4}, x1),
		"instance_norm":    one(&nn.InstanceNorm{Channels: 4, Affine: true}, x1),
		"prelu":            one(&nn.PReLU{Channels: 5}, x3),
		"embedding":        one(&nn.Embedding{Num: 7, Dim: 3, Padding: 2, Pads: true}, labels(108, 7, 2, 5)),
		"embedding_bag":    one(&nn.EmbeddingBag{Num: 7, Dim: 3}, labels(108, 7, 2, 5)),
		"rnn":              one(&nn.RNN{In: 4, Hidden: 3, Layers: 2, ReLU: true, BatchFirst: true}, x3),
		"lstm":             one(&nn.LSTM{In: 4, Hidden: 3, Layers: 2, Bidirectional: true, BatchFirst: true}, x3),
		"lstm_projection":  one(&nn.LSTM{In: 4, Hidden: 3, Projection: 2}, x3),
		"gru":              one(&nn.GRU{In: 4, Hidden: 3, Bidirectional: true}, x3),
		"attention": {cross, []*tensor.Tensor{q, k}, func(p *nn.Pass, in []*ops.Node) *ops.Node {
			return cross.Run(p, in[0], in[1], in[1], nn.AttendOptions{})
		}},
		"attention_causal": {causal, []*tensor.Tensor{q}, func(p *nn.Pass, in []*ops.Node) *ops.Node {
			return causal.Run(p, in[0], in[0], in[0], nn.AttendOptions{Causal: true})
		}},
		"attention_padding": {padded, []*tensor.Tensor{q, numbers(111, 1, 2, 5, 3), numbers(112, 1, 2, 5, 6)}, func(p *nn.Pass, in []*ops.Node) *ops.Node {
			return padded.Run(p, in[0], in[1], in[2], nn.AttendOptions{Padding: in[0].Graph().Const(padding)})
		}},
		"encoder_layer": one(&nn.EncoderLayer{TransformerOptions: options}, q),
		"encoder_first": one(&nn.EncoderLayer{TransformerOptions: first}, q),
		"decoder_layer": {decoder, []*tensor.Tensor{q, k}, func(p *nn.Pass, in []*ops.Node) *ops.Node {
			return decoder.Run(p, in[0], in[1], nn.AttendOptions{}, nn.AttendOptions{})
		}},
		"transformer": {transformer, []*tensor.Tensor{k, q}, func(p *nn.Pass, in []*ops.Node) *ops.Node {
			return transformer.T.Run(p, in[0], in[1], nil)
		}},
	}
}

// Every layer has PyTorch's parameters by name, shape and order, and PyTorch's results and derivatives, all in one graph.
func TestLayersFollowPyTorch(t *testing.T) {
	type result struct {
		Params [][2]any
		Y      []float64
		Grad   float64
	}
	want := golden[result](t, "testdata/layers.json")
	onEngines(t, func(t *testing.T, rt *ops.Runtime) {
		if testing.Short() && rt.Device() != nil {
			t.Skip("compiles a kernel for every layer and every gradient")
		}
		all := layers()
		names := slices.Sorted(maps.Keys(all))
		require.Equal(t, slices.Sorted(maps.Keys(want)), names)
		g := ops.NewGraph("layers")
		feeds := ops.Feeds{}
		var target ops.Target
		for _, name := range names {
			c, w := all[name], want[name]
			m := nn.New(g, c.module, nn.Options{Weights: weights(t, "", w.Params, 0.5)})
			sameParams(t, m, w.Params)
			var in []*ops.Node
			for i, x := range c.inputs {
				in = append(in, g.Input(fmt.Sprint(name, i), x.DType(), x.Shape()...))
				feeds[in[i]] = x
			}
			p := m.Train()
			var y *ops.Node
			if c.run != nil {
				y = c.run(p, in)
			} else {
				y = p.Apply(in[0])
			}
			target.Outputs = append(target.Outputs, y)
			loss := ops.Sum(ops.Mul(y, g.Const(numbers(77, 1, y.Shape()...))))
			for i, d := range ops.Gradients(loss, m.Params()...) {
				target.Outputs = append(target.Outputs, ops.Sum(ops.Mul(d, g.Const(numbers(50+i, 1, d.Shape()...)))))
			}
		}
		exe, err := g.Compile(t.Context(), rt, target)
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		for _, name := range names {
			w := want[name]
			require.Equal(t, len(w.Y), out[0].Len(), name)
			for i, v := range w.Y {
				require.InDelta(t, v, out[0].Float64At(i), 1e-5*(1+math.Abs(v)), "%s, element %d", name, i)
			}
			grad := 0.0
			for i := range w.Params {
				grad += out[1+i].Float64At(0)
			}
			require.InDelta(t, w.Grad, grad, 1e-4*(1+math.Abs(w.Grad)), "derivatives of %s", name)
			out = out[1+len(w.Params):]
		}
	})
}
