package onnx

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/special"
	"github.com/anycl/anycl/tensor"
)

// waves is a tensor of numbers between -1 and 1.
func waves(dt tensor.DType, shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(dt, shape...))
	for i := range t.Len() {
		if dt.IsFloat() {
			t.SetFloat64(i, float64(i*7%13)/6-1)
		} else {
			t.SetFloat64(i, float64(i*5%7))
		}
	}
	return t
}

// network builds an output of x with layers of package nn.
func network(all ...any) func(g *ops.Graph, x *ops.Node) *ops.Node {
	return func(g *ops.Graph, x *ops.Node) *ops.Node {
		s := nn.Sequential{}
		for _, l := range all {
			switch l := l.(type) {
			case nn.Module:
				s = append(s, l)
			case func(x *ops.Node) *ops.Node:
				s = append(s, nn.Func(l))
			}
		}
		return nn.New(g, s, nn.Options{Seed: 3}).Eval().Apply(x)
	}
}

// A file that is written with open extents gives the results of the graph, for all sizes.
func TestOpenExtentsStayOpen(t *testing.T) {
	t.Parallel()
	batch, time, n, h, w := ops.Dim("batch"), ops.Dim("time"), ops.Dim("n"), ops.Dim("h"), ops.Dim("w")
	pool := func(x *ops.Node) *ops.Node { return ops.MaxPool2D(x, ops.PoolOptions{Size: [2]int{2, 2}}) }
	mean := func(x *ops.Node) *ops.Node { return ops.Mean(x, -1, -2) }
	transformer := nn.TransformerOptions{Embed: 4, Heads: 2, KeyHeads: 1, Rotary: &nn.Rotary{}, RMS: true, NormFirst: true}
	for name, c := range map[string]struct {
		dt    tensor.DType
		shape []int
		build func(g *ops.Graph, x *ops.Node) *ops.Node
		runs  [][]int
	}{
		"perceptron": {tensor.Float32, []int{batch, 3}, network(&nn.Linear{In: 3, Out: 4}, nn.ReLU, &nn.Linear{In: 4, Out: 2}), [][]int{{1, 3}, {5, 3}, {0, 3}}},
		"images": {tensor.Float32, []int{n, 2, h, w}, network(&nn.Conv{In: 2, Out: 4, Kernel: []int{3, 3}, Stride: []int{2, 2}, Pad: []int{1, 1}},
			&nn.BatchNorm{Channels: 4}, nn.ReLU, pool, nn.Conv2D(4, 3, 1), mean, &nn.Linear{In: 3, Out: 2}), [][]int{{1, 2, 8, 9}, {3, 2, 13, 12}}},
		"flattened": {tensor.Float32, []int{batch, 2, 4}, func(_ *ops.Graph, x *ops.Node) *ops.Node {
			return ops.Reshape(ops.Transpose(ops.Reshape(x, -1, 4)), 2, -1, x.Dim(0))
		}, [][]int{{1, 2, 4}, {6, 2, 4}}},
		"means": {tensor.Float32, []int{n, h}, func(_ *ops.Graph, x *ops.Node) *ops.Node {
			centred := ops.Sub(x, ops.KeepDims(ops.Mean(x, 0, 1)))
			return ops.Softmax(ops.Div(centred, ops.Sqrt(ops.Add(ops.KeepDims(ops.Variance(x, 1)), 1e-3))), 0)
		}, [][]int{{2, 3}, {7, 4}}},
		"positions": {tensor.Int64, []int{batch, time}, network(&nn.Embedding{Num: 9, Dim: 4}, &nn.Sinusoidal{Length: 8, Dim: 4}, &nn.LearnedPosition{Length: 8, Dim: 4}),
			[][]int{{1, 5}, {3, 8}, {2, 11}}},
		"transformer": {tensor.Float32, []int{batch, time, 4}, network(&nn.Encoder{TransformerOptions: transformer, Layers: 2, Norm: true}), [][]int{{1, 5, 4}, {3, 6, 4}}},
		"causal": {tensor.Float32, []int{batch, time, 4}, func(g *ops.Graph, x *ops.Node) *ops.Node {
			e := &nn.Encoder{TransformerOptions: transformer, Layers: 1}
			return e.Run(nn.New(g, e, nn.Options{Seed: 4}).Eval(), x, nn.AttendOptions{Causal: true}, nil)
		}, [][]int{{1, 1, 4}, {3, 6, 4}}},
		"recurrent": {tensor.Float32, []int{batch, time, 4}, network(&nn.GRU{In: 4, Hidden: 3, BatchFirst: true}, &nn.LSTM{In: 3, Hidden: 2, BatchFirst: true}), [][]int{{1, 5, 4}, {3, 1, 4}}},
		"loop": {tensor.Float32, []int{time, 3}, func(g *ops.Graph, x *ops.Node) *ops.Node {
			_, rows := ops.Scan([]*ops.Node{g.Full(tensor.Float32, 0, 3)}, []*ops.Node{x}, func(_ *ops.Node, s, row []*ops.Node) (next, y []*ops.Node) {
				sum := ops.Tanh(ops.Add(s[0], row[0]))
				return []*ops.Node{sum}, []*ops.Node{sum}
			}, nil)
			return rows[0]
		}, [][]int{{1, 3}, {4, 3}}},
		"special": {tensor.Float32, []int{n, 3}, func(_ *ops.Graph, x *ops.Node) *ops.Node {
			return ops.Add(special.LGamma(ops.Add(ops.Abs(x), 1)), ops.Roll(ops.Erfc(x), []int{1}, 1))
		}, [][]int{{2, 3}, {5, 3}}},
		"rolled": {tensor.Float32, []int{n, 3}, func(_ *ops.Graph, x *ops.Node) *ops.Node {
			return ops.Add(ops.Roll(x, []int{2, 1}, 0, 1), ops.Roll(x, []int{-1}, 0))
		}, [][]int{{3, 3}, {8, 3}}},
		"windows": {tensor.Float32, []int{n, 6}, func(_ *ops.Graph, x *ops.Node) *ops.Node {
			return ops.Max(ops.Windows(x, ops.Window{Axis: 0, Size: 2}, ops.Window{Axis: 1, Size: 3, Stride: 2}), -1)
		}, [][]int{{3, 6}, {8, 6}}},
		"even": {tensor.Float32, []int{n, 3}, func(_ *ops.Graph, x *ops.Node) *ops.Node {
			return ops.Sub(ops.Split(x, 0, 2)[1], ops.Split(x, 0, 2)[0])
		}, [][]int{{2, 3}, {8, 3}}},
		"bounded": {tensor.Float32, []int{ops.DimUpTo("few", 4), 3}, func(_ *ops.Graph, x *ops.Node) *ops.Node { return ops.CumSum(x, 0, nil) }, [][]int{{1, 3}, {4, 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := ops.NewGraph(name)
			x := g.Input("x", c.dt, c.shape...)
			y := c.build(g, x)
			require.NoError(t, g.Err())
			var b bytes.Buffer
			require.NoError(t, Write(t.Context(), &b, []Output{{"y", y}}, nil))
			m, err := Read(bytes.NewReader(b.Bytes()))
			require.NoError(t, err)
			for a, d := range c.shape {
				if d < 0 {
					require.Equal(t, -1, m.Inputs()[0].Shape[a])
					require.Equal(t, ops.DimName(d), m.Inputs()[0].Dims[a])
				}
			}
			p := compile(t, m, nil)
			exe, err := g.Compile(t.Context(), p.rt, ops.Target{Outputs: []*ops.Node{y}})
			require.NoError(t, err)
			defer exe.Close()
			for _, shape := range c.runs {
				in := waves(c.dt, shape...)
				want, err := exe.Run(t.Context(), ops.Feeds{x: in})
				require.NoError(t, err)
				got, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": in})
				require.NoError(t, err, "%v", shape)
				ok, text := tensor.AllClose(got["y"], want[0], 1e-4, 1e-5)
				require.True(t, ok, "%v: %s", shape, text)
				openCase(t, fmt.Sprintf("open-%s-%v", name, shape), b.Bytes(), in, want[0])
			}
		})
	}
}

// openCase keeps a run as a case of ONNX's backend tests below the folder ANYCL_ONNX_CASES, for other programs to run.
func openCase(t *testing.T, name string, file []byte, x, y *tensor.Tensor) {
	dir := os.Getenv("ANYCL_ONNX_CASES")
	if dir == "" {
		return
	}
	dir = filepath.Join(dir, "open", strings.ReplaceAll(name, " ", "x"))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "test_data_set_0"), 0o755))
	in, err := EncodeTensor("x", x)
	require.NoError(t, err)
	out, err := EncodeTensor("y", y)
	require.NoError(t, err)
	for path, b := range map[string][]byte{"model.onnx": file, "test_data_set_0/input_0.pb": in, "test_data_set_0/output_0.pb": out} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), b, 0o644))
	}
}

// Some extents can be numbers, and extents of outputs have names.
func TestSomeExtentsAreGiven(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("some")
	x := g.Input("x", tensor.Float32, ops.Dim("batch"), ops.Dim("time"), 3)
	y := ops.Reshape(x, -1, 3)
	for _, c := range []struct {
		sizes ops.Sizes
		in    string
		out   string
	}{
		{nil, "[batch time ]", "[batch*time ]"},
		{ops.Sizes{"time": 7}, "[batch  ]", "[7*batch ]"},
		{ops.Sizes{"time": 7, "batch": 2}, "[  ]", "[ ]"},
	} {
		var b bytes.Buffer
		require.NoError(t, Write(t.Context(), &b, []Output{{"y", y}}, &SaveOptions{Sizes: c.sizes}))
		m, err := Read(&b)
		require.NoError(t, err)
		require.Equal(t, c.in, fmt.Sprint(m.Inputs()[0].Dims))
		if c.sizes == nil {
			require.Equal(t, c.out, fmt.Sprint(m.Outputs()[0].Dims))
		}
	}
}

// A function of shapes that no operator computes is an error that says so.
func TestTablesOfOpenExtentsAreRefused(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("tables")
	x := g.Input("x", tensor.Float32, ops.Dim("n"))
	y := ops.DiagEmbed(x, 1, 0, 1)
	err := Write(t.Context(), &bytes.Buffer{}, []Output{{"y", y}}, nil)
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, "sizes for open extents may help")
	require.NoError(t, Write(t.Context(), &bytes.Buffer{}, []Output{{"y", y}}, &SaveOptions{Sizes: ops.Sizes{"n": 5}}))
}
