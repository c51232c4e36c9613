package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// doubling writes a model of y = x + x, and an input.
func doubling(t *testing.T) (model, input string) {
	t.Helper()
	dir := t.TempDir()
	model, input = filepath.Join(dir, "doubled.onnx"), filepath.Join(dir, "x.npy")
	g := ops.NewGraph("doubled")
	x := g.Input("x", tensor.Float32, 3)
	require.NoError(t, onnx.Save(t.Context(), model, []onnx.Output{{Name: "y", Node: ops.Add(x, x)}}, nil))
	require.NoError(t, tensor.SaveNPY(input, tensor.Must(tensor.FromSlice([]float32{1, 2, 3}))))
	return model, input
}

func TestAModelRunsFromAShell(t *testing.T) {
	model, input := doubling(t)
	t.Setenv(platform.EnvDevice, "")
	for _, args := range [][]string{{"-device", "cpu"}, {}} {
		require.Contains(t, must(t, append([]string{"run", model, "-input", input}, args...)...), "[2. 4. 6.]")
	}
	out := filepath.Join(t.TempDir(), "y.npy")
	require.Empty(t, must(t, "run", model, "-input", "x="+input, "-output", out))
	y, err := tensor.LoadNPY(out)
	require.NoError(t, err)
	require.Equal(t, []float32{2, 4, 6}, tensor.MustSlice[float32](y))
	code, _, text := anycl(t, "run", model)
	require.NotEqual(t, codeOK, code)
	require.Contains(t, text, `input "x" is missing`)
}

// TestALongRunIsLeftToADevice: who names no device gets one where the CPU engine is predicted to take long.
func TestALongRunIsLeftToADevice(t *testing.T) {
	model, input := doubling(t)
	m, err := onnx.Load(model)
	require.NoError(t, err)
	x, err := tensor.LoadNPY(input)
	require.NoError(t, err)
	in := map[string]*tensor.Tensor{"x": x}
	_, err = runModel(t.Context(), m, in, "none", tensor.Invalid, 0)
	require.ErrorIs(t, err, errLong)
	out, err := runModel(t.Context(), m, in, "none", tensor.Invalid, quick)
	require.NoError(t, err)
	require.Equal(t, 6.0, out["y"].Float64At(2))
}
