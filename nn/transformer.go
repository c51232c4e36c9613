package nn

import (
	"fmt"

	"github.com/anycl/anycl/ops"
)

// TransformerOptions are the options that the layers of encoders and decoders share. Their parameters have PyTorch's names:
// self_attn, multihead_attn, linear1, linear2, norm1, norm2 and norm3.
type TransformerOptions struct {
	Embed, Heads int
	KeyHeads     int     // of keys and values; 0: Heads
	Hidden       int     // features between linear1 and linear2; 0: 4·Embed
	Dropout      float64 // in training; PyTorch's default is 0.1
	NormFirst    bool    // normalises the inputs of attention and linear layers, and not their results
	Activation   Module  // nil: ReLU
	RMS          bool    // normalises with RMSNorm and not with LayerNorm
	Eps          float64 // of the normalisation; 0: its default
	NoBias       bool    // of attention and of linear layers
	Rotary       *Rotary // turns queries and keys of self_attn by their positions
}

func (o TransformerOptions) attention(rotary *Rotary) *MultiheadAttention {
	return &MultiheadAttention{Embed: o.Embed, Heads: o.Heads, KeyHeads: o.KeyHeads, NoBias: o.NoBias, Dropout: o.Dropout, Rotary: rotary}
}

func (o TransformerOptions) norm() Module {
	if o.RMS {
		return &RMSNorm{Shape: []int{o.Embed}, Eps: o.Eps}
	}
	return &LayerNorm{Shape: []int{o.Embed}, Eps: o.Eps}
}

// feed is the two linear layers.
type feed struct{ one, two Linear }

func (f *feed) build(s *Scope, o TransformerOptions) {
	hidden := o.Hidden
	if hidden == 0 {
		hidden = 4 * o.Embed
	}
	f.one = Linear{In: o.Embed, Out: hidden, NoBias: o.NoBias}
	f.two = Linear{In: hidden, Out: o.Embed, NoBias: o.NoBias}
	s.Child("linear1", &f.one)
	s.Child("linear2", &f.two)
}

func (f *feed) apply(p *Pass, x *ops.Node, o TransformerOptions) *ops.Node {
	act := o.Activation
	if act == nil {
		act = ReLU
	}
	return f.two.Apply(p, p.dropout(act.Apply(p, f.one.Apply(p, x)), o.Dropout))
}

// around adds to x the result of a part for x, with a normalisation before or behind.
func (o TransformerOptions) around(p *Pass, norm Module, x *ops.Node, part func(x *ops.Node) *ops.Node) *ops.Node {
	if o.NormFirst {
		return ops.Add(x, p.dropout(part(norm.Apply(p, x)), o.Dropout))
	}
	return norm.Apply(p, ops.Add(x, p.dropout(part(x), o.Dropout)))
}

// EncoderLayer is attention of a sequence to itself, and two linear layers, each with a residual connection and a
// normalisation. With a causal mask it is a layer of a decoder without encoder, such as GPT.
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.1.
type EncoderLayer struct {
	TransformerOptions

	Attention    *MultiheadAttention // made by New
	feed         feed
	norm1, norm2 Module
}

// Build declares the parts.
func (l *EncoderLayer) Build(s *Scope) {
	l.Attention, l.norm1, l.norm2 = l.attention(l.Rotary), l.norm(), l.norm()
	s.Child("self_attn", l.Attention)
	l.feed.build(s, l.TransformerOptions)
	s.Child("norm1", l.norm1)
	s.Child("norm2", l.norm2)
}

// Apply is the layer of x, [N, L, Embed].
func (l *EncoderLayer) Apply(p *Pass, x *ops.Node) *ops.Node { return l.Run(p, x, AttendOptions{}) }

// Run is the layer of x, whose attention has the options o.
func (l *EncoderLayer) Run(p *Pass, x *ops.Node, o AttendOptions) *ops.Node {
	if l.Attention == nil {
		return p.fail("encoder_layer", errNotBuilt, x)
	}
	x = p.Compute(x)
	x = l.around(p, l.norm1, x, func(x *ops.Node) *ops.Node { return l.Attention.Run(p, x, x, x, o) })
	return l.around(p, l.norm2, x, func(x *ops.Node) *ops.Node { return l.feed.apply(p, x, l.TransformerOptions) })
}

// DecoderLayer is attention of a sequence to itself, attention to the result of an encoder, and two linear layers.
// Source: as [EncoderLayer].
type DecoderLayer struct {
	TransformerOptions

	Self, Cross         *MultiheadAttention // made by New
	feed                feed
	norm1, norm2, norm3 Module
}

// Build declares the parts.
func (l *DecoderLayer) Build(s *Scope) {
	l.Self, l.Cross = l.attention(l.Rotary), l.attention(nil)
	l.norm1, l.norm2, l.norm3 = l.norm(), l.norm(), l.norm()
	s.Child("self_attn", l.Self)
	s.Child("multihead_attn", l.Cross)
	l.feed.build(s, l.TransformerOptions)
	s.Child("norm1", l.norm1)
	s.Child("norm2", l.norm2)
	s.Child("norm3", l.norm3)
}

// Run is the layer of x, [N, L, Embed], and of the encoder's result, [N, S, Embed]. self has the options of attention to x,
// cross the options of attention to the memory.
func (l *DecoderLayer) Run(p *Pass, x, memory *ops.Node, self, cross AttendOptions) *ops.Node {
	if l.Self == nil {
		return p.fail("decoder_layer", errNotBuilt, x, memory)
	}
	x = p.Compute(x)
	x = l.around(p, l.norm1, x, func(x *ops.Node) *ops.Node { return l.Self.Run(p, x, x, x, self) })
	x = l.around(p, l.norm2, x, func(x *ops.Node) *ops.Node { return l.Cross.Run(p, x, memory, memory, cross) })
	return l.around(p, l.norm3, x, func(x *ops.Node) *ops.Node { return l.feed.apply(p, x, l.TransformerOptions) })
}

// Encoder is a stack of Layers layers, "layers.0" and so on, with a normalisation behind where Norm says so, "norm".
type Encoder struct {
	TransformerOptions
	Layers int
	Norm   bool

	Stack []*EncoderLayer // made by New
	last  Module
}

// Build declares the layers.
func (e *Encoder) Build(s *Scope) {
	e.Stack, e.last = stack(s, e.Layers, e.Norm, e.TransformerOptions, func() *EncoderLayer {
		return &EncoderLayer{TransformerOptions: e.TransformerOptions}
	})
}

// stack makes and declares layers, and where norm says so a normalisation behind them.
func stack[L any](s *Scope, layers int, norm bool, o TransformerOptions, layer func() L) (all []L, last Module) {
	if layers < 1 {
		s.Fail("a stack of %d layers", layers)
	}
	for i := range layers {
		all = append(all, layer())
		s.Child(fmt.Sprint("layers.", i), all[i])
	}
	if norm {
		last = o.norm()
		s.Child("norm", last)
	}
	return all, last
}

// Apply is the stack of x, [N, L, Embed].
func (e *Encoder) Apply(p *Pass, x *ops.Node) *ops.Node { return e.Run(p, x, AttendOptions{}, nil) }

// Run is the stack of x, whose attention has the options o. caches are those of [Encoder.NewCaches], or nil.
func (e *Encoder) Run(p *Pass, x *ops.Node, o AttendOptions, caches []*Cache) *ops.Node {
	if len(e.Stack) == 0 {
		return p.fail("encoder", errNotBuilt, x)
	}
	if caches != nil && len(caches) != len(e.Stack) {
		return p.fail("encoder", fmt.Errorf("%d caches for %d layers", len(caches), len(e.Stack)), x)
	}
	for i, l := range e.Stack {
		if caches != nil {
			o.Cache = caches[i]
		}
		x = l.Run(p, x, o)
	}
	if e.last != nil {
		x = e.last.Apply(p, x)
	}
	return x
}

// NewCaches makes a cache for every layer: see [MultiheadAttention.NewCache].
func (e *Encoder) NewCaches(p *Pass, name string, n, length int, position *ops.Node) []*Cache {
	var caches []*Cache
	for i, l := range e.Stack {
		caches = append(caches, l.Attention.NewCache(p, fmt.Sprint(name, ".", i), n, length, position))
	}
	return caches
}

// Decoder is a stack of Layers layers that see the result of an encoder, with a normalisation behind where Norm says so.
type Decoder struct {
	TransformerOptions
	Layers int
	Norm   bool

	Stack []*DecoderLayer // made by New
	last  Module
}

// Build declares the layers.
func (d *Decoder) Build(s *Scope) {
	d.Stack, d.last = stack(s, d.Layers, d.Norm, d.TransformerOptions, func() *DecoderLayer {
		return &DecoderLayer{TransformerOptions: d.TransformerOptions}
	})
}

// Run is the stack of x, [N, L, Embed], and of the encoder's result: see [DecoderLayer.Run]. caches are of self-attention, one for each
// layer, or nil.
func (d *Decoder) Run(p *Pass, x, memory *ops.Node, self, cross AttendOptions, caches []*Cache) *ops.Node {
	if len(d.Stack) == 0 {
		return p.fail("decoder", errNotBuilt, x, memory)
	}
	if caches != nil && len(caches) != len(d.Stack) {
		return p.fail("decoder", fmt.Errorf("%d caches for %d layers", len(caches), len(d.Stack)), x)
	}
	for i, l := range d.Stack {
		if caches != nil {
			self.Cache = caches[i]
		}
		x = l.Run(p, x, memory, self, cross)
	}
	if d.last != nil {
		x = d.last.Apply(p, x)
	}
	return x
}

// Transformer is an encoder and a decoder, each with a normalisation behind, as PyTorch's. Decoding is causal. Weights of two axes
// begin as Xavier's of the parts, not as PyTorch's Transformer, which draws all of them anew.
type Transformer struct {
	TransformerOptions
	EncoderLayers, DecoderLayers int

	Encoder *Encoder // made by New
	Decoder *Decoder
}

// Build declares encoder and decoder.
func (t *Transformer) Build(s *Scope) {
	t.Encoder = &Encoder{TransformerOptions: t.TransformerOptions, Layers: t.EncoderLayers, Norm: true}
	t.Decoder = &Decoder{TransformerOptions: t.TransformerOptions, Layers: t.DecoderLayers, Norm: true}
	s.Child("encoder", t.Encoder)
	s.Child("decoder", t.Decoder)
}

// Run decodes target, [N, L, Embed], with the encoder's result for source, [N, S, Embed]. padding is [N, S], a bool that is
// true where source is padding, or nil.
func (t *Transformer) Run(p *Pass, source, target, padding *ops.Node) *ops.Node {
	if t.Encoder == nil {
		return p.fail("transformer", errNotBuilt, source, target)
	}
	o := AttendOptions{Padding: padding}
	memory := t.Encoder.Run(p, p.Compute(source), o, nil)
	return p.Full(t.Decoder.Run(p, p.Compute(target), memory, AttendOptions{Causal: true}, o, nil))
}
