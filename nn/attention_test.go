package nn_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Decoding step by step with a cache gives the results of one pass over the whole sequence.
func TestDecodingWithACacheGivesWhatOnePassGives(t *testing.T) {
	for _, o := range []nn.AttendOptions{{Causal: true}, {Causal: true, Window: 3}} {
		onEngines(t, func(t *testing.T, rt *ops.Runtime) {
			g := ops.NewGraph("decode")
			encoder := &nn.Encoder{TransformerOptions: nn.TransformerOptions{Embed: 8, Heads: 4, KeyHeads: 2, NormFirst: true, Rotary: &nn.Rotary{}}, Layers: 2}
			m := nn.New(g, encoder, nn.Options{Seed: 2})
			whole := g.Input("whole", tensor.Float32, 2, 6, 8)
			x := numbers(9, 1, 2, 6, 8)
			want := run(t, rt, ops.Feeds{whole: x}, ops.Target{Outputs: []*ops.Node{encoder.Run(m.Eval(), whole, o, nil)}})[0]

			part, position := g.Input("part", tensor.Float32, 2, 2, 8), g.Input("position", tensor.Int32)
			p := m.Eval()
			caches := encoder.NewCaches(p, "cache", 2, 8, position)
			y := encoder.Run(p, part, o, caches)
			step, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}, Updates: p.Updates()})
			require.NoError(t, err)
			for range 2 { // the second time over the cache that the first has left
				for at := 0; at < 6; at += 2 {
					out, err := step.Run(t.Context(), ops.Feeds{part: tensor.Must(x.Slice(1, at, at+2, 1)), position: tensor.Scalar(int32(at))})
					require.NoError(t, err)
					require.InDeltaSlice(t, floats(tensor.Must(want.Slice(1, at, at+2, 1))), floats(out[0]), 1e-5, "position %d", at)
				}
			}
		})
	}
}

// Attention that drops weights is attention when next to none are dropped, whatever its queries see.
func TestAttentionThatDropsWeightsIsAttention(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("dropping")
	a := &nn.MultiheadAttention{Embed: 8, Heads: 4, KeyHeads: 2, Dropout: 1e-9}
	m := nn.New(g, a, nn.Options{Seed: 4})
	q, k := g.Input("q", tensor.Float32, 2, 3, 8), g.Input("k", tensor.Float32, 2, 5, 8)
	padding := g.Const(tensor.Must(tensor.FromSlice([]bool{false, false, false, false, true, true, false, false, false, false}, 2, 5)))
	var target ops.Target
	options := []nn.AttendOptions{{}, {Causal: true}, {Causal: true, Window: 2}, {Window: 3}, {Padding: padding}, {Mask: g.Const(numbers(8, 1, 3, 5)), Padding: padding}}
	for _, o := range options {
		target.Outputs = append(target.Outputs, a.Run(m.Train(), q, k, k, o), a.Run(m.Eval(), q, k, k, o))
	}
	out := run(t, rt, ops.Feeds{q: numbers(1, 2, 2, 3, 8), k: numbers(2, 2, 2, 5, 8)}, target)
	for i := range options {
		require.InDeltaSlice(t, floats(out[2*i]), floats(out[2*i+1]), 1e-5, fmt.Sprint("options ", i))
		for j := range i {
			require.NotEqual(t, floats(out[2*j]), floats(out[2*i]), "options %d and %d see the same", j, i)
		}
	}
}

// Without dropout, training and inference are the same attention, whose gradients agree, though they project in other ways where
// positions turn queries and keys.
func TestTurnedAttentionTrainsWhatItInfers(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("turned")
	a := &nn.MultiheadAttention{Embed: 8, Heads: 4, KeyHeads: 2, Rotary: &nn.Rotary{}}
	m := nn.New(g, a, nn.Options{Seed: 4})
	x := g.Input("x", tensor.Float32, 2, 3, 8)
	var target ops.Target
	for _, p := range []*nn.Pass{m.Train(), m.Eval()} {
		y := a.Run(p, x, x, x, nn.AttendOptions{Causal: true})
		target.Outputs = append(append(target.Outputs, y), ops.Gradients(ops.Sum(ops.Square(y)), append(m.Params(), x)...)...)
	}
	out := run(t, rt, ops.Feeds{x: numbers(1, 2, 2, 3, 8)}, target)
	for i := range len(out) / 2 {
		require.InDeltaSlice(t, floats(out[i]), floats(out[len(out)/2+i]), 1e-5, "result %d", i)
	}
}

func TestSinusoidalPositionsAreWaves(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("waves")
	l := &nn.Sinusoidal{Length: 10, Dim: 5}
	m := nn.New(g, l, nn.Options{})
	x := g.Input("x", tensor.Float32, 1, 2, 5)
	out := run(t, rt, ops.Feeds{x: tensor.Must(tensor.New(tensor.Float32, 1, 2, 5))}, ops.Target{Outputs: []*ops.Node{l.At(m.Eval(), x, g.Const(tensor.Scalar(int32(8))))}})
	var want []float64
	for _, at := range []float64{8, 9} {
		for i := range 5 {
			angle := at / math.Pow(10000, float64(i/2*2)/5)
			want = append(want, []float64{math.Sin(angle), math.Cos(angle)}[i%2])
		}
	}
	require.InDeltaSlice(t, want, floats(out[0]), 1e-6)
}

// The score of two turned vectors depends on how far apart they are alone.
func TestRotationsMakeScoresRelative(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("rotary")
	m := nn.New(g, nn.Identity, nn.Options{})
	x := g.Input("x", tensor.Float32, 2, 1, 6)
	var target ops.Target
	for _, o := range []*nn.Rotary{{}, {Interleaved: true, Base: 100}, {Features: 4}} {
		for _, at := range []int32{0, 7} {
			turned := func(i int, shift int32) *ops.Node {
				return o.At(m.Eval(), ops.Slice(x, ops.Between(0, i, i+1)), g.Const(tensor.Scalar(at+shift)))
			}
			target.Outputs = append(target.Outputs, ops.Sum(ops.Mul(turned(0, 0), turned(1, 3))))
		}
	}
	out := run(t, rt, ops.Feeds{x: numbers(6, 1, 2, 1, 6)}, target)
	for i := 0; i < len(out); i += 2 {
		require.InDelta(t, out[i].Float64At(0), out[i+1].Float64At(0), 1e-5)
	}
	require.NotEqual(t, out[0].Float64At(0), out[2].Float64At(0))
}
