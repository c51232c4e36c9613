package graphs_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/lower"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestAChainIsOneTask(t *testing.T) {
	g := NewGraph("chain")
	x := g.Input("x", tensor.Float32, 4, 5)
	y := Exp(Mul(Sub(x, ScalarLike(x, 1)), ScalarLike(x, 2)))
	require.Equal(t, []string{"map sub+mul+exp"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{y}}))
}

func TestBiasAndActivationEndInTheMatmul(t *testing.T) {
	g := NewGraph("dense")
	x, w, b := g.Input("x", tensor.Float32, 8, 16), g.Input("w", tensor.Float32, 16, 4), g.Input("b", tensor.Float32, 4)
	y := ReLU(Add(MatMul(x, w), b))
	require.Equal(t, []string{"contract matmul+add+relu"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{y}}))
}

func TestConvolutionBiasAndActivationAreOneTask(t *testing.T) {
	g := NewGraph("conv")
	x, w, b := g.Input("x", tensor.Float32, 2, 3, 8, 8), g.Input("w", tensor.Float32, 4, 3, 3, 3), g.Input("b", tensor.Float32, 4)
	y := ReLU(Add(Conv2D(x, w, Conv2DOptions{}), Reshape(b, 4, 1, 1)))
	z := MaxPool2D(y, PoolOptions{Size: [2]int{2, 2}})
	require.Equal(t, []string{"contract conv2d+add+relu", "reduce max_pool2d"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{z}}))
	require.Equal(t, []string{"contract conv2d+add+relu"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{y}}),
		"an output of few channels is computed along its lines")
}

// Activations such as hard swish read their operand more than once, and so do other readers of it.
func TestWhatReadsAProductTwiceEndsInItsTask(t *testing.T) {
	hardSwish := func(x *Node) *Node {
		return Div(Mul(x, Clamp(Add(x, ScalarLike(x, 3)), 0, 6)), ScalarLike(x, 6))
	}
	build := func(after func(y *Node) []*Node) (*Graph, Target) {
		g := NewGraph("swish")
		x, w, b := g.Input("x", tensor.Float32, 2, 3, 8, 8), g.Input("w", tensor.Float32, 32, 3, 3, 3), g.Input("b", tensor.Float32, 32)
		return g, Target{Outputs: after(Add(Conv2D(x, w, Conv2DOptions{}), Reshape(b, 32, 1, 1)))}
	}
	g, target := build(func(y *Node) []*Node { return []*Node{Mean(hardSwish(y), 2, 3)} })
	require.Equal(t, []string{"contract conv2d+add+clamp+mul+div", "reduce mean"}, opstest.TasksOf(t, g, target))
	g, target = build(func(y *Node) []*Node { return []*Node{Mean(Mul(hardSwish(hardSwish(y)), Sigmoid(y)), 2, 3)} })
	require.Equal(t, "contract", strings.Fields(opstest.TasksOf(t, g, target)[0])[0])
	require.Len(t, opstest.TasksOf(t, g, target), 2)
	g, target = build(func(y *Node) []*Node { return []*Node{Mean(hardSwish(y), 2, 3), Sum(Exp(y), 1)} })
	require.Equal(t, "contract conv2d+add", opstest.TasksOf(t, g, target)[0], "somebody else reads the product too")
	g, target = build(func(y *Node) []*Node { return []*Node{hardSwish(y), y} })
	require.Equal(t, "contract conv2d+add", opstest.TasksOf(t, g, target)[0], "the product itself is wanted")
	g, target = build(func(y *Node) []*Node { return []*Node{Sum(Mul(y, Flip(y, 2)), 1)} })
	require.Equal(t, "contract conv2d+add", opstest.TasksOf(t, g, target)[0], "elements are read at other places")
}

// Results of windows that lie along lines do so too, but for those that skip pixels and fill vectors with channels.
func TestResultsOfSkippingWindowsHaveTheirChannelsSideBySide(t *testing.T) {
	for _, c := range []struct {
		stride, channels int
		last             bool
	}{{1, 16, false}, {2, 16, true}, {2, 40, true}, {2, 15, false}, {3, 16, true}} {
		g := NewGraph("skips")
		x, w := g.Input("x", tensor.Float32, 1, 3, 37, 37), g.Input("w", tensor.Float32, c.channels, 3, 3, 3)
		y := Conv2D(x, w, Conv2DOptions{Stride: [2]int{c.stride, c.stride}, Pad: [2]int{1, 1}})
		exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Mean(ReLU(y), 2, 3)}})
		require.NoError(t, err)
		program := inside.Executor(exe).Program().Instructions
		at := slices.IndexFunc(program, func(u *ir.Instruction) bool { return u.Task.Kind == engine.Contract })
		task := program[at].Task
		_, end := task.Group(2)
		require.Equal(t, c.last, task.Axes[end-1] == c.channels, "stride %d, %d channels: %v", c.stride, c.channels, task.Axes)
	}
}

func TestViewsMakeNoTasks(t *testing.T) {
	g := NewGraph("views")
	x := g.Input("x", tensor.Float32, 4, 6)
	y := Transpose(Reshape(Slice(Flip(x, 1), Range{Axis: 1, Step: 2}), 2, 6))
	z := Pad(BroadcastTo(ExpandDims(y, 0), 3, 6, 2), 7, Padding{Axis: 1, Before: 1, After: 2})
	require.Equal(t, []string{"reduce exp+sum"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{Sum(Exp(z), 0)}}))
}

func TestAReshapeThereAndBackLeavesNoDivision(t *testing.T) {
	g := NewGraph("reshape")
	x := g.Input("x", tensor.Float32, 4, 6, 5)
	y := Neg(Reshape(Reshape(Exp(x), 8, 15), 4, 6, 5))
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	require.Len(t, inside.Executor(exe).Program().Instructions, 1)
	for e := range inside.Executor(exe).Program().Instructions[0].Task.Values[0].Walk() {
		if e.Op == engine.OpLoad {
			_, affine := e.Addr.Affine(3)
			require.True(t, affine, "%v", e.Addr)
		}
	}
}

func TestEqualComputationsAreOneTask(t *testing.T) {
	g := NewGraph("cse")
	x := g.Input("x", tensor.Float32, 5, 5)
	a, b := Sum(Exp(x), 0), Sum(Exp(x), 0)
	require.Equal(t, []string{"reduce exp+sum", "map add"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{a, Add(a, b)}}))
}

func TestWhatManyReadIsComputedOnce(t *testing.T) {
	g := NewGraph("many")
	x := g.Input("x", tensor.Float32, 64)
	y := Exp(x)
	across := Add(Transpose(Reshape(y, 8, 8)), ScalarLike(y, 1))
	require.Equal(t, []string{"row exp+sum+max+prod"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{Sum(y), Max(y), Prod(y)}}))
	require.Equal(t, []string{"row exp+sum", "map add"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{Sum(y), across}}))
}

// Kernels for products of bytes see bytes, and not what the bytes are cast to for a sum beside the product.
func TestWhatIsCastToAWiderTypeIsStoredAsItIs(t *testing.T) {
	g := NewGraph("quantised")
	x, w := g.Input("x", tensor.Float32, 16, 32), g.Input("w", tensor.Int8, 32, 24)
	zero := g.Input("zero", tensor.Int8)
	bytes := QuantizeLinear(x, ScalarLike(x, 0.1), g.Input("own", tensor.Uint8), 0)
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{MatMulInteger(bytes, w, nil, zero)}})
	require.NoError(t, err)
	require.Equal(t, tensor.Uint8, inside.Executor(exe).Program().Instructions[0].Task.Outs[0].DType)
}

func TestThePowerOfTwoIsTheSquare(t *testing.T) {
	g := NewGraph("square")
	x, one := g.Input("x", tensor.Float32, 64), g.Input("one", tensor.Float32, 1)
	require.Equal(t, []string{"map pow+sub"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{Sub(Pow(x, 2), Square(x))}}))
	require.Equal(t, []string{"map pow+square+sub"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{Sub(Pow(x, 3), Square(x))}}))
	require.Equal(t, []int{64}, Pow(one, FullLike(x, 2)).Shape())
	require.Equal(t, []string{"map pow"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{Pow(one, FullLike(x, 2))}}))
}

func TestWideExpressionsAreSplit(t *testing.T) {
	g := NewGraph("wide")
	var sum *Node
	for i := range 40 {
		x := Exp(g.Input(fmt.Sprint("x", i), tensor.Float32, 8))
		if sum == nil {
			sum = x
		} else {
			sum = Add(sum, x)
		}
	}
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{sum}})
	require.NoError(t, err)
	require.Greater(t, len(inside.Executor(exe).Program().Instructions), 1)
	for _, u := range inside.Executor(exe).Program().Instructions {
		require.LessOrEqual(t, len(u.Ins), lower.MaxInputs)
	}
}

func TestALongChainDoesNotOverflowAnything(t *testing.T) {
	g := NewGraph("long")
	x := g.Input("x", tensor.Float32, 3)
	y := x
	for range 5000 {
		y = Add(y, ScalarLike(y, 1))
	}
	d := Gradients(Sum(y), x)[0]
	rt := opstest.CPUOnly(t)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y, d}})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{3}, 0, 1, 2)})
	require.NoError(t, err)
	require.Equal(t, []float32{5000, 5001, 5002}, opstest.FloatsOf(t, out[0]))
	require.Equal(t, []float32{1, 1, 1}, opstest.FloatsOf(t, out[1]))
}

func TestSharingDoesNotMakeExpressionsExponential(t *testing.T) {
	g := NewGraph("shared")
	x := g.Input("x", tensor.Float64, 3)
	y := x
	for range 60 {
		y = Mul(y, y)
		y = Sub(y, y)
	}
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	require.NotEmpty(t, inside.Executor(exe).Program().Instructions)
}

func TestMemoryIsReusedAlongAChainOfTasks(t *testing.T) {
	g := NewGraph("memory")
	x := g.Input("x", tensor.Float32, 64, 64)
	y := x
	for range 10 {
		y = MatMul(y, x)
	}
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	m := exe.Report().Memory[0]
	require.Equal(t, int64(11*64*64*4), m.Values, "the input is one of them")
	require.Equal(t, int64(3*64*64*4), m.Arena, "the last product reads it again")
}

// Each of these doubles its coordinates in those of its operand.
func TestChainsOfReshapesAndGathersKeepAddressesShort(t *testing.T) {
	t.Parallel()
	g := NewGraph("addresses")
	x := g.Const(opstest.Random(t, 4, 6))
	shuffled, gathered := x, x
	rows := g.Iota(tensor.Int32, 0, 4)
	for range 100 {
		shuffled = Reshape(Transpose(shuffled), 4, 6)
		gathered = Gather(gathered, 0, Gather(rows, 0, Sub(ScalarLike(rows, 3), rows)))
	}
	got := opstest.Evaluate(t, shuffled, gathered, x)
	require.Equal(t, got[2], got[1], "reversed an even number of times")
	want := got[2]
	for range 100 {
		turned := make([]float64, len(want))
		for i := range want {
			turned[i] = want[i%4*6+i/4]
		}
		want = turned
	}
	require.Equal(t, want, got[0])
	require.Len(t, opstest.TasksOf(t, g, Target{Outputs: []*Node{Reshape(Transpose(Reshape(Transpose(x), 4, 6)), 4, 6)}}), 1, "a short chain is one task")
}

func TestAShortSumOfComputedElementsIsWrittenOut(t *testing.T) {
	t.Parallel()
	const n = 72
	for axis, shapes := range [][2][]int{{{3, 1, n}, {3, n, 1}}, {{1, 3, n}, {n, 3, 1}}, {{1, n, 3}, {n, 1, 3}}} {
		g := NewGraph("g")
		a, b := make([]float64, 3*n), make([]float64, 3*n)
		for i := range a {
			a[i], b[i] = float64(i%7)-2, float64(i%11)/4
		}
		x, y := opstest.Number(t, g, tensor.Float32, shapes[0], a...), opstest.Number(t, g, tensor.Float32, shapes[1], b...)
		z := Sqrt(Sum(Square(Sub(x, y)), axis)) // distances of all pairs: no array of differences
		require.Equal(t, []string{"map sub+square+sub+square+sub+...+sqrt"}, opstest.TasksOf(t, g, Target{Outputs: []*Node{z}}))
		got := opstest.Evaluate(t, z)[0]
		at := func(v []float64, i, k int) float64 {
			if axis == 2 {
				return v[i*3+k]
			}
			return v[k*n+i]
		}
		from := func(v []float64, i, k int) float64 { // of y, whose rows lie otherwise
			if axis == 0 {
				return v[k*n+i]
			}
			return v[i*3+k]
		}
		for i := range n {
			for j := range n {
				var sum float64
				for k := range 3 {
					d := at(a, j, k) - from(b, i, k)
					sum += d * d
				}
				require.InDelta(t, math.Sqrt(sum), got[i*n+j], 1e-5)
			}
		}
	}
}

func TestWhatIsBroadcastIsNotWrittenOut(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	x, y := g.Input("x", tensor.Float32, 64, 1), g.Input("y", tensor.Float32, 1, 64)
	d := Sub(x, y)
	names := opstest.TasksOf(t, g, Target{Outputs: []*Node{Sum(Sqrt(d), 1), Sum(Exp(d), 0)}})
	require.Len(t, names, 2, "each sum takes the differences anew: %v", names)
}
