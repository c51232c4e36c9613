package onnx

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// shapes is a graph that calculates a shape as exporters do: y = reshape(x, [x.shape[0], -1]).
func shapes() *model.Graph {
	minus := &model.Tensor{Name: "minus", Type: model.Int64, Dims: []int64{1}, Int64s: []int64{-1}}
	zero := &model.Tensor{Name: "zero", Type: model.Int64, Dims: []int64{1}, Int64s: []int64{0}}
	return &model.Graph{
		Name: "shapes", Initializers: []*model.Tensor{minus, zero},
		Inputs: []*model.Value{input("x", "n", 2, "m")}, Outputs: []*model.Value{input("y", "n", "k")},
		Nodes: []*model.Node{
			node("Shape", []string{"x"}, "s"), node("Gather", []string{"s", "zero"}, "n0"),
			{Op: "Concat", Inputs: []string{"n0", "minus"}, Outputs: []string{"to"}, Attrs: []*model.Attr{{Name: "axis", Type: model.AttrInt}}},
			node("Reshape", []string{"x", "to"}, "y"),
		},
	}
}

func TestShapesAreCalculatedBeforeTheGraphRuns(t *testing.T) {
	t.Parallel()
	m := read(t, shapes())
	require.Equal(t, []int{-1, 2, -1}, m.Inputs()[0].Shape)
	require.Equal(t, []string{"n", "", "m"}, m.Inputs()[0].Dims)
	p := compile(t, m, nil)
	for _, shape := range [][]int{{3, 2, 4}, {1, 2, 1}, {3, 2, 4}} {
		require.Equal(t, []int{shape[0], 2 * shape[2]}, run(t, p, tensor.Must(tensor.New(tensor.Float32, shape...))).Shape())
	}
}

func TestPlansAreBounded(t *testing.T) {
	t.Parallel()
	p := compile(t, read(t, shapes()), &Options{Plans: 2})
	for n := range 6 {
		run(t, p, tensor.Must(tensor.New(tensor.Float32, n+1, 2, 3)))
		p.mu.Lock()
		require.LessOrEqual(t, len(p.plans), 2)
		p.mu.Unlock()
	}
}

func TestThePlanUsedLastIsKept(t *testing.T) {
	t.Parallel()
	p := compile(t, read(t, shapes()), &Options{Plans: 2})
	kept := map[int]*plan{}
	for _, n := range []int{1, 2, 1, 3, 1} {
		x := map[string]*tensor.Tensor{"x": tensor.Must(tensor.New(tensor.Float32, n, 2, 3))}
		ready := p.readyFor(x)
		require.Same(t, kept[n], ready, "%d", n)
		_, err := p.Run(t.Context(), x)
		require.NoError(t, err)
		if kept[n] = p.readyFor(x); n == 3 {
			require.Nil(t, p.readyFor(map[string]*tensor.Tensor{"x": tensor.Must(tensor.New(tensor.Float32, 2, 2, 3))}))
		}
	}
}

func TestSizesThatDependOnContentsAreThoseOfTheRun(t *testing.T) {
	t.Parallel()
	m := read(t, &model.Graph{
		Name: "expand", Inputs: []*model.Value{input("x", 1), typed("shape", model.Int64, 1)}, Outputs: []*model.Value{input("y", "n")},
		Nodes: []*model.Node{node("Expand", []string{"x", "shape"}, "y")},
	})
	p := compile(t, m, nil)
	for _, n := range []int64{3, 5, 3} {
		out, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": vector(float32(2)), "shape": vector(n)})
		require.NoError(t, err)
		require.Equal(t, []int{int(n)}, out["y"].Shape())
		require.Equal(t, 2.0, out["y"].Float64At(int(n)-1))
	}
}

func TestProgramsRunFromSeveralGoroutines(t *testing.T) {
	t.Parallel()
	p := compile(t, read(t, shapes()), &Options{Plans: 3})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 10 {
				x := tensor.Must(tensor.New(tensor.Float32, 1+(i+k)%5, 2, 3))
				x.SetFloat64(0, float64(i))
				out, err := p.Run(context.Background(), map[string]*tensor.Tensor{"x": x})
				if err != nil || out["y"].Float64At(0) != float64(i) {
					t.Error(err, out)
				}
			}
		})
	}
	wg.Wait()
}

func TestAllThatIsUnsupportedIsOneError(t *testing.T) {
	t.Parallel()
	_, err := Read(bytes.NewReader(encoded(&model.Graph{
		Inputs: []*model.Value{input("x", 1), {Name: "s", Kind: "sequence"}}, Outputs: []*model.Value{input("y", 1)},
		Nodes: []*model.Node{node("Frob", []string{"x"}, "a"), node("Nicate", []string{"a"}, "y")},
	})))
	require.ErrorIs(t, err, ErrUnsupported)
	for _, text := range []string{`"s" is a sequence`, `Frob "Frob_a"`, `Nicate "Nicate_y"`} {
		require.ErrorContains(t, err, text)
	}
}

func TestUnknownAttributesAndInputsAreRefused(t *testing.T) {
	t.Parallel()
	for text, n := range map[string]*model.Node{
		`attribute "frob" is not known`: node("Relu", []string{"x"}, "y", ints("frob", 1)),
		"input 1 is not known":          node("Relu", []string{"x", "x"}, "y"),
		"its input 1 is missing":        node("Add", []string{"x"}, "y"),
		"is made by nothing":            node("Relu", []string{"z"}, "y"),
	} {
		_, err := Read(bytes.NewReader(encoded(&model.Graph{
			Inputs: []*model.Value{input("x", 1)}, Outputs: []*model.Value{input("y", 1)}, Nodes: []*model.Node{n},
		})))
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, text)
	}
}

func TestFunctionsOfAModelAreExpanded(t *testing.T) {
	t.Parallel()
	m, err := Read(bytes.NewReader(model.Encode(&model.Model{
		Opsets: map[string]int64{"": 18, "my": 1},
		Graph: &model.Graph{Inputs: []*model.Value{input("x", 2)}, Outputs: []*model.Value{input("y", 2)}, Nodes: []*model.Node{
			{Op: "Leaky", Domain: "my", Inputs: []string{"x", ""}, Outputs: []string{"y"}, Attrs: []*model.Attr{{Name: "by", Type: model.AttrFloat, Float: 0.5}}},
		}},
		Functions: []*model.Function{{Name: "Leaky", Domain: "my", Inputs: []string{"a", "unused"}, Outputs: []string{"b"}, Opsets: map[string]int64{"": 18},
			Nodes: []*model.Node{node("LeakyRelu", []string{"a"}, "b", &model.Attr{Name: "alpha", Type: model.AttrFloat, Ref: "by"})}}},
	})))
	require.NoError(t, err)
	require.Equal(t, -1.0, run(t, compile(t, m, nil), vector[float32](-2, 3)).Float64At(0))
}

func TestFunctionsThatCallThemselvesAreAnError(t *testing.T) {
	t.Parallel()
	_, err := Read(bytes.NewReader(model.Encode(&model.Model{
		Opsets: map[string]int64{"": 18, "my": 1},
		Graph: &model.Graph{Inputs: []*model.Value{input("x", 2)}, Outputs: []*model.Value{input("y", 2)},
			Nodes: []*model.Node{{Op: "F", Domain: "my", Inputs: []string{"x"}, Outputs: []string{"y"}}}},
		Functions: []*model.Function{{Name: "F", Domain: "my", Inputs: []string{"a"}, Outputs: []string{"b"}, Opsets: map[string]int64{"my": 1},
			Nodes: []*model.Node{{Op: "F", Domain: "my", Inputs: []string{"a"}, Outputs: []string{"b"}}}}},
	})))
	require.ErrorContains(t, err, "nested more than")
}

func TestBranchesOfDataRunInTheGraph(t *testing.T) {
	t.Parallel()
	body := func(op string) *model.Graph {
		return &model.Graph{Name: op, Outputs: []*model.Value{input("z", 2)}, Nodes: []*model.Node{node(op, []string{"x"}, "z")}}
	}
	m := read(t, &model.Graph{
		Inputs: []*model.Value{input("x", 2), typed("c", model.Bool)}, Outputs: []*model.Value{input("y", 2)},
		Nodes: []*model.Node{node("If", []string{"c"}, "y", graphAttr("then_branch", body("Neg")), graphAttr("else_branch", body("Relu")))},
	})
	p := compile(t, m, nil)
	for c, want := range map[bool]float64{true: 3, false: 0} {
		out, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": vector[float32](-3, 1), "c": tensor.Scalar(c)})
		require.NoError(t, err)
		require.Equal(t, want, out["y"].Float64At(0))
	}
	require.Len(t, p.plans, 1)
}

func TestExternalDataStayInTheFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, make([]byte, 8), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "w.bin"), []byte{0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64}, 0o600))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "link")))
	load := func(external map[string]string) (*Model, error) {
		path := filepath.Join(dir, filepath.Base(t.TempDir())+".onnx")
		require.NoError(t, os.WriteFile(path, encoded(&model.Graph{
			Inputs: []*model.Value{input("x", 2)}, Outputs: []*model.Value{input("y", 2)}, Nodes: []*model.Node{node("Add", []string{"x", "w"}, "y")},
			Initializers: []*model.Tensor{{Name: "w", Type: model.Float32, Dims: []int64{2}, External: external}},
		}), 0o600))
		return Load(path)
	}
	m, err := load(map[string]string{"location": "w.bin", "offset": "4", "length": "8"})
	require.NoError(t, err)
	require.Equal(t, 2.0, run(t, compile(t, m, nil), vector[float32](0, 0)).Float64At(1))
	for location, text := range map[string]string{secret: "not in the folder", "../" + filepath.Base(filepath.Dir(secret)) + "/secret": "not in the folder", "link": "is no file"} {
		_, err = load(map[string]string{"location": location})
		require.ErrorContains(t, err, text)
	}
	_, err = load(map[string]string{"location": "w.bin", "offset": "8"})
	require.ErrorContains(t, err, "unexpected EOF")
}

func TestWeightsCanBeTrained(t *testing.T) {
	t.Parallel()
	m := read(t, &model.Graph{
		Inputs: []*model.Value{input("x", "n", 2)}, Outputs: []*model.Value{input("y", "n", 1)},
		Initializers: []*model.Tensor{weight(t, "w", tensor.Must(tensor.FromSlice([]float32{1, 2}, 2, 1)))},
		Nodes:        []*model.Node{node("MatMul", []string{"x", "w"}, "y")},
	})
	g, err := m.Graph(&GraphOptions{Shapes: map[string][]int{"x": {3, 2}}, Variables: true})
	require.NoError(t, err)
	require.Len(t, g.Weights, 1)
	d := ops.Gradients(ops.Sum(g.Outputs["y"]), g.Weights...)
	require.NoError(t, g.Graph.Err())
	require.Equal(t, []int{2, 1}, d[0].Shape())
}

func TestInputsThatDoNotFitAreErrors(t *testing.T) {
	t.Parallel()
	p := compile(t, read(t, shapes()), nil)
	run(t, p, tensor.Must(tensor.New(tensor.Float32, 1, 2, 1))) // so that a plan is there for some
	for text, in := range map[string]map[string]*tensor.Tensor{
		`input "x" is missing`:       {},
		`input "x" is int64, not`:    {"x": vector[int64](1)},
		"has shape [1], not [n 2 m]": {"x": vector[float32](1)},
		`input "x" is float64, not`:  {"x": tensor.Must(tensor.New(tensor.Float64, 1, 2, 1))},
		`there is no input "y"`:      {"y": tensor.Must(tensor.New(tensor.Float32, 1, 2, 1)), "x": tensor.Must(tensor.New(tensor.Float32, 1, 2, 1))},
		`there is no input "z"`:      {"x": tensor.Must(tensor.New(tensor.Float32, 1, 2, 1)), "z": vector[float32](1)},
		"axis 1 is to be 2":          {"x": tensor.Must(tensor.New(tensor.Float32, 1, 3, 1))},
	} {
		_, err := p.Run(t.Context(), in)
		require.ErrorContains(t, err, text)
	}
}

// Exporters give an empty tensor in the place of scales where sizes are meant.
func TestResizeWithEmptyScales(t *testing.T) {
	t.Parallel()
	m := read(t, &model.Graph{
		Name: "resize", Inputs: []*model.Value{input("x", 1, 1, 1, 2)}, Outputs: []*model.Value{input("y", 1, 1, 1, 4)},
		Initializers: []*model.Tensor{weight(t, "scales", tensor.Must(tensor.New(tensor.Float32, 0))), weight(t, "sizes", vector[int64](1, 1, 1, 4))},
		Nodes:        []*model.Node{node("Resize", []string{"x", "", "scales", "sizes"}, "y")},
	})
	y := run(t, compile(t, m, nil), tensor.Must(tensor.FromSlice([]float32{1, 2}, 1, 1, 1, 2)))
	require.Equal(t, tensor.Must(tensor.FromSlice([]float32{1, 1, 2, 2}, 1, 1, 1, 4)), y)
}

// Constants of a normalisation are folded to a factor and an addend, but not where they can be trained.
func TestNormalisationByConstantsIsFolded(t *testing.T) {
	t.Parallel()
	g := &model.Graph{Name: "norm", Inputs: []*model.Value{input("x", 1, 2, 3)}, Outputs: []*model.Value{input("y", 1, 2, 3)},
		Nodes: []*model.Node{node("BatchNormalization", []string{"x", "scale", "shift", "mean", "variance"}, "y")},
		Initializers: []*model.Tensor{
			weight(t, "scale", vector[float32](2, -1)), weight(t, "shift", vector[float32](0.5, 3)),
			weight(t, "mean", vector[float32](100, -1)), weight(t, "variance", vector[float32](4, 0.25)),
		}}
	m := read(t, g)
	x := tensor.Must(tensor.FromSlice([]float32{98, 100, 103, 0, -1, 5}, 1, 2, 3))
	got := run(t, compile(t, m, nil), x)
	for i, v := range x.All() {
		c := i / 3
		want := (v-[]float64{100, -1}[c])/math.Sqrt([]float64{4, 0.25}[c]+1e-5)*[]float64{2, -1}[c] + []float64{0.5, 3}[c]
		require.InDelta(t, want, got.Float64At(i), 2e-5)
	}
	for trained, nodes := range map[bool]bool{false: false, true: true} {
		built, err := m.Graph(&GraphOptions{Variables: trained})
		require.NoError(t, err)
		norms := false
		for n := range built.Graph.Nodes() {
			norms = norms || n.Op().Name == "batch_norm"
		}
		require.Equal(t, nodes, norms)
	}
}
