package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func varint(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

// nodeOf is a node of a graph, as a field of it.
func nodeOf(op string, in []string, out string, attrs ...[]byte) []byte {
	var b []byte
	for _, name := range in {
		b = field(b, 1, []byte(name))
	}
	b = field(field(b, 2, []byte(out)), 4, []byte(op))
	for _, a := range attrs {
		b = field(b, 5, a)
	}
	return field(nil, 1, b)
}

// valueOf is a value of a graph: a vector of 2 of an element type.
func valueOf(n protowire.Number, name string, kind uint64, size uint64) []byte {
	shape := field(nil, 1, varint(nil, 1, size))
	typ := field(nil, 1, field(varint(nil, 1, kind), 2, shape))
	return field(nil, n, field(field(nil, 1, []byte(name)), 2, typ))
}

func branchOf(name, op string) []byte {
	graph := slices.Concat(nodeOf(op, []string{"a"}, name), field(nil, 12, field(nil, 1, []byte(name))))
	return varint(field(nil, 6, graph), 20, 5)
}

// branching is y = relu(exp(x)) where c, else relu(-exp(x)).
func branching() []byte {
	then, otherwise := field(branchOf("t", "Identity"), 1, []byte("then_branch")), field(branchOf("e", "Neg"), 1, []byte("else_branch"))
	graph := slices.Concat(
		nodeOf("Exp", []string{"x"}, "a"), nodeOf("If", []string{"c"}, "b", then, otherwise), nodeOf("Relu", []string{"b"}, "y"),
		valueOf(11, "x", 1, 2), valueOf(11, "c", 9, 1), valueOf(12, "y", 1, 2))
	return slices.Concat(varint(nil, 1, 8), field(nil, 7, graph), field(nil, 8, varint(field(nil, 1, nil), 2, 17)))
}

// The results of all nodes are outputs of an opened model, and of the branch that is taken too once it stands in the graph.
func TestAnOpenedModelShowsAllResults(t *testing.T) {
	t.Parallel()
	data, layers, err := opened(branching())
	require.NoError(t, err)
	require.Len(t, layers, 3)
	rt := ops.NewRuntime(fallback.New(nil))
	defer rt.Close()
	in := map[string]*tensor.Tensor{"x": tensor.Must(tensor.FromSlice([]float32{0, 1}, 2)), "c": tensor.Must(tensor.FromSlice([]bool{false}, 1))}
	outputs := func(data []byte) map[string]*tensor.Tensor {
		m, err := onnx.Read(bytes.NewReader(data))
		require.NoError(t, err)
		out, err := ours(t.Context(), rt, m, in, nil)
		require.NoError(t, err)
		return out
	}
	out := outputs(data)
	require.Len(t, out, 3)
	require.InDelta(t, 2.718281828, out["a"].Float64At(1), 1e-6)
	require.InDelta(t, -2.718281828, out["b"].Float64At(1), 1e-6)

	flat, found, err := inlined(data, in)
	require.NoError(t, err)
	require.True(t, found)
	data, layers, err = opened(flat)
	require.NoError(t, err)
	require.Equal(t, []string{"Exp", "Neg", "Identity", "Relu"}, []string{layers[0].op, layers[1].op, layers[2].op, layers[3].op})
	out = outputs(data)
	require.InDelta(t, -2.718281828, out["e"].Float64At(1), 1e-6)
	require.Equal(t, 0.0, out["y"].Float64At(1))
	_, found, err = inlined(data, in)
	require.NoError(t, err)
	require.False(t, found)
	for _, bad := range [][]byte{{0xff}, data[:len(data)-3]} {
		_, _, err := opened(bad)
		require.Error(t, err)
	}
}

func TestDifferencesAreRelative(t *testing.T) {
	t.Parallel()
	a, b := tensor.Must(tensor.FromSlice([]float32{3, 4}, 2)), tensor.Must(tensor.FromSlice([]float32{3, 5}, 2))
	require.InDelta(t, 0.25, apart(b, a), 1e-9)
	require.InDelta(t, 0.2, apartByNorm(b, a), 1e-9)
	require.Zero(t, apartByNorm(a, a))
	require.Positive(t, apartByNorm(nil, a))
	zero, tiny := tensor.Must(tensor.New(tensor.Float32, 2)), tensor.Must(tensor.FromSlice([]float32{1e-9, 0}, 2))
	require.Equal(t, 1.0, apart(tiny, zero))
	require.Zero(t, apart(zero, zero))
	require.Equal(t, 0.25, worstApart(map[string]*tensor.Tensor{"x": b, "y": zero}, map[string]*tensor.Tensor{"x": a, "y": zero}))
}

func TestOpenExtentsOfImagesAreThoseOfPictures(t *testing.T) {
	t.Parallel()
	o := modelOptions{dims: map[string]string{"w": "32"}}
	for _, c := range []struct{ open, want []int }{
		{[]int{-1, 3, -1, -1}, []int{1, 3, 224, 32}}, {[]int{-1, 5, -1, -1}, []int{1, 5, 1, 32}}, {[]int{2, -1}, []int{2, 1}},
	} {
		x, err := o.made(onnx.Info{DType: tensor.Float32, Shape: c.open, Dims: []string{"n", "c", "h", "w"}}, 0)
		require.NoError(t, err)
		require.Equal(t, c.want, x.Shape())
	}
}

// Each model that the examples fetch has an input that it is run on.
func TestModelsAreKnownByTheirNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"opt-mnist", "face_detection_back_256x256_barracuda", "mlsd_320x320_large", "ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_rec_infer",
		"silero_vad_v5", "moonshine_encoder", "moonshine_decoder",
	} {
		require.True(t, slices.ContainsFunc(kinds, func(k kind) bool { return k.name.MatchString(name) }), name)
	}
	_, err := (&scene{}).inputs(&agreement{name: "unheard of"})
	require.ErrorContains(t, err, "does not tell")
}
