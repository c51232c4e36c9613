package onnx_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Indices of an operator that is written for a wider type are not narrowed with its values.
func TestIndicesStayIntegersOf64BitsWhereValuesAreWidened(t *testing.T) {
	t.Parallel()
	x := tensor.Must(tensor.FromSlice([]int16{7, -3, 7, 5}, 4))
	g := ops.NewGraph("unique")
	u := ops.Unique(g.Input("x", tensor.Int16, 4), nil)
	rt := ops.NewRuntime(fallback.New(nil))
	defer rt.Close()
	out, err := throughFile(t, rt, []onnx.Output{{Name: "values", Node: u.Values}, {Name: "first", Node: u.First}, {Name: "counts", Node: u.Counts}},
		map[string]*tensor.Tensor{"x": x})
	require.NoError(t, err)
	require.Equal(t, []int16{-3, 5, 7}, tensor.MustSlice[int16](out["values"])[:3])
	require.Equal(t, []int64{1, 3, 0}, tensor.MustSlice[int64](out["first"])[:3])
	require.Equal(t, []int64{1, 1, 2}, tensor.MustSlice[int64](out["counts"])[:3])
}

func TestARefusalSaysWhatIsNeededAndNothingElse(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("unique")
	u := ops.Unique(g.Input("x", tensor.Uint64, 4), nil)
	err := onnx.Write(t.Context(), io.Discard, []onnx.Output{{Name: "values", Node: u.Values}}, nil)
	require.ErrorIs(t, err, onnx.ErrUnsupported)
	require.ErrorContains(t, err, "operator Unique takes no uint64")
	require.NotContains(t, err.Error(), "invalid")
}
