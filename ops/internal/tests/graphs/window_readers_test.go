package graphs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Windows over images that were moved slide over rows that are read once, be there padding or not: an image whose rows and columns were
// exchanged is read across, one that an index finds, or whose rows begin somewhere else, is found once before.
func TestWindowsSlideOverMovedImages(t *testing.T) {
	opstest.NumbersOnly(t)
	rt := opstest.Device(t)
	const channels, side = 12, 20
	order := tensor.Must(tensor.New(tensor.Int64, side))
	for i := range side {
		order.SetFloat64(i, float64((i*7+3)%side))
	}
	moves := map[string]func(x *Node) *Node{
		"exchanged":          func(x *Node) *Node { return Transpose(x, 0, 1, 3, 2) },
		"computed exchanged": func(x *Node) *Node { return Transpose(Exp(x), 0, 1, 3, 2) },
		"rows found":         func(x *Node) *Node { return Gather(x, 2, x.Graph().Const(order)) },
		"columns found":      func(x *Node) *Node { return Gather(x, 3, x.Graph().Const(order)) },
		"rolled":             func(x *Node) *Node { return Roll(x, []int{3, 5}, 2, 3) },
		"computed rolled":    func(x *Node) *Node { return Roll(Exp(x), []int{3}, 2) },
		"tiled": func(x *Node) *Node {
			return Tile(Narrow(x, 3, 0, side/2), 1, 1, 1, 2)
		},
		"channels found": func(x *Node) *Node {
			return Gather(x, 1, x.Graph().Const(tensor.Must(tensor.FromSlice([]int64{3, 1, 0, 2, 7, 5, 4, 6, 11, 9, 8, 10}))))
		},
	}
	reads := map[string]func(x, w *Node) *Node{
		"depthwise":        func(x, w *Node) *Node { return Conv2D(x, w, Conv2DOptions{Groups: channels}) },
		"depthwise padded": func(x, w *Node) *Node { return Conv2D(x, w, Conv2DOptions{Pad: [2]int{2, 1}, Groups: channels}) },
		"maximum":          func(x, _ *Node) *Node { return MaxPool2D(x, PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{1, 1}}) },
		"weights' gradient": func(x, w *Node) *Node {
			return Gradients(Sum(Square(Conv2D(x, w, Conv2DOptions{Groups: channels}))), w)[0]
		},
	}
	for from, move := range moves {
		for by, read := range reads {
			t.Run(from+"/"+by, func(t *testing.T) {
				t.Parallel()
				graph := NewGraph("moved")
				x, w := graph.Input("x", tensor.Float32, 2, channels, side, side), graph.Input("w", tensor.Float32, channels, 1, 5, 3)
				feeds := Feeds{x: waves(2, channels, side, side), w: waves(channels, 1, 5, 3)}
				y := read(move(x), w)
				var results []*tensor.Tensor
				for _, place := range []Place{Device(0), OnCPU} {
					exe, err := graph.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Place: place})
					require.NoError(t, err)
					defer exe.Close()
					out, err := exe.Run(t.Context(), feeds)
					require.NoError(t, err)
					results = append(results, out[0])
					if place == OnCPU || rt.Device().Class != platform.CPU {
						continue
					}
					slides := false
					for _, task := range exe.Report().Tasks {
						slides = slides || strings.HasPrefix(task.Plan.Variant, "window")
					}
					require.True(t, slides, exe.Explain())
				}
				for i := range results[0].Len() {
					require.InEpsilon(t, 100+results[1].Float64At(i), 100+results[0].Float64At(i), 1e-4)
				}
			})
		}
	}
}

// waves are numbers between -1.375 and 1.375 of either sign.
func waves(shape ...int) *tensor.Tensor {
	v := tensor.Must(tensor.New(tensor.Float32, shape...))
	for i := range v.Len() {
		v.SetFloat64(i, float64(i*7%23-11)/8)
	}
	return v
}

// What takes long is computed in vectors before an index finds or places its elements one by one, or a fold takes it as one of several parts;
// what is cheap, or read of few rows, where it is read.
func TestWhatTakesLongIsComputedInVectors(t *testing.T) {
	t.Parallel()
	const rows, columns = 64, 512
	graph := NewGraph("found")
	x := graph.Input("x", tensor.Float32, rows, columns)
	halves := Concat(1, Narrow(x, 1, 0, 256), Sin(Narrow(x, 1, 256, 256)))
	along, few := graph.Input("along", tensor.Int64, columns), graph.Input("few", tensor.Int64, 2)
	for name, c := range map[string]struct {
		y     *Node
		tasks int
	}{
		"long":            {Gather(GELU(x), 1, along), 2},
		"long, then":      {Add(Gather(Mul(GELU(x), 2), 1, along), 1), 2},
		"cheap":           {Gather(Add(x, 1), 1, along), 1},
		"of few columns":  {Gather(GELU(x), 1, few), 1},
		"many times":      {Gather(Exp(Narrow(x, 1, 0, 8)), 1, along), 2},
		"placed":          {IndexAdd(x, 1, along, GELU(x)), 3},
		"cheaply placed":  {IndexAdd(x, 1, along, Neg(x)), 2},
		"rows placed":     {IndexAdd(x, 0, few, Narrow(GELU(x), 0, 0, 2)), 1},
		"part of a fold":  {Max(halves, 0), 2},
		"part of rows":    {Softmax(halves, 1), 2},
		"part, turned":    {Transpose(halves, 1, 0), 2},
		"part of a map":   {Neg(halves), 1},
		"rows, turned":    {LogSumExp(Transpose(Gather(x, 0, Narrow(along, 0, 0, 64)), 1, 0), 1), 2},
		"rows":            {Sum(Square(Gather(x, 0, Narrow(along, 0, 0, 64))), 1), 1},
		"most of a fold":  {Max(Pad(GELU(x), 0, Padding{Axis: 1, Before: 1, After: 1}), 0), 1},
		"cheap in a fold": {Max(Concat(1, Narrow(x, 1, 0, 256), Neg(Narrow(x, 1, 256, 256))), 0), 1},
		"whole rows":      {Gather(GELU(x), 0, few), 1},
		"rolled, found":   {Gather(Roll(x, []int{5}, 1), 1, along), 2},
		"rolled, few":     {Gather(Roll(x, []int{5}, 1), 1, few), 1},
		"rolled, turned":  {Exp(Transpose(Roll(x, []int{5}, 1), 1, 0)), 2},
		"rolled, folded":  {Sum(Transpose(Roll(x, []int{5}, 1), 1, 0), 1), 1},
		"rolled and not":  {Add(x, Roll(x, []int{5}, 1)), 1},
		"tiled, turned":   {Exp(Transpose(Tile(Narrow(x, 1, 0, 256), 1, 2), 1, 0)), 2},
		"rows, found":     {Gather(Gather(x, 0, Narrow(along, 0, 0, rows)), 1, along), 1},
		"found twice":     {Gather(Gather(x, 1, along), 1, along), 1},
	} {
		t.Run(name, func(t *testing.T) {
			tasks := opstest.TasksOf(t, graph, Target{Outputs: []*Node{c.y}})
			require.Len(t, tasks, c.tasks, "%v", tasks)
		})
	}
}
