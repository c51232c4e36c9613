package bench

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// layers builds networks in a program and counts their cost.
type layers struct {
	*Program
	flops, bytes float64 // of one forward run; weights, and each layer's input and output once
	angles       []Ref   // cosines and sines by which positions turn queries and keys, [tokens, features of a head/2]; empty: they do not
}

func newLayers() *layers { return &layers{Program: &Program{}} }

// images are the activations of a convolutional network.
type images struct {
	Ref
	n, c, h, w int
}

func (x images) size() float64 { return float64(x.n * x.c * x.h * x.w) }

// conv is a convolution with a bias, as batch normalisation leaves it when it is
// folded into the weights for inference.
func (l *layers) conv(x images, o, u, stride, groups int) images {
	c := convolution{"", x.n, x.c, x.h, x.w, o, u, stride, u / 2, groups}
	y := images{n: x.n, c: o}
	y.h, y.w = c.out()
	fan := x.c / groups * u * u
	y.Ref = l.With(c.attr(), "conv2d", x.Ref, l.Weight(fan, o, x.c/groups, u, u), l.bias(o))
	l.flops += c.flops()
	l.bytes += 4 * (x.size() + y.size() + float64(o*fan+o))
	return y
}

func (l *layers) bias(n int) Ref { return l.Leaf(Weight, tensor.Float32, Fill{Scale: 0.01}, n) }

func (x images) then(r Ref) images {
	x.Ref = r
	return x
}

func (l *layers) activate(op string, x images) images { return x.then(l.Do(op, x.Ref)) }

func (l *layers) maxPool(x images, size, stride, pad int) images {
	y := x.then(l.With(Attr{Size: size, Stride: stride, Pad: pad}, "max_pool2d", x.Ref))
	y.h, y.w = (x.h+2*pad-size)/stride+1, (x.w+2*pad-size)/stride+1
	return y
}

// dense is x·w + b over the last axis, for so many rows.
func (l *layers) dense(x Ref, rows, in, out int) Ref {
	l.flops += 2 * float64(rows*in*out)
	l.bytes += 4 * float64(rows*in+in*out+out+rows*out)
	return l.Do("add", l.Do("matmul", x, l.Weight(in, in, out)), l.bias(out))
}

// norm is a layer norm over d elements.
func (l *layers) norm(x Ref, d int) Ref {
	one := l.Leaf(Weight, tensor.Float32, Fill{Scale: 0.1, Shift: 1}, d)
	return l.With(Attr{Value: 1e-5}, "layer_norm", x, one, l.bias(d))
}

// resNet18 is the network of He et al., Deep residual learning for image
// recognition (2016), table 1, for n images of 224 x 224.
func resNet18(n int) *layers {
	l := newLayers()
	x := images{l.Input(n, 3, 224, 224), n, 3, 224, 224}
	x = l.maxPool(l.activate("relu", l.conv(x, 64, 7, 2, 1)), 3, 2, 1)
	for stage, channels := range []int{64, 128, 256, 512} {
		for block := range 2 {
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			y := l.conv(l.activate("relu", l.conv(x, channels, 3, stride, 1)), channels, 3, 1, 1)
			if stride == 2 {
				x = l.conv(x, channels, 1, 2, 1)
			}
			x = l.activate("relu", y.then(l.Do("add", y.Ref, x.Ref)))
		}
	}
	l.Return(l.dense(l.With(Attr{Axes: []int{2, 3}}, "mean", x.Ref), n, 512, 1000))
	return l
}

// mobileNetV2 is the network of Sandler et al., MobileNetV2: Inverted residuals and
// linear bottlenecks (2018), table 2, for n images of 224 x 224.
func mobileNetV2(n int) *layers {
	l := newLayers()
	x := images{l.Input(n, 3, 224, 224), n, 3, 224, 224}
	x = l.activate("relu6", l.conv(x, 32, 3, 2, 1))
	for _, s := range []struct{ expand, channels, repeat, stride int }{
		{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1},
	} {
		for i := range s.repeat {
			stride := 1
			if i == 0 {
				stride = s.stride
			}
			y := x
			if s.expand > 1 {
				y = l.activate("relu6", l.conv(y, x.c*s.expand, 1, 1, 1))
			}
			y = l.activate("relu6", l.conv(y, y.c, 3, stride, y.c))
			y = l.conv(y, s.channels, 1, 1, 1)
			if stride == 1 && x.c == y.c {
				y = y.then(l.Do("add", y.Ref, x.Ref))
			}
			x = y
		}
	}
	x = l.activate("relu6", l.conv(x, 1280, 1, 1, 1))
	l.Return(l.dense(l.With(Attr{Axes: []int{2, 3}}, "mean", x.Ref), n, 1280, 1000))
	return l
}

// mlp is 784-512-512-10, without the loss.
func (l *layers) mlp(batch int) Ref {
	x := l.Input(batch, 784)
	x = l.Do("relu", l.dense(x, batch, 784, 512))
	x = l.Do("relu", l.dense(x, batch, 512, 512))
	return l.dense(x, batch, 512, 10)
}

// cnn is two convolutions with ReLU and pooling and two dense layers, for images
// of 28 x 28.
func (l *layers) cnn(batch int) Ref {
	x := images{l.Input(batch, 1, 28, 28), batch, 1, 28, 28}
	for _, channels := range []int{32, 64} {
		x = l.maxPool(l.activate("relu", l.conv(x, channels, 3, 1, 1)), 2, 2, 0)
	}
	flat := l.With(Attr{Shape: []int{batch, 64 * 7 * 7}}, "reshape", x.Ref)
	return l.dense(l.Do("relu", l.dense(flat, batch, 64*7*7, 128)), batch, 128, 10)
}

// lstm is a layer of long short-term memory over sequences, and a dense layer of its last states.
func (l *layers) lstm(batch, steps, in, hidden int) Ref {
	weight := func(dims ...int) Ref {
		return l.Leaf(Weight, tensor.Float32, Fill{Scale: 0.6 / math.Sqrt(float64(hidden))}, dims...)
	}
	gates := 4 * hidden
	operands := []Ref{l.Input(batch, steps, in), weight(gates, in), weight(gates, hidden), weight(gates), weight(gates)}
	zeros := fmt.Sprintf("{0}.new_zeros(1, %d, %d)", batch, hidden)
	h := l.add(Node{
		Op: "call", In: operands,
		Attr: Attr{Torch: "torch.lstm({0}, (" + zeros + ", " + zeros + "), ({1}, {2}, {3}, {4}), True, 1, 0.0, True, False, True)[1][0]"},
		Ours: func(x []*ops.Node) *ops.Node {
			w := ops.RecurrentWeights{Input: x[1], Hidden: x[2], InputBias: x[3], HiddenBias: x[4]}
			_, h, _ := ops.LSTM(x[0], nil, nil, []ops.RecurrentWeights{w}, &ops.RecurrentOptions{BatchFirst: true})
			return ops.Squeeze(h, 0)
		},
	})
	l.flops += 2 * float64(batch*steps*gates*(in+hidden))
	l.bytes += 4 * float64(batch*steps*(in+hidden)+gates*(in+hidden+2))
	return l.dense(h, batch, hidden, 10)
}

// training makes the program a step of Adam on the cross-entropy of the logits,
// which costs three times the forward run.
func (l *layers) training(logits Ref, batch int) *layers {
	l.Return(l.Do("cross_entropy", logits, l.Leaf(Input, tensor.Int64, Fill{Below: 10}, batch)))
	l.Train = true
	l.flops, l.bytes = 3*l.flops, 3*l.bytes
	return l
}

// transformer describes a block.
type transformer struct {
	batch, tokens, width, heads, hidden int
	causal                              bool
}

// block is a transformer block that normalises first: attention and two dense
// layers, each with a residual. Source: Radford et al., Language models are
// unsupervised multitask learners (2019), section 2.3.
func (l *layers) block(t transformer, x Ref) Ref {
	rows, head := t.batch*t.tokens, t.width/t.heads
	h := l.dense(l.norm(x, t.width), rows, t.width, 3*t.width)
	var qkv [3]Ref
	for i := range qkv {
		part := l.With(Attr{Axis: 2, Start: i * t.width, Stop: (i + 1) * t.width}, "slice", h)
		part = l.With(Attr{Shape: []int{t.batch, t.tokens, t.heads, head}}, "reshape", part)
		qkv[i] = l.With(Attr{Axes: []int{0, 2, 1, 3}}, "transpose", part)
		if i < 2 && len(l.angles) > 0 {
			qkv[i] = l.Do("rotary", qkv[i], l.angles[0], l.angles[1])
		}
	}
	a := l.With(Attr{Causal: t.causal, Shape: []int{t.batch, t.heads, t.tokens, head}}, "attention", qkv[0], qkv[1], qkv[2])
	a = l.With(Attr{Axes: []int{0, 2, 1, 3}}, "transpose", a)
	a = l.With(Attr{Shape: []int{t.batch, t.tokens, t.width}}, "reshape", a)
	flops := 4 * float64(rows*t.tokens*t.width)
	if t.causal {
		flops /= 2
	}
	l.flops += flops
	x = l.Do("add", x, l.dense(a, rows, t.width, t.width))
	h = l.Do("gelu_tanh", l.dense(l.norm(x, t.width), rows, t.width, t.hidden))
	return l.Do("add", x, l.dense(h, rows, t.hidden, t.width))
}

// language is a model that scores which character of an alphabet comes next: causal blocks, whose positions turn queries and
// keys, over a vector for each character. It returns [batch x tokens, characters].
func (l *layers) language(t transformer, blocks, characters int) Ref {
	rows, pairs := t.batch*t.tokens, t.width/t.heads/2
	x := l.Leaf(Weight, tensor.Float32, Fill{}, characters, t.width)
	l.angles = []Ref{l.Operand(t.tokens, pairs), l.Operand(t.tokens, pairs)}
	x = l.Do("gather", x, l.Leaf(Input, tensor.Int64, Fill{Below: characters}, t.batch, t.tokens))
	for range blocks {
		x = l.block(t, x)
	}
	x = l.With(Attr{Shape: []int{rows, t.width}}, "reshape", l.norm(x, t.width))
	return l.dense(x, rows, t.width, characters)
}
