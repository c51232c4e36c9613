package nn

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
)

// RNN is layers of a recurrent network, LSTM and GRU are layers of long short-term memory and of gated recurrent units; all have the same
// fields:
//
//	&nn.LSTM{In: 28, Hidden: 128, Layers: 2, BatchFirst: true}
//
// Parameters of layer k are, as in PyTorch, weight_ih_lk, weight_hh_lk, bias_ih_lk and bias_hh_lk, and weight_hr_lk with a projection,
// those of the backward direction with _reverse behind; all are drawn from ±1/√Hidden. See [ops.RNN], [ops.LSTM] and [ops.GRU] for the
// formulas.
type RNN struct {
	In, Hidden    int
	Layers        int     // 0: 1
	Bidirectional bool    // layers go over the sequence in both directions
	BatchFirst    bool    // x and y are [N, T, ...] and not [T, N, ...]
	NoBias        bool    // neither bias_ih nor bias_hh
	ReLU          bool    // of an RNN: in place of tanh
	Projection    int     // of an LSTM: the size to which its state is projected; 0: it is not
	Dropout       float64 // in training, between layers

	Weights []ops.RecurrentWeights // made by New: of each layer, forward and backward
}

// LSTM is layers of long short-term memory, with the fields of [RNN].
type LSTM RNN

// GRU is layers of gated recurrent units, with the fields of [RNN].
type GRU RNN

// Build declares the weights.
func (l *RNN) Build(s *Scope) {
	if l.Projection != 0 {
		s.Fail("only an LSTM has a projection")
		return
	}
	l.build(s, 1)
}

// Build declares the weights.
func (l *LSTM) Build(s *Scope) { (*RNN)(l).build(s, 4) }

// Build declares the weights.
func (l *GRU) Build(s *Scope) {
	if l.Projection != 0 {
		s.Fail("only an LSTM has a projection")
		return
	}
	(*RNN)(l).build(s, 3)
}

func (l *RNN) build(s *Scope, gates int) {
	l.Weights = nil
	bound := 1 / math.Sqrt(float64(max(l.Hidden, 1)))
	init := Uniform(-bound, bound)
	in, out, directions := l.In, l.Hidden, []string{""}
	if l.Projection > 0 {
		out = l.Projection
	}
	if l.Bidirectional {
		directions = append(directions, "_reverse")
	}
	for layer := range max(l.Layers, 1) {
		for _, d := range directions {
			name := func(what string) string { return fmt.Sprint(what, "_l", layer, d) }
			w := ops.RecurrentWeights{
				Input:  s.Param(name("weight_ih"), init, gates*l.Hidden, in),
				Hidden: s.Param(name("weight_hh"), init, gates*l.Hidden, out),
			}
			if !l.NoBias {
				w.InputBias = s.Param(name("bias_ih"), init, gates*l.Hidden)
				w.HiddenBias = s.Param(name("bias_hh"), init, gates*l.Hidden)
			}
			if l.Projection > 0 {
				w.Projection = s.Param(name("weight_hr"), init, l.Projection, l.Hidden)
			}
			l.Weights = append(l.Weights, w)
		}
		in = out * len(directions)
	}
}

// Apply is the states of the last layer at every step of the sequences x.
func (l *RNN) Apply(p *Pass, x *ops.Node) *ops.Node {
	y, _ := l.Run(p, x, nil, nil)
	return y
}

// Apply is the states of the last layer at every step of the sequences x.
func (l *LSTM) Apply(p *Pass, x *ops.Node) *ops.Node {
	y, _, _ := l.Run(p, x, nil, nil, nil)
	return y
}

// Apply is the states of the last layer at every step of the sequences x.
func (l *GRU) Apply(p *Pass, x *ops.Node) *ops.Node {
	y, _ := l.Run(p, x, nil, nil)
	return y
}

// Run begins in the state h0, [layers·directions, N, Hidden] or nil for zeros, and returns the last one too. lengths are those of
// the sequences, [N] integers, or nil.
func (l *RNN) Run(p *Pass, x, h0, lengths *ops.Node) (y, h *ops.Node) {
	if len(l.Weights) == 0 {
		bad := p.fail("rnn", errNotBuilt, x)
		return bad, bad
	}
	y, h = ops.RNN(p.Compute(x), p.Compute(h0), l.cast(p), l.options(p, lengths))
	return p.did(l, y), h
}

// Run begins in the state h0 and the cell c0, each [layers·directions, N, ...] or nil for zeros, and returns the last ones too. lengths
// are those of the sequences, [N] integers, or nil.
func (l *LSTM) Run(p *Pass, x, h0, c0, lengths *ops.Node) (y, h, c *ops.Node) {
	if len(l.Weights) == 0 {
		bad := p.fail("lstm", errNotBuilt, x)
		return bad, bad, bad
	}
	r := (*RNN)(l)
	y, h, c = ops.LSTM(p.Compute(x), p.Compute(h0), p.Compute(c0), r.cast(p), r.options(p, lengths))
	return p.did(l, y), h, c
}

// Run begins in the state h0, [layers·directions, N, Hidden] or nil for zeros, and returns the last one too. lengths are those of
// the sequences, [N] integers, or nil.
func (l *GRU) Run(p *Pass, x, h0, lengths *ops.Node) (y, h *ops.Node) {
	if len(l.Weights) == 0 {
		bad := p.fail("gru", errNotBuilt, x)
		return bad, bad
	}
	r := (*RNN)(l)
	y, h = ops.GRU(p.Compute(x), p.Compute(h0), r.cast(p), r.options(p, lengths))
	return p.did(l, y), h
}

func (l *RNN) options(p *Pass, lengths *ops.Node) *ops.RecurrentOptions {
	o := &ops.RecurrentOptions{Bidirectional: l.Bidirectional, BatchFirst: l.BatchFirst, ReLU: l.ReLU, Lengths: lengths}
	if p.training {
		o.Dropout = l.Dropout
	}
	return o
}

func (l *RNN) cast(p *Pass) []ops.RecurrentWeights {
	var all []ops.RecurrentWeights
	for _, w := range l.Weights {
		all = append(all, ops.RecurrentWeights{
			Input: p.Compute(w.Input), Hidden: p.Compute(w.Hidden), InputBias: p.Compute(w.InputBias), HiddenBias: p.Compute(w.HiddenBias),
			Projection: p.Compute(w.Projection),
		})
	}
	return all
}
