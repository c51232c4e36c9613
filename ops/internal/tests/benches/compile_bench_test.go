package benches_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkCompile shows how the time of Compile grows with the graph: linearly.
func BenchmarkCompile(b *testing.B) {
	chain := func(n, each int, next func(y, x *Node) *Node) func(g *Graph) []*Node {
		return func(g *Graph) []*Node {
			x := g.Input("x", tensor.Float32, 8, 8)
			y := x
			for range n / each {
				y = next(y, x)
			}
			return []*Node{y, x}
		}
	}
	residual := func(y, x *Node) *Node { return Add(y, Tanh(MatMul(y, x))) }
	for _, n := range []int{1500, 3000, 6000, 12_000} {
		for name, build := range map[string]func(g *Graph) []*Node{
			"sums":     chain(n, 1, Add),
			"residual": chain(n, 3, residual),
			"softmax":  chain(n, 3, func(y, x *Node) *Node { return Add(y, Softmax(MatMul(y, x), -1)) }),
			"gradient": func(g *Graph) []*Node {
				ends := chain(n, 6, residual)(g)
				return Gradients(Sum(ends[0]), ends[1])
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				rt := opstest.CPUOnly(b)
				tasks := 0
				for b.Loop() {
					g := NewGraph("large")
					exe, err := g.Compile(b.Context(), rt, Target{Outputs: build(g)[:1]})
					require.NoError(b, err)
					tasks = len(inside.Executor(exe).Program().Instructions)
				}
				b.ReportMetric(float64(tasks), "tasks")
			})
		}
	}
}
