package importer

import (
	"slices"

	"github.com/anycl/anycl/ops"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "RNN", since: 7, build: recurrent},
		{name: "GRU", since: 7, build: recurrent},
		{name: "LSTM", since: 7, build: recurrent},
	}
})

// layer is one direction of a recurrent operator.
type layer struct {
	op                string
	gates             int
	x                 *ops.Node // [T, N, I], turned round where it goes backward
	w, r              *ops.Node // [G·H, I], [G·H, H]
	wb, rb            *ops.Node // [G·H], or nil
	h, c              *ops.Node // [N, H], or nil
	peep              *ops.Node // [3·H], or nil
	lengths           *ops.Node // [N], or nil
	acts              []activation
	clip              float64
	hidden            int
	resetFirst, input bool // of a GRU; an LSTM whose input gate is tied to the forget gate
}

// defaults are the activations of each operator.
var defaults = map[string][]string{"RNN": {"tanh"}, "GRU": {"sigmoid", "tanh"}, "LSTM": {"sigmoid", "tanh", "tanh"}}

func recurrent(c *call) []*value {
	op := c.n.Op
	x, w, r, bias, lengths, h0 := c.x(0), c.x(1), c.x(2), c.opt(3), c.opt(4), c.opt(5)
	var c0, peep *ops.Node
	if op == "LSTM" {
		c0, peep = c.opt(6), c.opt(7)
	}
	if x.Rank() != 3 || w.Rank() != 3 || r.Rank() != 3 {
		c.fail("operands %v, %v and %v have not 3 axes", x.Shape(), w.Shape(), r.Shape())
	}
	batchFirst := c.flag("layout", false)
	if batchFirst {
		x = ops.Transpose(x, 1, 0, 2)
		if h0 != nil {
			h0 = ops.Transpose(h0, 1, 0, 2)
		}
		if c0 != nil {
			c0 = ops.Transpose(c0, 1, 0, 2)
		}
	}
	hidden := r.Dim(2)
	if n := c.int("hidden_size", hidden); n != hidden {
		c.fail("hidden_size is %d, and the weights say %d", n, hidden)
	}
	names := c.strList("activations")
	clip := c.float("clip", 0)
	first, tied := true, false
	if op == "GRU" {
		first = !c.flag("linear_before_reset", false)
	}
	if op == "LSTM" {
		tied = c.flag("input_forget", false)
	}
	dirs := c.directions()
	per := len(defaults[op])
	if names == nil {
		names = slices.Repeat(defaults[op], len(dirs))
	}
	acts := c.activations(names)
	if len(acts) != per*len(dirs) || w.Dim(0) != len(dirs) || r.Dim(0) != len(dirs) {
		c.fail("%d activations, and weights %v and %v, for %d directions", len(acts), w.Shape(), r.Shape(), len(dirs))
	}
	var ys, hs, cs []*ops.Node
	for i, back := range dirs {
		l := &layer{op: op, gates: len(gatesOf(op)), x: x, w: ops.Select(w, 0, i), r: ops.Select(r, 0, i), lengths: lengths,
			clip: clip, hidden: hidden, resetFirst: first, input: tied, acts: acts[i*per : (i+1)*per]}
		l.take(i, bias, h0, c0, peep)
		if back {
			l.x = reversed(x, lengths)
		}
		y, h, cell := l.build(c)
		if back {
			y = reversed(y, lengths)
		}
		ys, hs, cs = append(ys, y), append(hs, h), append(cs, cell)
	}
	y, h := ops.Stack(1, ys...), ops.Stack(0, hs...)
	var cell *ops.Node
	if op == "LSTM" {
		cell = ops.Stack(0, cs...)
	}
	if batchFirst {
		y, h = ops.Transpose(y, 2, 0, 1, 3), ops.Transpose(h, 1, 0, 2)
		if cell != nil {
			cell = ops.Transpose(cell, 1, 0, 2)
		}
	}
	return out(y, h, cell)
}

// directions tells for each direction whether it goes backward.
func (c *call) directions() []bool {
	switch d := c.str("direction", "forward"); d {
	case "forward":
	case "reverse":
		return []bool{true}
	case "bidirectional":
		return []bool{false, true}
	default:
		c.refuse("direction %q is not known", d)
	}
	return []bool{false}
}

// take gives l what direction i has of operands that may be left out.
func (l *layer) take(i int, bias, h0, c0, peep *ops.Node) {
	if bias != nil {
		b := ops.Select(bias, 0, i)
		n := b.Dim(0) / 2
		l.wb, l.rb = ops.Narrow(b, 0, 0, n), ops.Narrow(b, 0, n, n)
	}
	if h0 != nil {
		l.h = ops.Select(h0, 0, i)
	}
	if c0 != nil {
		l.c = ops.Select(c0, 0, i)
	}
	if peep != nil {
		l.peep = ops.Select(peep, 0, i)
	}
}

// build runs a layer: y is [T, N, H], h and cell are [N, H].
func (l *layer) build(c *call) (y, h, cell *ops.Node) {
	if l.clip != 0 || l.peep != nil || l.input || !l.plain() {
		return l.scan(c)
	}
	// The gates in the order of package ops.
	sorted := func(m *ops.Node) *ops.Node {
		if m == nil || l.gates == 1 {
			return m
		}
		parts := ops.Split(m, 0, l.gates)
		in := make([]*ops.Node, len(parts))
		for i, at := range gatesOf(l.op) {
			in[i] = parts[at]
		}
		return ops.Concat(0, in...)
	}
	weights := []ops.RecurrentWeights{{Input: sorted(l.w), Hidden: sorted(l.r), InputBias: sorted(l.wb), HiddenBias: sorted(l.rb)}}
	o := &ops.RecurrentOptions{ReLU: l.acts[0].name == "relu", ResetFirst: l.resetFirst, Lengths: l.lengths}
	lead := func(s *ops.Node) *ops.Node {
		if s == nil {
			return nil
		}
		return ops.Unsqueeze(s, 0)
	}
	switch l.op {
	case "RNN":
		y, h = ops.RNN(l.x, lead(l.h), weights, o)
	case "GRU":
		y, h = ops.GRU(l.x, lead(l.h), weights, o)
	default:
		y, h, cell = ops.LSTM(l.x, lead(l.h), lead(l.c), weights, o)
		cell = ops.Squeeze(cell, 0)
	}
	return y, ops.Squeeze(h, 0), cell
}

// plain reports whether package ops computes these activations: the defaults of the operator, or ReLU in an RNN.
func (l *layer) plain() bool {
	if l.op == "RNN" && l.acts[0].name == "relu" {
		return true
	}
	return slices.EqualFunc(l.acts, defaults[l.op], func(a activation, name string) bool { return a.name == name })
}

// gatesOf gives, for each gate of package ops, its index among the gates of ONNX.
func gatesOf(op string) []int {
	switch op {
	case "GRU": // reset, update, new of update, reset, hidden
		return []int{1, 0, 2}
	case "LSTM": // input, forget, cell, output of input, output, forget, cell
		return []int{0, 2, 3, 1}
	}
	return []int{0}
}
