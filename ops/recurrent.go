package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// RecurrentWeights are the weights of one layer in one direction, in PyTorch's order of gates: input, forget, cell and output of an LSTM,
// reset, update and new of a GRU. G is how many there are, 1 of an RNN.
type RecurrentWeights struct {
	Input, Hidden         *Node // [G·H, I] and [G·H, R]
	InputBias, HiddenBias *Node // [G·H] each, or nil for zeros
	Projection            *Node // [R, H] of an LSTM whose state is projected from H to R numbers, or nil
}

// RecurrentOptions say more about [RNN], [LSTM] and [GRU]. The zero value and nil are right for most.
type RecurrentOptions struct {
	// Bidirectional layers go over the sequence in both directions; weights are then forward and backward of each layer in turn.
	Bidirectional bool
	// BatchFirst has x and y as [N, T, ...].
	BatchFirst bool
	// ReLU is the activation of an RNN in place of tanh.
	ReLU bool
	// ResetFirst resets the state of a GRU before it is multiplied, as ONNX does by default, not the product, as PyTorch and cuDNN do.
	ResetFirst bool
	// Dropout is the rate at which elements between layers are dropped, in training.
	Dropout float64
	// Lengths are the lengths of the sequences, [N] integers, or nil: all are T long. Elements behind are not read, and 0 in y.
	Lengths *Node
}

// RNN runs layers of a recurrent network over sequences x of T steps:
//
//	h[t] = tanh(Input · x[t] + InputBias + Hidden · h[t-1] + HiddenBias)
//
// x is [T, N, I], a float; weights are one for each layer, two with both directions; h0 is [layers·directions, N, H] or nil for zeros. y
// are the states of the last layer, [T, N, directions·H], and h the last states of all layers. The products with the inputs are one
// product for all steps; the rest is a [Scan], and so is the derivative. 16-bit floats are computed in float32. Errors: no weights;
// shapes; dtypes.
// Source: PyTorch, torch.nn.RNN; ONNX, operator RNN.
func RNN(x, h0 *Node, weights []RecurrentWeights, o *RecurrentOptions) (y, h *Node) {
	r := recurrent("rnn", x, h0, nil, weights, o)
	return r[0], r[1]
}

// LSTM runs layers of long short-term memory over sequences x of T steps:
//
//	i, f, g, o = σ, σ, tanh, σ of Input · x[t] + InputBias + Hidden · h[t-1] + HiddenBias
//	c[t] = f · c[t-1] + i · g
//	h[t] = Projection · (o · tanh(c[t]))
//
// h0 is [layers·directions, N, R] and c0 [layers·directions, N, H], each or nil for zeros; R is H without a projection. Otherwise as [RNN].
// Source: Hochreiter and Schmidhuber, Long Short-Term Memory (1997); PyTorch, torch.nn.LSTM; ONNX, operator LSTM.
func LSTM(x, h0, c0 *Node, weights []RecurrentWeights, o *RecurrentOptions) (y, h, c *Node) {
	r := recurrent("lstm", x, h0, c0, weights, o)
	return r[0], r[1], r[2]
}

// GRU runs layers of gated recurrent units over sequences x of T steps:
//
//	r, z = σ of Input · x[t] + InputBias + Hidden · h[t-1] + HiddenBias
//	n = tanh(Input · x[t] + InputBias + r · (Hidden · h[t-1] + HiddenBias))
//	h[t] = (1 - z) · n + z · h[t-1]
//
// or, with ResetFirst, n = tanh(Input · x[t] + InputBias + Hidden · (r · h[t-1]) + HiddenBias). Otherwise as [RNN].
// Source: Cho et al., Learning Phrase Representations (2014); PyTorch, torch.nn.GRU; ONNX, operator GRU.
func GRU(x, h0 *Node, weights []RecurrentWeights, o *RecurrentOptions) (y, h *Node) {
	r := recurrent("gru", x, h0, nil, weights, o)
	return r[0], r[1]
}

// recurrentAttr says which operands there are: x, then those that are named, then the weights.
type recurrentAttr struct {
	Bidirectional bool    `default:"false" doc:"layers go over the sequence in both directions"`
	BatchFirst    bool    `default:"false" doc:"x and y are [N, T, ...]"`
	Initial       bool    `default:"false" doc:"there is an operand h0"`
	Cell          bool    `default:"false" doc:"there is an operand c0"`
	Lengths       bool    `default:"false" doc:"there is an operand of lengths"`
	Bias          bool    `default:"false" doc:"weights have two biases each"`
	Projection    bool    `default:"false" doc:"weights have a projection each"`
	ReLU          bool    `attr:"relu" default:"false" doc:"the activation of an RNN is not tanh"`
	ResetFirst    bool    `default:"false" doc:"a GRU resets its state before the product"`
	Dropout       float64 `default:"0" doc:"rate between layers"`
}

func recurrent(name string, x, h0, c0 *Node, weights []RecurrentWeights, o *RecurrentOptions) []*Node {
	v := valueOf(o)
	a := recurrentAttr{
		Bidirectional: v.Bidirectional, BatchFirst: v.BatchFirst, ReLU: v.ReLU, ResetFirst: v.ResetFirst, Dropout: v.Dropout,
		Initial: h0 != nil, Cell: c0 != nil, Lengths: v.Lengths != nil,
	}
	for _, w := range weights {
		a.Bias = a.Bias || w.InputBias != nil || w.HiddenBias != nil
		a.Projection = a.Projection || w.Projection != nil
	}
	in := given([]*Node{x}, h0, c0, v.Lengths)
	for _, w := range weights {
		in = append(in, w.Input, w.Hidden)
		if a.Bias {
			in = append(in, biasOr(w.InputBias, w.Input), biasOr(w.HiddenBias, w.Input))
		}
		if a.Projection {
			in = append(in, w.Projection)
		}
	}
	return ApplyAll(name, a, in...)
}

// biasOr is bias, or zeros for the rows of w.
func biasOr(bias, w *Node) *Node {
	if bias != nil || w == nil || w.bad || w.Rank() == 0 {
		return bias
	}
	return w.graph.Full(w.dtype, 0, w.shape[0])
}

// recurrentCall is a call with its operands told apart.
type recurrentCall struct {
	recurrentAttr
	x, h0, c0, lengths        *Node
	layers                    [][]RecurrentWeights // by direction
	steps, batch, state, cell int                  // T, N, R, H
}

// recurrentCall tells the operands of c apart and checks them, for a kind with the given number of gates.
func (c *Call) recurrentCall(gates int) (r recurrentCall, err error) {
	r.recurrentAttr = c.Attr.(recurrentAttr)
	rest := c.In
	next := func(wanted bool) *Node {
		if !wanted || len(rest) == 0 {
			return nil
		}
		n := rest[0]
		rest = rest[1:]
		return n
	}
	r.x, r.h0, r.c0, r.lengths = next(true), next(r.Initial), next(r.Cell), next(r.Lengths)
	each := 2 + 2*ir.Btoi(r.Bias) + ir.Btoi(r.Projection)
	directions := 1 + ir.Btoi(r.Bidirectional)
	switch {
	case r.x.Rank() != 3:
		return r, fmt.Errorf("x is %v, not [T N I]", r.x.shape)
	case len(rest) == 0 || len(rest)%(each*directions) != 0:
		return r, fmt.Errorf("%d weights, for layers of %d in %d directions", len(rest), each, directions)
	case r.Projection && gates != 4:
		return r, errors.New("only an LSTM has a projection")
	case !(r.Dropout >= 0 && r.Dropout < 1):
		return r, fmt.Errorf("the dropout is %v", r.Dropout)
	}
	r.steps, r.batch = r.x.shape[0], r.x.shape[1]
	if r.BatchFirst {
		r.steps, r.batch = r.batch, r.steps
	}
	for len(rest) > 0 {
		var layer []RecurrentWeights
		for range directions {
			layer = append(layer, RecurrentWeights{next(true), next(true), next(r.Bias), next(r.Bias), next(r.Projection)})
		}
		r.layers = append(r.layers, layer)
	}
	if w := r.layers[0][0]; w.Input.Rank() != 2 || w.Hidden.Rank() != 2 || w.Input.shape[0]%gates != 0 {
		return r, fmt.Errorf("weights of inputs %v and states %v, not [%d·H I] and [%d·H H]", w.Input.shape, w.Hidden.shape, gates, gates)
	}
	r.cell, r.state = r.layers[0][0].Input.shape[0]/gates, r.layers[0][0].Hidden.shape[1]
	fits := func(what string, n *Node, want ...int) {
		switch {
		case n == nil || err != nil:
		case n.dtype != r.x.dtype:
			err = fmt.Errorf("%s is %v, and x %v (cast with ops.Cast)", what, n.dtype, r.x.dtype)
		case !slices.Equal(n.shape, want):
			err = fmt.Errorf("%s is %v, not %v", what, n.shape, want)
		}
	}
	width := r.x.shape[2]
	for _, layer := range r.layers {
		for _, w := range layer {
			fits("a weight of inputs", w.Input, gates*r.cell, width)
			fits("a weight of states", w.Hidden, gates*r.cell, r.state)
			fits("a bias of inputs", w.InputBias, gates*r.cell)
			fits("a bias of states", w.HiddenBias, gates*r.cell)
			fits("a projection", w.Projection, r.state, r.cell)
		}
		width = directions * r.state
	}
	if !r.Projection && r.state != r.cell {
		err = cmpErr(err, fmt.Errorf("states have %d numbers, and gates are for %d", r.state, r.cell))
	}
	fits("h0", r.h0, len(r.layers)*directions, r.batch, r.state)
	fits("c0", r.c0, len(r.layers)*directions, r.batch, r.cell)
	if n := r.lengths; n != nil && err == nil && (!n.dtype.IsInt() || !slices.Equal(n.shape, []int{r.batch})) {
		err = fmt.Errorf("lengths are %v%v, not integers [%d]", n.dtype, n.shape, r.batch)
	}
	return r, err
}

// cmpErr is the first of two errors that is not nil, or nil.
func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// recurrentStep is one step of a kind: the next state, and cell where there is one, of the products with the inputs and the state before.
type recurrentStep func(r *recurrentCall, w RecurrentWeights, in, h, cell *Node) (nextH, nextCell *Node)

func defineRecurrent(name string, gates int, step recurrentStep) *Op {
	names := []string{"y", "h"}
	if gates == 4 {
		names = append(names, "c")
	}
	return define(Op{
		Name: name, Category: "recurrent", Attributes: AttributesOf[recurrentAttr](), DTypes: floats, ResultNames: names,
		Operands: []Operand{{Name: "x"}, {Name: "more", DTypes: slices.Concat(floats, ints), Repeated: true}},
		Results: func(c *Call) ([]Result, error) {
			r, err := c.recurrentCall(gates)
			if err != nil {
				return nil, err
			}
			directions, dt := 1+ir.Btoi(r.Bidirectional), c.dt(0)
			y := []int{r.steps, r.batch, directions * r.state}
			if r.BatchFirst {
				y[0], y[1] = y[1], y[0]
			}
			rows := len(r.layers) * directions
			out := []Result{{dt, y}, {dt, []int{rows, r.batch, r.state}}}
			if gates == 4 {
				out = append(out, Result{dt, []int{rows, r.batch, r.cell}})
			}
			return out, nil
		},
		ComposeAll: func(c *Call) []*Node {
			r, err := c.recurrentCall(gates)
			if err != nil {
				return slices.Repeat([]*Node{c.In[0].graph.fail(name, c.In, err)}, len(names))
			}
			return r.run(gates, step)[:len(names)]
		},
	})
}

// run computes all layers: y, the last states and the last cells.
func (r *recurrentCall) run(gates int, step recurrentStep) []*Node {
	dt, x := r.x.dtype, widen(r.x)
	if r.BatchFirst {
		x = Transpose(x, 1, 0, 2)
	}
	var lengths *Node
	if r.lengths != nil {
		lengths = ExpandDims(Cast(r.lengths, tensor.Int64), -1)
	}
	start := func(all *Node, row, width int) *Node {
		if all == nil {
			return zerosIn(x.graph, x.dtype, []int{r.batch, width})
		}
		return Squeeze(Slice(widen(all), Range{Axis: 0, Start: row, Stop: row + 1}), 0)
	}
	var hs, cs []*Node
	for l, layer := range r.layers {
		if l > 0 && r.Dropout > 0 {
			x = Dropout(x, r.Dropout)
		}
		var ys []*Node
		for d, w := range layer {
			for _, p := range []**Node{&w.Input, &w.Hidden, &w.InputBias, &w.HiddenBias, &w.Projection} {
				if *p != nil {
					*p = widen(*p)
				}
			}
			row := len(hs)
			in := MatMul(x, Transpose(w.Input)) // of all steps
			if w.InputBias != nil {
				in = Add(in, w.InputBias)
			}
			init := []*Node{start(r.h0, row, r.state)}
			if gates == 4 {
				init = append(init, start(r.c0, row, r.cell))
			}
			last, y := Scan(init, []*Node{in}, func(i *Node, s, x []*Node) (next, y []*Node) {
				var cell *Node
				if len(s) > 1 {
					cell = s[1]
				}
				h, cell := step(r, w, x[0], s[0], cell)
				out := h
				if lengths != nil {
					live := Less(i, lengths)
					out = Where(live, h, ScalarLike(h, 0))
					h = Where(live, h, s[0])
					if cell != nil {
						cell = Where(live, cell, s[1])
					}
				}
				return given([]*Node{h}, cell), []*Node{out}
			}, &ScanOptions{Reverse: d == 1})
			ys, hs = append(ys, y[0]), append(hs, last[0])
			if len(last) > 1 {
				cs = append(cs, last[1])
			}
		}
		x = ys[0]
		if len(ys) > 1 {
			x = Concat(2, ys...)
		}
	}
	if r.BatchFirst {
		x = Transpose(x, 1, 0, 2)
	}
	out := []*Node{Cast(x, dt), Cast(Stack(0, hs...), dt)}
	if gates == 4 {
		out = append(out, Cast(Stack(0, cs...), dt))
	}
	return out
}

// hidden is the product of the state with the weights, and the bias.
func (w RecurrentWeights) hidden(h *Node) *Node {
	y := MatMul(h, Transpose(w.Hidden))
	if w.HiddenBias != nil {
		y = Add(y, w.HiddenBias)
	}
	return y
}

// rows are the weights of states for some gates.
func (w RecurrentWeights) rows(from, to int) RecurrentWeights {
	cut := func(n *Node) *Node {
		if n == nil {
			return nil
		}
		return Slice(n, Range{Axis: 0, Start: from, Stop: to})
	}
	return RecurrentWeights{Hidden: cut(w.Hidden), HiddenBias: cut(w.HiddenBias)}
}

// gate is part i of the last axis of x, in parts of n.
func gate(x *Node, i, n int) *Node {
	return Slice(x, Range{Axis: -1, Start: i * n, Stop: (i + 1) * n})
}

var _ = defineRecurrent("rnn", 1, func(r *recurrentCall, w RecurrentWeights, in, h, _ *Node) (*Node, *Node) {
	s := Add(in, w.hidden(h))
	if r.ReLU {
		return ReLU(s), nil
	}
	return Tanh(s), nil
})

var _ = defineRecurrent("lstm", 4, func(r *recurrentCall, w RecurrentWeights, in, h, cell *Node) (*Node, *Node) {
	s, n := Add(in, w.hidden(h)), r.cell
	i, f, g, o := Sigmoid(gate(s, 0, n)), Sigmoid(gate(s, 1, n)), Tanh(gate(s, 2, n)), Sigmoid(gate(s, 3, n))
	cell = Add(Mul(f, cell), Mul(i, g))
	h = Mul(o, Tanh(cell))
	if w.Projection != nil {
		h = MatMul(h, Transpose(w.Projection))
	}
	return h, cell
})

var _ = defineRecurrent("gru", 3, func(r *recurrentCall, w RecurrentWeights, in, h, _ *Node) (*Node, *Node) {
	n := r.cell
	var new, z *Node
	if r.ResetFirst {
		gates := w.rows(0, 2*n).hidden(h)
		reset := Sigmoid(Add(gate(in, 0, n), gate(gates, 0, n)))
		z = Sigmoid(Add(gate(in, 1, n), gate(gates, 1, n)))
		new = Tanh(Add(gate(in, 2, n), w.rows(2*n, 3*n).hidden(Mul(reset, h))))
	} else {
		s := w.hidden(h)
		reset := Sigmoid(Add(gate(in, 0, n), gate(s, 0, n)))
		z = Sigmoid(Add(gate(in, 1, n), gate(s, 1, n)))
		new = Tanh(Add(gate(in, 2, n), Mul(reset, gate(s, 2, n))))
	}
	return Add(Mul(Sub(ScalarLike(z, 1), z), new), Mul(z, h)), nil
})
