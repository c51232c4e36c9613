package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/safetensors"
	"github.com/anycl/anycl/tensor"
)

// perceptron is a network of two layers with its input and output.
func perceptron(batch int) (x, y *ops.Node) {
	g := ops.NewGraph("perceptron")
	x = g.Input("features", tensor.Float32, batch, 3)
	m := nn.New(g, nn.Sequential{&nn.Linear{In: 3, Out: 4}, nn.ReLU, &nn.Linear{In: 4, Out: 2}}, nn.Options{Seed: 1})
	return x, m.Eval().Apply(x)
}

func TestNamesAreKept(t *testing.T) {
	t.Parallel()
	_, y := perceptron(5)
	path := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, Save(t.Context(), path, []Output{{"scores", y}}, &SaveOptions{Metadata: map[string]string{"by": "test"}}))
	m, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, "features", m.Inputs()[0].Name)
	require.Equal(t, []int{5, 3}, m.Inputs()[0].Shape)
	require.Equal(t, "scores", m.Outputs()[0].Name)
	require.Equal(t, []int{5, 2}, m.Outputs()[0].Shape)
	for _, name := range []string{"0.weight", "0.bias", "2.weight", "2.bias"} {
		require.Contains(t, m.Weights(), name)
	}
	producer, _ := m.Producer()
	require.Equal(t, "anycl", producer)
	require.Equal(t, map[string]string{"by": "test"}, m.m.Metadata)
}

// An input, a constant and one value twice can be outputs too.
func TestOutputsThatNothingComputes(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("outputs")
	x := g.Input("x", tensor.Float32, 2)
	y := ops.Exp(x)
	c := g.Const(vector[float32](7, 8))
	var b bytes.Buffer
	require.NoError(t, Write(t.Context(), &b, []Output{{"same", x}, {"e", y}, {"again", y}, {"c", c}}, nil))
	m, err := Read(&b)
	require.NoError(t, err)
	got, err := compile(t, m, nil).Run(t.Context(), map[string]*tensor.Tensor{"x": vector[float32](0, 0)})
	require.NoError(t, err)
	for name, want := range map[string]*tensor.Tensor{"same": vector[float32](0, 0), "e": vector[float32](1, 1), "again": vector[float32](1, 1), "c": vector[float32](7, 8)} {
		require.True(t, tensor.Equal(want, got[name]), name)
	}
}

func TestAllThatCannotBeWrittenIsOneError(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("strange")
	x := g.Input("x", tensor.Float32, 4)
	own := ops.Kernel(g, ops.KernelOptions{
		Name: "twice", Entry: "twice", Source: "kernel void twice(global const float *x, global float *y) { y[get_global_id(0)] = 2 * x[get_global_id(0)]; }",
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{4}}},
	}, x)[0]
	y := ops.Add(ops.Add(own, ops.Dropout(x, 0.5)), ops.Sum(linalg.SVDVals(ops.Reshape(x, 2, 2)), 0))
	err := Write(t.Context(), &bytes.Buffer{}, []Output{{"y", y}}, nil)
	require.ErrorIs(t, err, ErrUnsupported)
	for _, what := range []string{"kernel at", "uniform at", "linalg.svd at", "save_test.go:"} {
		require.ErrorContains(t, err, what)
	}
}

func TestMistakesOfCallersAreErrors(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("mistakes")
	x := g.Input("x", tensor.Float32, 2)
	open := g.Input("open", tensor.Float32, ops.Dim("n"))
	other := ops.NewGraph("other").Input("x", tensor.Float32, 2)
	for _, c := range []struct {
		outputs []Output
		o       *SaveOptions
		want    string
	}{
		{nil, nil, "there are no outputs"},
		{[]Output{{"y", nil}}, nil, "there are no outputs"},
		{[]Output{{"", x}}, nil, "has no name"},
		{[]Output{{"y", x}, {"y", x}}, nil, `two outputs are called "y"`},
		{[]Output{{"y", x}, {"z", other}}, nil, "two graphs"},
		{[]Output{{"y", x}}, &SaveOptions{Opset: 12}, "version 12"},
		{[]Output{{"y", ops.Exp(open)}}, &SaveOptions{Sizes: ops.Sizes{"n": 3, "m": 1}}, "m is no open extent"},
	} {
		err := Write(t.Context(), &bytes.Buffer{}, c.outputs, c.o)
		require.ErrorContains(t, err, c.want)
	}
	bad := ops.Add(x, g.Const(vector[int32](1, 2)))
	require.ErrorContains(t, Write(t.Context(), &bytes.Buffer{}, []Output{{"y", bad}}, nil), "dtypes differ")
}

func TestWeightsInAFileBesideTheModel(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("large")
	x := g.Input("x", tensor.Float32, 1, 600)
	w := tensor.Must(tensor.New(tensor.Float32, 600, 3))
	for i := range w.Len() {
		w.SetFloat64(i, float64(i%7))
	}
	y := ops.MatMul(x, g.Variable("w", w))
	dir := t.TempDir()
	path := filepath.Join(dir, "model.onnx")
	require.NoError(t, Save(t.Context(), path, []Output{{"y", y}}, &SaveOptions{External: 1024}))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(1024))
	m, err := Load(path)
	require.NoError(t, err)
	require.True(t, tensor.Equal(w, m.Weights()["w"]))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left of what was begun")
}

// A model that was read is trained further, and its weights are put into the same model.
func TestFineTunedWeightsAreSavedIntoTheModel(t *testing.T) {
	t.Parallel()
	_, y := perceptron(5)
	dir := t.TempDir()
	path := filepath.Join(dir, "model.onnx")
	require.NoError(t, Save(t.Context(), path, []Output{{"scores", y}}, nil))
	m, err := Load(path)
	require.NoError(t, err)
	g, err := m.Graph(&GraphOptions{Variables: true})
	require.NoError(t, err)
	target := g.Graph.Input("target", tensor.Float32, 5, 2)
	loss := ops.MSELoss(g.Outputs["scores"], target, nil)
	rt := ops.NewRuntime(fallback.New(nil))
	defer rt.Close()
	step, err := g.Graph.Compile(t.Context(), rt, ops.Target{
		Outputs: []*ops.Node{loss}, Updates: optim.New(optim.SGD{LearningRate: 0.1}, g.Weights, optim.Options{}).Minimize(loss),
	})
	require.NoError(t, err)
	defer step.Close()
	features := tensor.Must(tensor.New(tensor.Float32, 5, 3))
	for i := range features.Len() {
		features.SetFloat64(i, float64(i%4)-1.5)
	}
	feeds := ops.Feeds{g.Inputs["features"]: features, target: tensor.Must(tensor.New(tensor.Float32, 5, 2))}
	first, err := step.Run(t.Context(), feeds)
	require.NoError(t, err)
	for range 20 {
		_, err = step.Run(t.Context(), feeds)
		require.NoError(t, err)
	}
	values, err := g.Values(t.Context())
	require.NoError(t, err)
	require.Len(t, values, 4)
	tuned := filepath.Join(dir, "tuned.onnx")
	require.NoError(t, m.Save(tuned, values, nil))
	require.NoError(t, safetensors.Save(filepath.Join(dir, "tuned.safetensors"), values, nil))

	again, err := Load(tuned)
	require.NoError(t, err)
	require.True(t, tensor.Equal(values["0.weight"], again.Weights()["0.weight"]))
	require.False(t, tensor.Equal(m.Weights()["0.weight"], again.Weights()["0.weight"]))
	out, err := compile(t, again, nil).Run(t.Context(), map[string]*tensor.Tensor{"features": features})
	require.NoError(t, err)
	var sum float64
	for _, v := range out["scores"].All() {
		sum += v * v
	}
	require.Less(t, sum/10, first[0].Float64At(0)/2, "the loss has fallen")

	require.ErrorContains(t, m.Save(tuned, map[string]*tensor.Tensor{"none": features}, nil), `no weight "none"`)
	require.ErrorContains(t, m.Save(tuned, map[string]*tensor.Tensor{"0.weight": features}, nil), "0.weight")
}

// Loops, branches and the nodes that they read come back as they were.
func TestControlFlowIsWritten(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("control")
	x := g.Input("x", tensor.Float32, 3)
	limit := g.Input("limit", tensor.Float32)
	double := ops.While([]*ops.Node{x}, func(s []*ops.Node) *ops.Node { return ops.Less(ops.Sum(s[0]), limit) },
		func(s []*ops.Node) []*ops.Node { return []*ops.Node{ops.Add(s[0], s[0])} }, nil)[0]
	either := ops.If(ops.Greater(ops.Sum(double), 100), func() []*ops.Node { return []*ops.Node{x} }, func() []*ops.Node { return []*ops.Node{ops.Neg(double)} })[0]
	_, rows := ops.Scan([]*ops.Node{ops.Sum(x)}, []*ops.Node{x}, func(i *ops.Node, s, row []*ops.Node) (next, y []*ops.Node) {
		sum := ops.Add(s[0], row[0])
		return []*ops.Node{sum}, []*ops.Node{sum}
	}, &ops.ScanOptions{Reverse: true})
	var b bytes.Buffer
	require.NoError(t, Write(t.Context(), &b, []Output{{"double", double}, {"either", either}, {"rows", rows[0]}}, nil))
	m, err := Read(&b)
	require.NoError(t, err)
	require.Equal(t, 2, m.OpCounts()["Loop"])
	p := compile(t, m, nil)
	for _, c := range []struct {
		limit          float32
		double, either []float32
	}{
		{20, []float32{4, 8, 12}, []float32{-4, -8, -12}}, {1, []float32{1, 2, 3}, []float32{-1, -2, -3}}, {120, []float32{32, 64, 96}, []float32{1, 2, 3}},
	} {
		scalar := tensor.Must(tensor.New(tensor.Float32))
		scalar.SetFloat64(0, float64(c.limit))
		out, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": vector[float32](1, 2, 3), "limit": scalar})
		require.NoError(t, err)
		require.Equal(t, vector(c.double...), out["double"])
		require.Equal(t, vector(c.either...), out["either"])
		require.Equal(t, vector[float32](12, 11, 9), out["rows"])
	}
}
