// Package onnxtest tests that the network of an example is the same when it has been written as an ONNX file and read again.
package onnxtest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Same writes the graph of y, reads it again, and demands that both give the same, but for rounding, on the CPU path.
// Feeds may have more than y needs. Sizes are those of open extents; the graph is written with them, and with its extents open.
func Same(t *testing.T, y *ops.Node, feeds ops.Feeds, sizes ops.Sizes) {
	t.Helper()
	require.NoError(t, y.Graph().Err())
	same(t, y, feeds, sizes)
	if sizes != nil {
		same(t, y, feeds, nil)
	}
}

func same(t *testing.T, y *ops.Node, feeds ops.Feeds, sizes ops.Sizes) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "network.onnx")
	require.NoError(t, onnx.Save(t.Context(), path, []onnx.Output{{Name: "y", Node: y}}, &onnx.SaveOptions{Sizes: sizes}))
	m, err := onnx.Load(path)
	require.NoError(t, err)

	rt := ops.NewRuntime(fallback.New(nil))
	defer rt.Close()
	exe, err := y.Graph().Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}})
	require.NoError(t, err)
	defer exe.Close()
	needed, in := ops.Feeds{}, map[string]*tensor.Tensor{}
	for _, n := range exe.Inputs() {
		needed[n], in[n.Name()] = feeds[n], feeds[n]
	}
	want, err := exe.Run(t.Context(), needed)
	require.NoError(t, err)
	p, err := m.Compile(t.Context(), rt, nil)
	require.NoError(t, err)
	defer p.Close()
	got, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	ok, text := tensor.AllClose(got["y"], want[0], 1e-4, 1e-5)
	require.True(t, ok, text)
}
