package onnx

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// input is a value of float32 with that shape; a name is an open extent.
func input(name string, dims ...any) *model.Value { return typed(name, model.Float32, dims...) }

func typed(name string, t model.DataType, dims ...any) *model.Value {
	v := &model.Value{Name: name, Kind: "tensor", Type: t, Dims: []model.Dim{}}
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			v.Dims = append(v.Dims, model.Dim{Size: int64(d)})
		case string:
			v.Dims = append(v.Dims, model.Dim{Size: -1, Name: d})
		}
	}
	return v
}

func node(op string, in []string, out string, attrs ...*model.Attr) *model.Node {
	return &model.Node{Name: op + "_" + out, Op: op, Inputs: in, Outputs: []string{out}, Attrs: attrs}
}

func ints(name string, v ...int64) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrInts, Ints: v}
}

func graphAttr(name string, g *model.Graph) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrGraph, Graph: g}
}

func weight(t testing.TB, name string, v *tensor.Tensor) *model.Tensor {
	w, err := model.FromTensor(name, v)
	require.NoError(t, err)
	return w
}

func vector[T tensor.Elem](v ...T) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v, len(v))) }

// encoded is a file of a graph for version 18.
func encoded(g *model.Graph) []byte {
	return model.Encode(&model.Model{IR: 8, Opsets: map[string]int64{"": 18}, Graph: g})
}

func read(t testing.TB, g *model.Graph) *Model {
	m, err := Read(bytes.NewReader(encoded(g)))
	require.NoError(t, err)
	return m
}

func compile(t testing.TB, m *Model, o *Options) *Program {
	rt := ops.NewRuntime(fallback.New(nil))
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	p, err := m.Compile(context.Background(), rt, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// run runs a model with one input x and one output y.
func run(t testing.TB, p *Program, x *tensor.Tensor) *tensor.Tensor {
	out, err := p.Run(context.Background(), map[string]*tensor.Tensor{"x": x})
	require.NoError(t, err)
	return out["y"]
}
