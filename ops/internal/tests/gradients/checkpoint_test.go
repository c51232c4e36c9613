package gradients_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// A checkpoint has the values and derivatives of what it holds, draws the same numbers, and stands within others and in loops.
func TestCheckpointsAreComputedAgain(t *testing.T) {
	block := func(in []*Node, w *Node) []*Node {
		h := Tanh(MatMul(in[0], w))
		return []*Node{Dropout(h, 0.5), Sum(h, -1), in[0]}
	}
	build := func(wrap func(f func(in []*Node) []*Node, in ...*Node) []*Node) func(g *Graph, in []*Node) []*Node {
		return func(g *Graph, in []*Node) []*Node {
			h, w := in[0], in[1:3]
			var side *Node
			for _, w := range w {
				y := wrap(func(in []*Node) []*Node {
					inner := wrap(func(in []*Node) []*Node { return block(in, w) }, in[0])
					return []*Node{Sin(inner[0]), Add(inner[1], 1.0), inner[2]}
				}, h)
				if h = Mul(y[0], y[2]); side == nil {
					side = y[1]
				} else {
					side = Mul(side, y[1])
				}
			}
			last, _ := Scan([]*Node{h}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) {
				return wrap(func(in []*Node) []*Node { return []*Node{Dropout(Tanh(Add(in[0], w[0])), 0.25)} }, s[0]), nil
			}, &ScanOptions{Trips: 3})
			loss := Add(Sum(Square(last[0])), Sum(side))
			ds := Gradients(loss, in...)
			return append(append([]*Node{loss}, ds...), append(HVP(loss, in, ds), JVP([]*Node{loss}, in, ds)...)...)
		}
	}
	shapes := [][]int{{4, 4}, {4, 4}, {4, 4}}
	_, want, _ := fed(t, shapes, build(func(f func(in []*Node) []*Node, in ...*Node) []*Node { return f(in) }))
	_, got, _ := fed(t, shapes, build(Checkpoint))
	require.NotZero(t, want[1].Float64At(3))
	for i := range want[:4] {
		require.Equal(t, opstest.NumbersOf(want[i]), opstest.NumbersOf(got[i]), "output %d", i)
	}
	for i := range want {
		near(t, want[i], got[i], fmt.Sprint("output ", i))
	}
}

// A chain of checkpoints needs less memory in its gradient, which has the same bits.
func TestCheckpointsSaveMemory(t *testing.T) {
	const layers, segment = 16, 4
	type result struct {
		outs  []*tensor.Tensor
		live  int64
		tasks int
	}
	run := func(wrap func(f func(in []*Node) []*Node, in ...*Node) []*Node) (r result) {
		_, outs, exe := fed(t, [][]int{{64, 16}, {16, 16}}, func(g *Graph, in []*Node) []*Node {
			h := in[0]
			for range layers / segment {
				h = wrap(func(x []*Node) []*Node {
					h := x[0]
					for range segment {
						h = Tanh(MatMul(h, in[1]))
					}
					return []*Node{h}
				}, h)[0]
			}
			return Gradients(Sum(Square(h)), in[1])
		})
		rep := exe.Report()
		for _, m := range rep.Memory {
			r.live += m.Live
		}
		r.outs, r.tasks = outs, len(rep.Tasks)
		return r
	}
	plain := run(func(f func(in []*Node) []*Node, in ...*Node) []*Node { return f(in) })
	saved := run(Checkpoint)
	t.Logf("live %d and %d bytes, %d and %d tasks", plain.live, saved.live, plain.tasks, saved.tasks)
	require.Equal(t, opstest.NumbersOf(plain.outs[0]), opstest.NumbersOf(saved.outs[0]))
	require.Less(t, float64(saved.live), 0.65*float64(plain.live))
	require.InDelta(t, layers, saved.tasks-plain.tasks, 2, "each layer is computed once more")
}

// The gradient for a node inside of a checkpoint is that without it, and what nobody differentiates costs nothing.
func TestANodeInsideOfACheckpointHasAGradient(t *testing.T) {
	_, outs, _ := fed(t, [][]int{{3}}, func(g *Graph, in []*Node) []*Node {
		var inside *Node
		y := Checkpoint(func(in []*Node) []*Node {
			inside = Exp(in[0])
			return []*Node{Square(inside)}
		}, in[0])
		d := Gradients(Sum(y[0]), inside, in[0])
		return []*Node{d[0], Mul(inside, 2.0), d[1], Mul(y[0], 2.0)}
	})
	near(t, outs[1], outs[0], "inside")
	near(t, outs[3], outs[2], "outside")
	_, _, exe := fed(t, [][]int{{3}}, func(g *Graph, in []*Node) []*Node {
		return Checkpoint(func(in []*Node) []*Node { return []*Node{Square(Exp(in[0]))} }, in[0])
	})
	require.Len(t, exe.Report().Tasks, 1)
}
