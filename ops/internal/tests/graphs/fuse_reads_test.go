package graphs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// What takes an index from memory, or a division, for each element is stored before it is read again, and not where it is read
// once.
func TestWhatIsFoundDearlyIsStoredForManyReads(t *testing.T) {
	t.Parallel()
	edge := func(x *Node, axis, p int) *Node {
		i := Clip(x.Graph().Iota(tensor.Int32, 0, x.Dim(axis)+2*p), float64(p), float64(x.Dim(axis)+p-1))
		return Gather(x, axis, Sub(i, ScalarLike(i, float64(p))))
	}
	doubled := func(x *Node) *Node {
		s := x.Shape()
		return Reshape(BroadcastTo(Reshape(x, s[0], s[1], s[2], 1, s[3], 1), s[0], s[1], s[2], 2, s[3], 2), s[0], s[1], 2*s[2], 2*s[3])
	}
	filter := func(p *Node) []*Node {
		return []*Node{Conv2D(p, p.Graph().Const(tensor.Must(tensor.New(tensor.Float32, 4, 3, 3, 3))), Conv2DOptions{})}
	}
	producers := map[string]func(x *Node) *Node{
		"edges": func(x *Node) *Node { return edge(edge(x, 2, 2), 3, 2) }, "rows": func(x *Node) *Node { return edge(x, 2, 2) },
		"scaled": func(x *Node) *Node { y := edge(x, 3, 1); return Mul(y, ScalarLike(y, 2)) }, "doubled": doubled,
	}
	readers := map[string]func(p *Node) []*Node{
		"filter": filter,
		"pool": func(p *Node) []*Node {
			return []*Node{MaxPool2D(p, PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{1, 1}})}
		},
		"sums": func(p *Node) []*Node {
			return []*Node{Sum(p, 0), Sum(p, 1), Sum(p, 2), Sum(p, 3), Max(p, 1)}
		},
		"products": func(p *Node) []*Node {
			return []*Node{Add(Reshape(p, 1, p.Size()), ScalarLike(p, 1)), Mul(BroadcastTo(p, p.Dim(0), p.Dim(1), p.Dim(2), p.Dim(3)), p.Graph().Input("b", tensor.Float32, 9, 1, 1, 1, 1))}
		},
		"once": func(p *Node) []*Node { return []*Node{Exp(p)} },
	}
	for made, produce := range producers {
		for read, reader := range readers {
			t.Run(made+"/"+read, func(t *testing.T) {
				g := NewGraph("reads")
				x := g.Input("x", tensor.Float32, 2, 3, 20, 24)
				p := produce(x)
				exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: reader(p)})
				require.NoError(t, err)
				stored := 0
				for _, u := range inside.Executor(exe).Program().Instructions {
					for _, v := range u.Outs {
						if v.Len == int64(p.Size()) && slices.Contains([]string{"gather", "reshape", "mul"}, v.Node.Op.Name) {
							stored++
						}
					}
				}
				if read == "once" {
					require.Zero(t, stored)
				} else {
					require.Equal(t, 1, stored)
				}
				// With a few elements nothing is worth another task.
				g = NewGraph("few")
				p = produce(g.Input("x", tensor.Float32, 1, 3, 4, 3))
				if exe, err = g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Sum(p, 2), Max(p, 3)}}); made != "scaled" {
					require.NoError(t, err)
					for _, u := range inside.Executor(exe).Program().Instructions {
						require.False(t, u.Task.Kind == engine.Map && u.Outs[0].Len == int64(p.Size()), u.Task.Name)
					}
				}
			})
		}
	}
}

// Rows that a product reads are stored, which has kernels for what lies in memory that need not pack it; a few are packed.
func TestRowsThatAProductReadsAreStored(t *testing.T) {
	t.Parallel()
	product := func(rows int) []string {
		g := NewGraph("embedding")
		table, i := g.Input("table", tensor.Float32, 100, 16), g.Input("i", tensor.Int32, rows)
		return opstest.TasksOf(t, g, Target{Outputs: []*Node{MatMul(Gather(table, 0, i), g.Input("w", tensor.Float32, 16, 8))}})
	}
	require.Equal(t, []string{"contract gather+matmul"}, product(30))
	require.Equal(t, []string{"map gather", "contract matmul"}, product(300))
}

// A convolution sees its windows through any reshape, and what is stored is the image.
func TestWindowsOfAConvolutionAreNotStored(t *testing.T) {
	t.Parallel()
	g := NewGraph("conv")
	x := g.Input("x", tensor.Float32, 1, 8, 140, 140)
	y := Conv2D(Gather(x, 3, g.Input("i", tensor.Int32, 140)), g.Const(tensor.Must(tensor.New(tensor.Float32, 16, 8, 3, 3))), Conv2DOptions{})
	require.Equal(t, []string{"map gather", "contract conv2d"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{y}}))
}
