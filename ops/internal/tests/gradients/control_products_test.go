package gradients_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// recurrentCases are layers, and what they stand for written out step by step: their derivatives have products before and
// behind the loop that goes back.
func recurrentCases() (all []gradCase) {
	const steps, batch, in, hidden = 4, 2, 3, 2
	score := func(y, last *Node) *Node { return Add(Sum(Sin(y)), Sum(Mul(last, last))) }
	add := func(name string, gates, recurrent int, loop func(x, h0 *Node, w RecurrentWeights) (y, last *Node), step func(x, h, c *Node, w RecurrentWeights) (nextH, nextC *Node)) {
		shapes := [][]int{{steps, batch, in}, {1, batch, recurrent}, {gates * hidden, in}, {gates * hidden, recurrent}, {gates * hidden}, {gates * hidden}}
		if recurrent != hidden {
			shapes = append(shapes, []int{recurrent, hidden})
		}
		weights := func(in []*Node) RecurrentWeights {
			w := RecurrentWeights{Input: in[2], Hidden: in[3], InputBias: in[4], HiddenBias: in[5]}
			if len(in) > 6 {
				w.Projection = in[6]
			}
			return w
		}
		all = append(all, gradCase{name, shapes, -1, 1, func(_ *Graph, in []*Node) *Node {
			return score(loop(in[0], in[1], weights(in)))
		}, func(g *Graph, in []*Node) *Node {
			h, c := Reshape(in[1], batch, recurrent), g.Full(tensor.Float64, 0, batch, hidden)
			var states []*Node
			for t := range steps {
				h, c = step(Reshape(Slice(in[0], Range{Axis: 0, Start: t, Stop: t + 1}), batch, in[0].Shape()[2]), h, c, weights(in))
				states = append(states, ExpandDims(h, 0))
			}
			return score(Concat(0, states...), h)
		}})
	}
	linear := func(x, w, b *Node) *Node { return Add(MatMul(x, Transpose(w, 1, 0)), b) }
	gate := func(z *Node, k int) *Node { return Slice(z, Range{Axis: 1, Start: k * hidden, Stop: (k + 1) * hidden}) }
	lstm := func(x, h, c *Node, w RecurrentWeights) (nextH, nextC *Node) {
		z := Add(linear(x, w.Input, w.InputBias), linear(h, w.Hidden, w.HiddenBias))
		c = Add(Mul(Sigmoid(gate(z, 1)), c), Mul(Sigmoid(gate(z, 0)), Tanh(gate(z, 2))))
		h = Mul(Sigmoid(gate(z, 3)), Tanh(c))
		if w.Projection != nil {
			h = MatMul(h, Transpose(w.Projection, 1, 0))
		}
		return h, c
	}
	viaLSTM := func(x, h0 *Node, w RecurrentWeights) (y, last *Node) {
		y, last, _ = LSTM(x, h0, nil, []RecurrentWeights{w}, nil)
		return y, last
	}
	add("an LSTM", 4, hidden, viaLSTM, lstm)
	add("an LSTM with a projection", 4, 3, viaLSTM, lstm)
	for _, first := range []bool{false, true} {
		add(map[bool]string{false: "a GRU", true: "a GRU that resets first"}[first], 3, hidden, func(x, h0 *Node, w RecurrentWeights) (y, last *Node) {
			return GRU(x, h0, []RecurrentWeights{w}, &RecurrentOptions{ResetFirst: first})
		}, func(x, h, c *Node, w RecurrentWeights) (nextH, nextC *Node) {
			zx, zh := linear(x, w.Input, w.InputBias), linear(h, w.Hidden, w.HiddenBias)
			r, z := Sigmoid(Add(gate(zx, 0), gate(zh, 0))), Sigmoid(Add(gate(zx, 1), gate(zh, 1)))
			n := Mul(r, gate(zh, 2))
			if first {
				n = gate(linear(Mul(r, h), w.Hidden, w.HiddenBias), 2)
			}
			n = Tanh(Add(gate(zx, 2), n))
			return Add(Mul(Sub(ScalarLike(z, 1), z), n), Mul(z, h)), c
		})
	}
	add("an RNN", 1, hidden, func(x, h0 *Node, w RecurrentWeights) (y, last *Node) {
		return RNN(x, h0, []RecurrentWeights{w}, nil)
	}, func(x, h, c *Node, w RecurrentWeights) (nextH, nextC *Node) {
		return Tanh(Add(linear(x, w.Input, w.InputBias), linear(h, w.Hidden, w.HiddenBias))), c
	})
	return all
}

// An iteration that goes back has one product, of the derivative with the weights: that of the states with the weights, and
// the derivative of the weights, are products of all iterations together.
func TestLoopsThatGoBackMultiplyOnceAnIteration(t *testing.T) {
	const steps, batch, size = 7, 8, 16
	for _, c := range []struct {
		name  string
		gates int
		layer func(x *Node, w RecurrentWeights) *Node
	}{
		{"lstm", 4, func(x *Node, w RecurrentWeights) *Node {
			_, h, _ := LSTM(x, nil, nil, []RecurrentWeights{w}, nil)
			return h
		}},
		{"gru", 3, func(x *Node, w RecurrentWeights) *Node {
			_, h := GRU(x, nil, []RecurrentWeights{w}, nil)
			return h
		}},
		{"rnn", 1, func(x *Node, w RecurrentWeights) *Node {
			_, h := RNN(x, nil, []RecurrentWeights{w}, nil)
			return h
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGraph(c.name)
			input := func(name string, shape ...int) *Node { return g.Input(name, tensor.Float32, shape...) }
			x := input("x", steps, batch, size)
			w := RecurrentWeights{
				Input: input("wx", c.gates*size, size), Hidden: input("wh", c.gates*size, size),
				InputBias: input("bx", c.gates*size), HiddenBias: input("bh", c.gates*size),
			}
			outs := Gradients(Sum(c.layer(x, w)), w.Input, w.Hidden, w.InputBias, w.HiddenBias)
			exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: outs})
			require.NoError(t, err)
			defer exe.Close()
			r := exe.Report()
			require.Len(t, r.Regions, 2)
			inside := func(i int) (n int) {
				for _, task := range r.Tasks[r.Regions[i].First:r.Regions[i].Last] {
					if strings.Contains(task.Kind, "contract") {
						n++
					}
				}
				return n
			}
			require.Equal(t, 1, inside(0), "forward\n%s", exe.Explain())
			require.Equal(t, 1, inside(1), "back\n%s", exe.Explain())
		})
	}
}
