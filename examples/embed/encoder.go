package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tokenizer"
)

const (
	rows   = 32  // sentences of a batch
	length = 48  // tokens of a sentence, and no more
	width  = 512 // elements of a vector
	heads  = 4
	eps    = 1e-6
)

// encoder is the network: ids of tokens, [rows, length], 0 after the end, and vectors of length 1, [rows, width].
func encoder(w *weights) (g *ops.Graph, ids, vectors *ops.Node) {
	g = ops.NewGraph("sentence_encoder")
	c := func(name string) *ops.Node { return g.Const(w.named(name)) }
	dense := func(x *ops.Node, kernel, bias string) *ops.Node { return ops.Add(ops.MatMul(x, c(kernel)), c(bias)) }

	ids = g.Input("ids", tensor.Int32, rows, length)
	there := ops.Greater(ids, 0)
	mask := ops.Reshape(ops.Cast(there, tensor.Float32), rows, length, 1)
	// A position is added as sines and cosines of different speeds, to twice the embedding: that of the residual is in it too.
	e := ops.Embedding(c("module/Embeddings_en"), ids)
	x := ops.Mul(ops.Add(ops.Mul(e, 2), g.Const(positions(w.named(stack+"Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1")))), mask)

	residual := ops.Mul(dense(x, part+"Layer_0/TransformerLayer/dense/kernel"+whole, part+"Layer_0/TransformerLayer/dense/bias"+whole), mask)
	for _, layer := range []string{"Layer_0/TransformerLayer/", "Layer_1/TransformerLayer/"} {
		norm := func(x *ops.Node, in string) *ops.Node {
			name := part + layer + in + "layer_prepostprocess/layer_norm/layer_norm_"
			return ops.LayerNorm(x, c(name+"scale"+whole), c(name+"bias"+whole), eps)
		}
		attention := layer + "MultiheadAttention/"
		qkv := dense(norm(x, ""), "module/"+kona+attention+"qkv_transform_single/kernel/part_0", part+attention+"qkv_transform_single/bias"+whole)
		each := ops.Split(qkv, 2, 3)
		for i, v := range each {
			each[i] = ops.Transpose(ops.Reshape(v, rows, length, heads, v.Shape()[2]/heads), 0, 2, 1, 3)
		}
		seen := ops.Attention(each[0], each[1], each[2], &ops.AttentionOptions{Mask: ops.Reshape(there, rows, 1, 1, length)})
		seen = ops.Transpose(seen, 0, 2, 1, 3)
		seen = ops.Reshape(seen, rows, length, seen.Shape()[2]*seen.Shape()[3])
		x = ops.Add(dense(seen, "module/"+kona+attention+"output_transform_single/kernel/part_0", part+attention+
			"output_transform_single/bias"+whole), residual)
		y := dense(norm(x, "FFN/"), stack+layer+"FFN/conv1/Tensordot/Reshape_1", part+layer+"FFN/conv1/bias"+whole)
		y = dense(ops.ReLU(y), stack+layer+"FFN/conv2/Tensordot/Reshape_1", part+layer+"FFN/conv2/bias"+whole)
		x = ops.Add(ops.Mul(y, mask), x)
		residual = x
	}
	mean := ops.Div(ops.Sum(ops.Mul(x, mask), 1), ops.Maximum(ops.Sum(mask, 1), 1))
	v := ops.Tanh(dense(mean, "module/Encoder_en/hidden_layers/tanh_layer_0/weights", "module/Encoder_en/hidden_layers/tanh_layer_0/bias"))
	return g, ids, ops.Normalize(v, 2, 1, 1e-6)
}

// positions are sin(t·s) and cos(t·s) for each position t and each speed s: [length, 2 × speeds].
func positions(speeds *tensor.Tensor) *tensor.Tensor {
	n := speeds.Len()
	t := tensor.Must(tensor.New(tensor.Float32, length, 2*n))
	for at := range length {
		for i, s := range speeds.All() {
			t.SetFloat64(at*2*n+i, math.Sin(float64(at)*s))
			t.SetFloat64(at*2*n+n+i, math.Cos(float64(at)*s))
		}
	}
	return t
}

// vectors are those of texts, a batch at a time.
func vectors(ctx context.Context, exe *ops.Executable, words *tokenizer.Tokenizer, ids *ops.Node, texts []string) ([][]float64, error) {
	var all [][]float64
	for from := 0; from < len(texts); from += rows {
		part := texts[from:min(from+rows, len(texts))]
		x, err := batch(words, part)
		if err != nil {
			return nil, err
		}
		y, err := one(exe.Run(ctx, ops.Feeds{ids: x}))
		if err != nil {
			return nil, err
		}
		for i := range part {
			v := make([]float64, width)
			for k := range v {
				v[k] = y.Float64At(i*width + k)
			}
			all = append(all, v)
		}
	}
	return all, nil
}

func one(outs []*tensor.Tensor, err error) (*tensor.Tensor, error) {
	if err != nil {
		return nil, err
	}
	return outs[0], nil
}
