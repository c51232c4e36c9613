package gradients_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// cost is the number of tasks of a graph, and the bytes that are live at once in a run of it.
type cost struct {
	tasks int
	live  int64
}

func costOf(t *testing.T, shapes [][]int, build func(in []*Node) []*Node) (c cost) {
	t.Helper()
	g := NewGraph(t.Name())
	var in []*Node
	for _, shape := range shapes {
		in = append(in, g.Input("", tensor.Float32, shape...))
	}
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: build(in)})
	require.NoError(t, err)
	defer exe.Close()
	r := exe.Report()
	c.tasks = len(r.Tasks)
	for _, m := range r.Memory {
		c.live += m.Live
	}
	return c
}

// What is left of the two reverse passes of JVP is the forward pass that is written by hand.
func TestTangentsCostWhatAPassByHandCosts(t *testing.T) {
	const layers = 6
	shapes := [][]int{{64, 16}, {64, 16}, {16, 16}, {16, 16}}
	hand := costOf(t, shapes, func(in []*Node) []*Node {
		x, dx, w, dw := in[0], in[1], in[2], in[3]
		for range layers {
			y := Tanh(MatMul(x, w))
			dx = Mul(Add(MatMul(dx, w), MatMul(x, dw)), Sub(1.0, Square(y)))
			x = y
		}
		return []*Node{x, dx}
	})
	network := func(in []*Node) *Node { return layered(in[0], slices.Repeat(in[2:3], layers)) }
	both := costOf(t, shapes, func(in []*Node) []*Node {
		y := network(in)
		return append([]*Node{y}, JVP([]*Node{y}, []*Node{in[0], in[2]}, []*Node{in[1], in[3]})...)
	})
	require.LessOrEqual(t, both.tasks, hand.tasks)
	require.LessOrEqual(t, both.live, hand.live, "nothing is kept for a reverse pass")
	forward := costOf(t, shapes, func(in []*Node) []*Node { return HVP(Sum(Square(network(in))), in[2:3], in[3:4]) })
	reverse := costOf(t, shapes, func(in []*Node) []*Node {
		d := Gradients(Sum(Square(network(in))), in[2])[0]
		return Gradients(Sum(Mul(d, in[3])), in[2])
	})
	require.LessOrEqual(t, forward.tasks, reverse.tasks)
	require.LessOrEqual(t, forward.live, reverse.live)
}

// The gradient of a chain of convolutions keeps the values between the checkpoints, and the values inside one.
func TestCheckpointsOfConvolutionsSaveMemory(t *testing.T) {
	network := func(wrap func(f func(in []*Node) []*Node, in ...*Node) []*Node) func(in []*Node) []*Node {
		return func(in []*Node) []*Node {
			h := in[0]
			for range 4 {
				h = wrap(func(x []*Node) []*Node {
					h := x[0]
					for range 4 {
						h = GELU(Conv2D(h, in[1], Conv2DOptions{Pad: [2]int{1, 1}}))
					}
					return []*Node{h}
				}, h)[0]
			}
			return Gradients(Sum(Square(h)), in[1])
		}
	}
	shapes := [][]int{{2, 4, 32, 32}, {4, 4, 3, 3}}
	plain := costOf(t, shapes, network(func(f func(in []*Node) []*Node, in ...*Node) []*Node { return f(in) }))
	saved := costOf(t, shapes, network(Checkpoint))
	t.Logf("plain %+v, with checkpoints %+v", plain, saved)
	require.Less(t, float64(saved.live), 0.65*float64(plain.live))
}
