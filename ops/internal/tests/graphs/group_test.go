package graphs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestNormalisationsAlongRowsAreOneTask(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(x, scale, shift *Node) []*Node{
		"softmax":     func(x, _, _ *Node) []*Node { return []*Node{Softmax(x, -1)} },
		"log_softmax": func(x, _, _ *Node) []*Node { return []*Node{LogSoftmax(x, -1)} },
		"layer_norm":  func(x, a, b *Node) []*Node { return []*Node{LayerNorm(x, a, b, 1e-5)} },
		"statistics":  func(x, _, _ *Node) []*Node { return []*Node{Mean(x, -1), Variance(x, -1)} },
		"extreme":     func(x, _, _ *Node) []*Node { return []*Node{ArgMax(x, -1), Max(x, -1)} },
		"logarithm":   func(x, _, _ *Node) []*Node { return []*Node{LogSumExp(x, -1)} },
		"softmax and its derivative": func(x, a, _ *Node) []*Node {
			y := Softmax(x, -1)
			return []*Node{y, Gradients(Sum(Mul(y, a)), x)[0]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewGraph(name)
			x := g.Input("x", tensor.Float32, 4, 16, 100)
			outs := build(x, g.Input("scale", tensor.Float32, 100), g.Input("shift", tensor.Float32, 100))
			tasks := opstest.TasksOf(t, g, Target{Outputs: outs})
			require.Len(t, tasks, 1, "%v", tasks)
			require.Contains(t, tasks[0], "row ")
		})
	}
}

// A pool and the positions that its derivative asks for are no row.
func TestFoldsOfWindowsStayByThemselves(t *testing.T) {
	t.Parallel()
	g := NewGraph("pool")
	x := g.Input("x", tensor.Float32, 2, 3, 8, 8)
	y := MaxPool2D(x, PoolOptions{Size: [2]int{2, 2}})
	tasks := opstest.TasksOf(t, g, Target{Outputs: []*Node{y, Gradients(Sum(Square(y)), x)[0]}})
	for _, name := range tasks {
		require.NotContains(t, name, "row ")
	}
}

func TestAdamUpdatesAParameterInOneTask(t *testing.T) {
	t.Parallel()
	g := NewGraph("adam")
	w := g.Variable("w", tensor.Must(tensor.New(tensor.Float32, 8, 4)))
	x := g.Input("x", tensor.Float32, 16, 8)
	loss := Sum(Square(MatMul(x, w)))
	tasks := opstest.TasksOf(t, g, Target{Updates: opstest.Adam(loss, []*Node{w}, 0.001)})
	count := 0
	for _, name := range tasks {
		if name == "map adam" {
			count++
		}
	}
	require.LessOrEqual(t, count, 2, "the step and the parameter: %v", tasks)
}

func TestALossAndItsDerivativeReadTheRowOnce(t *testing.T) {
	t.Parallel()
	g := NewGraph("loss")
	x, labels := g.Input("x", tensor.Float32, 32, 10), g.Input("labels", tensor.Int32, 32)
	loss := CrossEntropy(x, labels)
	tasks := opstest.TasksOf(t, g, Target{Outputs: []*Node{loss, Gradients(loss, x)[0]}})
	rows := 0
	for _, name := range tasks {
		if name == "row cross_entropy+d(cross_entropy)" {
			rows++
		}
	}
	require.Equal(t, 1, rows, "%v", tasks)
	require.LessOrEqual(t, len(tasks), 4, "the rest is of the size of the labels: %v", tasks)
}

// A step of an iteration and the square of what is left are one pass; what waits for the sum is another.
func TestASumOverAllSharesATaskWithWhatIsStoredBesideIt(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1 << 10, 1 << 16} {
		g := NewGraph("step")
		r, p, q := g.Input("r", tensor.Float32, n), g.Input("p", tensor.Float32, n), g.Input("q", tensor.Float32, n)
		left := Sub(r, Mul(q, 0.5))
		square := Sum(Square(left))
		next := Add(left, Mul(square, p))
		tasks := opstest.TasksOf(t, g, Target{Outputs: []*Node{left, square, next}})
		if n == 1<<10 {
			require.Len(t, tasks, 1, "in a short row all is one task: %v", tasks)
			continue
		}
		require.Len(t, tasks, 2, "%v", tasks)
		require.Contains(t, tasks[0], "row ")
		require.Equal(t, "map mul+add", tasks[1])
	}
}

// In the order of one the elements of the other lie far apart.
func TestASumInAnotherOrderStaysApart(t *testing.T) {
	t.Parallel()
	g := NewGraph("turned")
	x := g.Input("x", tensor.Float32, 512, 512)
	y := Exp(Transpose(x))
	tasks := opstest.TasksOf(t, g, Target{Outputs: []*Node{y, Sum(Square(y))}})
	require.Len(t, tasks, 2, "%v", tasks)
	require.NotContains(t, tasks, "row ")
}

// What stands between two tasks must run between them.
func TestTasksWithAnotherBetweenThemStayApart(t *testing.T) {
	t.Parallel()
	g := NewGraph("between")
	e := Exp(g.Const(opstest.Vec(t, []int{8, 8})))
	y := Add(Neg(MatMul(e, e)), Mul(e, ScalarLike(e, 17)))
	got := opstest.Evaluate(t, y, e)
	for i := range got[0] {
		require.Equal(t, 9.0, got[0][i])
		require.Equal(t, 1.0, got[1][i])
	}
}

// A reader at other coordinates cannot be in the group: it needs the whole buffer.
func TestAReaderOfOtherElementsStaysApart(t *testing.T) {
	t.Parallel()
	g := NewGraph("astray")
	x := g.Input("x", tensor.Float32, 8, 8)
	y := Softmax(x, -1)
	z := Add(Transpose(y), y)
	tasks := opstest.TasksOf(t, g, Target{Outputs: []*Node{y, z}})
	require.Equal(t, []string{"row softmax", "map add"}, tasks)
}
