package numerics_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// written is how many elements the tasks of a graph write.
func written(t *testing.T, g *Graph, outs ...*Node) (elements int64) {
	t.Helper()
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: outs})
	require.NoError(t, err)
	for _, u := range inside.Executor(exe).Program().Instructions {
		for _, o := range u.Task.Outs {
			elements += o.Len
		}
	}
	return elements
}

// What joins and divides n tensors, and its derivatives, writes a number of elements that grows with n and not with its square.
func TestJoiningManyTakesTimeInProportion(t *testing.T) {
	t.Parallel()
	const n, size = 300, 10
	for name, c := range map[string]struct {
		build func(g *Graph, xs []*Node, all *Node) []*Node
		most  int64 // times n * size
	}{
		"concat":               {func(_ *Graph, xs []*Node, _ *Node) []*Node { return []*Node{Concat(0, xs...)} }, 1},
		"concat of others":     {func(_ *Graph, xs []*Node, _ *Node) []*Node { return []*Node{Concat(-1, append(xs, xs...)...)} }, 2},
		"stack":                {func(_ *Graph, xs []*Node, _ *Node) []*Node { return []*Node{Stack(0, xs...)} }, 1},
		"stack along the last": {func(_ *Graph, xs []*Node, _ *Node) []*Node { return []*Node{Exp(Stack(1, xs...))} }, 2},
		"derivative of a concat": {func(_ *Graph, xs []*Node, _ *Node) []*Node {
			return Gradients(Sum(Exp(Concat(0, xs...))), xs...)
		}, 4},
		"derivative of a split": {func(_ *Graph, _ []*Node, all *Node) []*Node {
			var loss *Node
			for i, p := range Split(all, 0, n) {
				if y := Sum(Sin(p)); i == 0 {
					loss = y
				} else if i%3 > 0 { // with gaps
					loss = Add(loss, y)
				}
			}
			return Gradients(loss, all)
		}, 4},
		"second derivative of a split": {func(_ *Graph, _ []*Node, all *Node) []*Node {
			loss := ScalarLike(all, 0)
			for _, p := range Split(all, 0, n) {
				loss = Add(loss, Sum(Sin(p)))
			}
			return Gradients(Sum(Square(Gradients(loss, all)[0])), all)
		}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewGraph(name)
			var xs []*Node
			for i := range n {
				xs = append(xs, g.Input(fmt.Sprint("x", i), tensor.Float32, size))
			}
			outs := c.build(g, xs, g.Input("all", tensor.Float32, n*size))
			require.LessOrEqual(t, written(t, g, outs...), c.most*n*size)
			require.Less(t, len(slices.Collect(g.Nodes())), 40*n)
		})
	}
}

// Slices that overlap add up where they do, wherever their derivatives are laid side by side.
func TestDerivativesOfManySlicesAddUp(t *testing.T) {
	t.Parallel()
	g := NewGraph("slices")
	x := g.Input("x", tensor.Float32, 2, 40)
	want := make([]float32, 80)
	loss := Sum(Square(x))
	add := func(k, from, to, step int) {
		p := Slice(x, Range{Axis: 1, Start: from, Stop: to, Step: step})
		loss = Add(loss, Sum(Mul(p, ScalarLike(p, float64(k)))))
		for c := from; c < to; c += step {
			want[c] += float32(k)
			want[40+c] += float32(k)
		}
	}
	for k := range 18 {
		add(k+1, 2*k, 2*k+4, 1) // each with the next
	}
	for i := range want {
		want[i] += 2 * float32(i)
	}
	check := func() {
		in := make([]float32, 80)
		for i := range in {
			in[i] = float32(i)
		}
		exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: Gradients(loss, x)})
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{2, 40}, in...)})
		require.NoError(t, err)
		require.Equal(t, want, opstest.FloatsOf(t, out[0]))
	}
	check()
	add(5, 1, 30, 3) // beside which nothing lies
	check()
}
