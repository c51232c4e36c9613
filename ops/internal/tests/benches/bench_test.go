package benches_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkSGEMM is C = A·B in float32 end to end: A and B are variables, so
// that they lie where they are used, and C is read back. gonum stands beside it.
func BenchmarkSGEMM(b *testing.B) {
	for _, n := range []int{256, 512, 1024} {
		a, c := opstest.Random(b, n, n), opstest.Random(b, n, n)
		b.Run(fmt.Sprintf("n=%d/device", n), func(b *testing.B) { sgemm(b, opstest.Device(b), OnDevice, a, c) })
		b.Run(fmt.Sprintf("n=%d/cpu", n), func(b *testing.B) { sgemm(b, opstest.CPUOnly(b), OnCPU, a, c) })
		b.Run(fmt.Sprintf("n=%d/gonum", n), func(b *testing.B) {
			x, err := a.General32()
			require.NoError(b, err)
			y, err := c.General32()
			require.NoError(b, err)
			z := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
			for b.Loop() {
				blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z)
			}
			gflops(b, 2*float64(n)*float64(n)*float64(n))
		})
	}
}

func sgemm(b *testing.B, rt *Runtime, where Place, a, c *tensor.Tensor) {
	n := a.Shape()[0]
	g := NewGraph("sgemm")
	va, vb := g.Variable("a", a), g.Variable("b", c)
	y := MatMul(va, vb)
	exe, err := g.Compile(b.Context(), rt, Target{Outputs: []*Node{y}, Volatile: []*Node{va, vb}, Place: where})
	require.NoError(b, err)
	out := []*tensor.Tensor{opstest.Random(b, n, n)}
	require.NoError(b, exe.RunInto(b.Context(), nil, out))
	b.ReportAllocs()
	for b.Loop() {
		if err := exe.RunInto(b.Context(), nil, out); err != nil {
			b.Fatal(err)
		}
	}
	gflops(b, 2*float64(n)*float64(n)*float64(n))
}

// BenchmarkTinyRun is what one run costs beside its work: with a context that can
// end and with one that cannot, and when the host works ahead.
func BenchmarkTinyRun(b *testing.B) {
	for _, where := range []Place{OnDevice, OnCPU} {
		for _, way := range []string{"context", "background", "each"} {
			b.Run(where.String()+"/"+way, func(b *testing.B) {
				rt := opstest.CPUOnly(b)
				if where == OnDevice {
					rt = opstest.Device(b)
				}
				g := NewGraph("tiny")
				x := g.Input("x", tensor.Float32, 4, 4)
				exe, err := g.Compile(b.Context(), rt, Target{Outputs: []*Node{MatMul(x, x)}, Place: where})
				require.NoError(b, err)
				feeds, out := Feeds{x: opstest.Random(b, 4, 4)}, []*tensor.Tensor{opstest.Random(b, 4, 4)}
				ctx := b.Context()
				if way == "background" {
					ctx = context.Background()
				}
				b.ReportAllocs()
				if way == "each" {
					same := func(yield func(Feeds, error) bool) {
						for b.Loop() && yield(feeds, nil) {
						}
					}
					for _, err := range exe.Each(ctx, same, EachOptions{}) {
						if err != nil {
							b.Fatal(err)
						}
					}
					return
				}
				for b.Loop() {
					if err := exe.RunInto(ctx, feeds, out); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkOwnTime is what a run takes beside its tasks, by what it is fed and gives; see ownTime.
func BenchmarkOwnTime(b *testing.B) {
	for _, n := range []int{0, 1, 2, 4, 8} {
		for _, results := range []int{0, 1, 4} {
			b.Run(fmt.Sprintf("%d-feeds/%d-results", n, results), func(b *testing.B) {
				g := NewGraph("own")
				y := g.Variable("one", opstest.Random(b, 1))
				feeds, target, outs := Feeds{}, Target{Place: OnCPU}, []*tensor.Tensor(nil)
				for i := range n {
					x := g.Input(fmt.Sprint(i), tensor.Float32, 1)
					feeds[x], y = opstest.Random(b, 1), Add(x, y)
				}
				for range max(results, 1) {
					if y = Neg(y); results == 0 {
						target.Updates = []*Node{Assign(g.Variable("sum", opstest.Random(b, 1)), y)}
						break
					}
					target.Outputs, outs = append(target.Outputs, y), append(outs, opstest.Random(b, 1))
				}
				exe, err := g.Compile(b.Context(), opstest.CPUOnly(b), target)
				require.NoError(b, err)
				for b.Loop() {
					if err := exe.RunInto(b.Context(), feeds, outs); err != nil {
						b.Fatal(err)
					}
				}
				var tasks time.Duration
				for _, d := range inside.Executor(exe).Program().Placement.Times {
					tasks += d[0]
				}
				b.ReportMetric(float64(len(inside.Executor(exe).Program().Instructions)), "tasks")
				b.ReportMetric(float64(tasks), "predicted-ns")
			})
		}
	}
}

func gflops(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
}

// BenchmarkRows is what one pass over 8192 rows costs beside a copy of them;
// GB/s counts what must be read and written at least.
func BenchmarkRows(b *testing.B) {
	const rows, cols = 8192, 8192
	large, small := opstest.Random(b, rows, cols), opstest.Random(b, cols)
	for _, c := range []struct {
		name   string
		arrays float64 // of rows x cols
		build  func(x, dy, scale, labels *Node) *Node
	}{
		{"copy", 2, func(x, _, _, _ *Node) *Node { return Add(x, ScalarLike(x, 1)) }},
		{"exp", 2, func(x, _, _, _ *Node) *Node { return Exp(x) }},
		{"softmax", 2, func(x, _, _, _ *Node) *Node { return Softmax(x, -1) }},
		{"log_softmax", 2, func(x, _, _, _ *Node) *Node { return LogSoftmax(x, -1) }},
		{"layer_norm", 2, func(x, _, scale, _ *Node) *Node { return LayerNorm(x, scale, scale, 1e-5) }},
		{"variance", 1, func(x, _, _, _ *Node) *Node { return Variance(x, -1) }},
		{"log_sum_exp", 1, func(x, _, _, _ *Node) *Node { return LogSumExp(x, -1) }},
		{"cross_entropy", 1, func(x, _, _, labels *Node) *Node { return CrossEntropy(x, labels) }},
		{"softmax_grad", 3, func(x, dy, _, _ *Node) *Node { return Gradients(Sum(Mul(Softmax(x, -1), dy)), x)[0] }},
		{"layer_norm_grad", 3, func(x, dy, scale, _ *Node) *Node {
			return Gradients(Sum(Mul(LayerNorm(x, scale, scale, 1e-5), dy)), x)[0]
		}},
		{"cross_entropy_grad", 2, func(x, _, _, labels *Node) *Node { return Gradients(CrossEntropy(x, labels), x)[0] }},
	} {
		b.Run(c.name, func(b *testing.B) {
			rt := opstest.Device(b)
			g := NewGraph(c.name)
			labels, err := tensor.New(tensor.Int32, rows)
			require.NoError(b, err)
			y := c.build(g.Variable("x", large), g.Variable("dy", large),
				g.Variable("scale", small), g.Const(labels))
			to, err := tensor.New(y.DType(), y.Shape()...)
			require.NoError(b, err)
			exe, err := g.Compile(b.Context(), rt, Target{Updates: []*Node{Assign(g.Variable("y", to), y)}, Place: OnDevice})
			require.NoError(b, err)
			require.NoError(b, exe.RunInto(b.Context(), nil, nil))
			for b.Loop() {
				if err := exe.RunInto(b.Context(), nil, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(c.arrays*rows*cols*4*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			b.ReportMetric(float64(len(inside.Executor(exe).Program().Instructions)), "tasks")
			require.NoError(b, exe.Close())
		})
	}
}
