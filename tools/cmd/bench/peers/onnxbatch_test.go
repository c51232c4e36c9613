package peers

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// reshaping is a model that makes matrices of rows, and adds a constant that is listed among its inputs, as in files of old versions.
func reshaping() []byte {
	m := &model{}
	m.graph.bytes(graphInput, valueInfo("x", tensor.Float32, []int{1, 4}))
	m.graph.bytes(graphInput, valueInfo("one", tensor.Float32, []int{1, 1, 2}))
	m.graph.bytes(graphOutput, valueInfo("y", tensor.Float32, []int{1, 2, 2}))
	m.graph.bytes(graphValueInfo, valueInfo("rows", tensor.Float32, []int{1, 2, 2}))
	m.raw("one", tensor.Float32, []int{1, 1, 2}, []byte{0, 0, 128, 63, 0, 0, 128, 63})
	m.node("Reshape", "rows", []string{"x", m.ints(1, 2, 2)})
	m.node("Add", "y", []string{"rows", "one"})
	m.graph.text(2, "reshaping")
	var opset, top message
	opset.number(2, 20)
	top.number(1, 9)
	top.bytes(modelGraph, m.graph.b)
	top.bytes(8, opset.b)
	return top.b
}

func TestModelsOfOneAreRebatched(t *testing.T) {
	t.Parallel()
	data, err := Rebatched(reshaping(), 3)
	require.NoError(t, err)
	m, err := onnx.Read(bytes.NewReader(data))
	require.NoError(t, err)
	require.Len(t, m.Inputs(), 1)
	require.Equal(t, []int{3, 4}, m.Inputs()[0].Shape)
	require.Equal(t, []int{3, 2, 2}, m.Outputs()[0].Shape)
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	p, err := m.Compile(t.Context(), rt, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	x, err := tensor.New(tensor.Float32, 3, 4)
	require.NoError(t, err)
	out, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": x})
	require.NoError(t, err)
	require.Equal(t, []int{3, 2, 2}, out["y"].Shape())
	require.Equal(t, 1.0, out["y"].Float64At(11))
}

func TestDamagedModelsAreNotRebatched(t *testing.T) {
	t.Parallel()
	data := reshaping()
	_, err := Rebatched(data[:len(data)-8], 3)
	require.ErrorContains(t, err, "a model")
}
