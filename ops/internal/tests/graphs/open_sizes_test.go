package graphs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// drawn is a tensor of numbers from [-1, 1).
func drawn(r *rand.Rand, shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Float32, shape...))
	for i := range t.Len() {
		t.SetFloat64(i, 2*r.Float64()-1)
	}
	return t
}

// perceptron is a training of two layers, of batches of the given extent.
func perceptron(g *Graph, batch int) (x, labels, loss *Node, updates []*Node) {
	r := rand.New(rand.NewPCG(1, 2))
	x, labels = g.Input("x", tensor.Float32, batch, 12), g.Input("labels", tensor.Int32, batch)
	w, b := g.Variable("w", drawn(r, 12, 16)), g.Variable("b", drawn(r, 16))
	v := g.Variable("v", drawn(r, 16, 5))
	h := ReLU(Add(MatMul(x, w), b))
	h = Mul(h, Div(h.Graph().Full(tensor.Float32, 1, h.Dim(0), 1), 2))
	loss = CrossEntropy(MatMul(h, v), labels)
	return x, labels, loss, opstest.Momentum(loss, []*Node{w, b, v}, 0.1, 0.9)
}

// TestOneGraphTrainsAndTestsAtAnySize: a graph with an open batch gives what graphs with its sizes as numbers give, the
// variables are the same for all sizes.
func TestOneGraphTrainsAndTestsAtAnySize(t *testing.T) {
	t.Parallel()
	sizes := []int{7, 1, 32, 7, 5, 32}
	for _, name := range []string{"cpu", ""} {
		rt := openOrSkip(t, name)
		r := rand.New(rand.NewPCG(3, 4))
		open := NewGraph("open")
		x, labels, loss, updates := perceptron(open, Dim("batch"))
		require.NoError(t, open.Err())
		require.Equal(t, "[batch 12]", opstest.Dims(x))
		exe, err := open.Compile(t.Context(), rt, Target{Outputs: []*Node{loss}, Updates: updates})
		require.NoError(t, err)
		defer exe.Close()
		var kept []*tensor.Tensor // what the variables of the last graph with numbers were
		for _, n := range sizes {
			xs, ls := drawn(r, n, 12), tensor.Must(tensor.New(tensor.Int32, n))
			for i := range n {
				ls.SetFloat64(i, float64(i%5))
			}
			got, err := exe.Run(t.Context(), Feeds{x: xs, labels: ls})
			require.NoError(t, err)
			g := NewGraph("fixed")
			x, labels, loss, updates := perceptron(g, n)
			for i, v := range kept {
				require.NoError(t, Set(t.Context(), updates[i].Operands()[0], v))
			}
			fixed, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{loss}, Updates: updates})
			require.NoError(t, err)
			want, err := fixed.Run(t.Context(), Feeds{x: xs, labels: ls})
			require.NoError(t, err)
			require.InDelta(t, want[0].Float64At(0), got[0].Float64At(0), 1e-6, "%d rows", n)
			kept = nil
			for _, u := range updates {
				v, err := Value(t.Context(), u.Operands()[0])
				require.NoError(t, err)
				kept = append(kept, v)
			}
			require.NoError(t, fixed.Close())
		}
	}
}

// openOrSkip is a runtime on the device of that name, "" for the one that is found.
func openOrSkip(t *testing.T, name string) *Runtime {
	rt, err := Open(t.Context(), &Options{Device: name})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { rt.Close() })
	return rt
}

// TestOpenSizesAreCheckedWhileAGraphIsBuilt: mistakes name the extents and the caller's line.
func TestOpenSizesAreCheckedWhileAGraphIsBuilt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		build func(g *Graph, x, y *Node) *Node
		want  string
	}{
		{func(_ *Graph, x, y *Node) *Node { return Add(x, y) }, "batch"},
		{func(_ *Graph, x, y *Node) *Node { return MatMul(x, y) }, "[time 4]"},
		{func(_ *Graph, x, _ *Node) *Node { return Reshape(x, x.Dim(0)*2, -1) }, "calculated with one that is open"},
		{func(_ *Graph, x, _ *Node) *Node { return Reshape(x, 5, x.Dim(0)) }, "batch"},
		{func(_ *Graph, x, y *Node) *Node { return Concat(1, x, y) }, "batch"},
	} {
		g := NewGraph("mistake")
		x, y := g.Input("x", tensor.Float32, Dim("batch"), 4), g.Input("y", tensor.Float32, Dim("time"), 4)
		c.build(g, x, y)
		err := g.Err()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "open_sizes_test.go") {
			t.Errorf("%v, want %q", err, c.want)
		}
		if strings.Contains(fmt.Sprint(err), "-107") || strings.Contains(fmt.Sprint(err), "336") {
			t.Errorf("sizes that nobody wrote: %v", err)
		}
	}
}

// TestExtentsOfResultsAreExpressions: equal extents are known to be equal however they were computed.
func TestExtentsOfResultsAreExpressions(t *testing.T) {
	t.Parallel()
	g := NewGraph("extents")
	x := g.Input("x", tensor.Float32, Dim("batch"), Dim("time"), 6)
	y := Reshape(x, -1, 3)
	half := g.Extent("half", func(n []int) int { return n[0] / 2 }, x.Dim(1))
	for i, c := range []struct {
		n    *Node
		want string
	}{
		{y, "[2*batch*time 3]"}, {Concat(0, x, x), "[2*batch time 6]"}, {Flatten(x, 1), "[batch 6*time]"}, {Sum(x, 1), "[batch 6]"},
		{Concat(1, x, x), "[batch 2*time 6]"}, {Slice(x, Range{Axis: 1, Start: 1}), "[batch time-1 6]"}, {Slice(x, Range{Axis: 1, Stop: half}), "[batch half 6]"},
		{Transpose(x, 2, 1, 0), "[6 time batch]"}, {Add(Slice(x, Range{Axis: 1, Start: 1}), Slice(x, Range{Axis: 1, Stop: -1})), "[batch time-1 6]"},
		{BroadcastTo(g.Full(tensor.Float32, 1, 6), x.Dim(1), 6), "[time 6]"}, {Split(x, 0, 2)[1], "[batch/2 time 6]"}, {Gradients(Sum(Square(x)), x)[0], "[batch time 6]"},
	} {
		if got := opstest.Dims(c.n); got != c.want {
			t.Errorf("%d: %v, want %s", i, c.n, c.want)
		}
	}
	require.NoError(t, g.Err())
	require.Equal(t, Dynamic, y.Size())
}

// TestFeedsOfOpenSizesAreChecked: an extent that differs between inputs, exceeds its bound, or stands where a number is.
func TestFeedsOfOpenSizesAreChecked(t *testing.T) {
	t.Parallel()
	rt := openOrSkip(t, "cpu")
	g := NewGraph("feeds")
	x := g.Input("x", tensor.Float32, DimUpTo("batch", 10), 4)
	y := g.Input("y", tensor.Float32, DimUpTo("batch", 10), 1)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Mul(x, y)}, Sizes: []Sizes{{"batch": 3}}})
	require.NoError(t, err)
	defer exe.Close()
	f := func(shape ...int) *tensor.Tensor { return tensor.Must(tensor.New(tensor.Float32, shape...)) }
	for _, c := range []struct {
		feeds Feeds
		want  string
	}{
		{Feeds{x: f(2, 4), y: f(3, 1)}, "batch is 2 in input x and 3 in input y"},
		{Feeds{x: f(11, 4), y: f(11, 1)}, "batch is 11, more than its bound 10"},
		{Feeds{x: f(2, 5), y: f(2, 1)}, "input x is float32[batch 4], not float32[2 5]"},
		{Feeds{x: f(2, 4)}, "input y (float32[batch 1]"},
	} {
		_, err := exe.Run(t.Context(), c.feeds)
		require.ErrorIs(t, err, ErrFeed)
		require.ErrorContains(t, err, c.want)
	}
	out, err := exe.Run(t.Context(), Feeds{x: f(2, 4), y: f(2, 1)})
	require.NoError(t, err)
	require.Equal(t, []int{2, 4}, []int(out[0].Shape()))
	_, err = g.Compile(t.Context(), rt, Target{Outputs: []*Node{Mul(x, y)}, Sizes: []Sizes{{"rows": 3}}})
	require.ErrorContains(t, err, "batch has no size; rows is no open extent of an input")
}

// TestLoopsAndBranchesHaveOpenSizes: their regions are built again for the sizes of a run, with their gradients.
func TestLoopsAndBranchesHaveOpenSizes(t *testing.T) {
	t.Parallel()
	rt := openOrSkip(t, "cpu")
	build := func(g *Graph, time, batch int) (x *Node, outs []*Node) {
		x = g.Input("x", tensor.Float32, time, batch, 3)
		w := g.Variable("w", drawn(rand.New(rand.NewPCG(1, 1)), 3, 3))
		h := g.Full(tensor.Float32, 0.5, x.Dim(1), 3)
		last, ys := Scan([]*Node{h}, []*Node{x}, func(i *Node, s, x []*Node) (next, y []*Node) {
			h := Tanh(Add(MatMul(s[0], w), x[0]))
			h = If(Greater(Sum(h), 0), func() []*Node { return []*Node{Mul(h, 0.9)} }, func() []*Node { return []*Node{Add(h, Cast(i, h.DType()))} })[0]
			return []*Node{h}, []*Node{Sum(h, 1)}
		}, &ScanOptions{Reverse: true})
		loss := Add(Sum(Square(last[0])), Sum(ys[0]))
		return x, append([]*Node{loss, ys[0]}, Gradients(loss, x, w)...)
	}
	open := NewGraph("open")
	x, outs := build(open, Dim("time"), Dim("batch"))
	require.NoError(t, open.Err())
	exe, err := open.Compile(t.Context(), rt, Target{Outputs: outs})
	require.NoError(t, err)
	defer exe.Close()
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range [][2]int{{4, 2}, {1, 3}, {6, 1}, {4, 2}} {
		feed := drawn(r, s[0], s[1], 3)
		got, err := exe.Run(t.Context(), Feeds{x: feed})
		require.NoError(t, err)
		g := NewGraph("fixed")
		x, outs := build(g, s[0], s[1])
		fixed, err := g.Compile(t.Context(), rt, Target{Outputs: outs})
		require.NoError(t, err)
		want, err := fixed.Run(t.Context(), Feeds{x: feed})
		require.NoError(t, err)
		for i := range want {
			require.Equal(t, want[i].String(), got[i].String(), "%v %d", s, i)
		}
		require.NoError(t, fixed.Close())
	}
}

// TestRandomNumbersGoOnFromSizeToSize: runs of one executable draw other numbers each, whatever their sizes.
func TestRandomNumbersGoOnFromSizeToSize(t *testing.T) {
	t.Parallel()
	rt := openOrSkip(t, "cpu")
	g := NewGraph("random")
	x := g.Input("x", tensor.Float32, Dynamic)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(Dropout(x, 0.5), g.Uniform(tensor.Float32, x.Dim(0)))}})
	require.NoError(t, err)
	defer exe.Close()
	var firsts []float64
	for _, n := range []int{3, 4, 3, 4, 5} {
		out, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.New(tensor.Float32, n))})
		require.NoError(t, err)
		require.Equal(t, n, out[0].Len())
		require.False(t, slices.Contains(firsts, out[0].Float64At(0)))
		firsts = append(firsts, out[0].Float64At(0))
	}
}

// The extent of an input that a target does not need is not known in its runs, nor wanted.
func TestInputsThatATargetDoesNotNeedMayHaveOpenExtents(t *testing.T) {
	t.Parallel()
	rt, err := Open(t.Context(), &Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	g := NewGraph("two targets")
	x, labels := g.Input("x", tensor.Float32, Dim("n"), 2), g.Input("labels", tensor.Float32, Dim("m"))
	y := Sum(x, 1)
	loss := Mul(Sum(y), Sum(labels))
	predict, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	defer predict.Close()
	out, err := predict.Run(t.Context(), Feeds{x: tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2))})
	require.NoError(t, err)
	require.Equal(t, []float64{3, 7}, []float64{out[0].Float64At(0), out[0].Float64At(1)})
	train, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{loss}})
	require.NoError(t, err)
	defer train.Close()
	out, err = train.Run(t.Context(), Feeds{x: tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2)), labels: tensor.Must(tensor.FromSlice([]float32{1, 10}))})
	require.NoError(t, err)
	require.Equal(t, 110.0, out[0].Float64At(0))
}

// Numbers far below all handles of extents, infinities among them, are numbers.
func TestNumbersAreNotTakenForExtents(t *testing.T) {
	t.Parallel()
	g := NewGraph("numbers")
	x := g.Input("x", tensor.Float64, Dim("rows"))
	k := g.Input("k", tensor.Int64, Dim("rows"))
	Where(IsNaN(x), x, math.Inf(-1))
	Maximum(Maximum(x, math.Inf(1)), -1e300)
	Maximum(k, int64(math.MinInt64))
	Maximum(k, math.MinInt32)
	Maximum(Maximum(x, -1e9), -1e10)
	require.NoError(t, g.Err())
}

// What is calculated with the handle of an extent is a mistake.
func TestNumbersCalculatedWithExtentsAreMistakes(t *testing.T) {
	t.Parallel()
	for _, f := range []func(n int) float64{
		func(n int) float64 { return float64(5 * n) }, func(n int) float64 { return float64(n + 1) },
		func(n int) float64 { return float64(n / 2) }, func(n int) float64 { return 2*float64(n) - 3 },
	} {
		g := NewGraph("calculated")
		x := g.Input("x", tensor.Float64, Dim("calculated with"))
		Mul(x, f(x.Dim(0)))
		require.ErrorContains(t, g.Err(), "calculated")
	}
}

func TestAnExtentThatNoRunKnowsIsAMistake(t *testing.T) {
	t.Parallel()
	rt, err := Open(t.Context(), &Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	g := NewGraph("unknown")
	one := BroadcastTo(g.Full(tensor.Float32, 1), Dim("rows"))
	_, err = g.Compile(t.Context(), rt, Target{Outputs: []*Node{Sum(one)}})
	require.ErrorContains(t, err, "rows")
	require.ErrorContains(t, err, "no run says how large it is")
}

// Runs that meet sizes for the first time wait for the one that compiles the plan.
func TestRunsAtTheSameTimeWaitForTheirPlan(t *testing.T) {
	t.Parallel()
	rt, err := Open(t.Context(), &Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	g := NewGraph("together")
	x := g.Input("x", tensor.Float32, Dim("rows"))
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Sum(Exp(x))}})
	require.NoError(t, err)
	defer exe.Close()
	for n := range 50 {
		feed := tensor.Must(tensor.New(tensor.Float32, n+1))
		start := make(chan struct{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				<-start
				out, err := exe.Run(t.Context(), Feeds{x: feed})
				if err != nil || out[0].Float64At(0) != float64(feed.Len()) {
					t.Errorf("%v of %d", err, feed.Len())
				}
			})
		}
		close(start)
		wg.Wait()
	}
}
