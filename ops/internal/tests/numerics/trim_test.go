package numerics_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestTrimCutsOutputsOfRunToTheirCounts(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	rt := NewRuntime(e)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	g := NewGraph("trim")
	x := g.Input("x", tensor.Float32, 6)
	values, count := MaskedSelect(x, Greater(x, 0), -1)
	at, _ := NonZero(Greater(x, 0), -1)
	columns := Trim(Transpose(at, 1, 0), 1, count)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Trim(values, 0, count), Neg(x), columns}})
	require.NoError(t, err)
	for _, c := range []struct{ in, values []float32 }{
		{[]float32{1, -1, 2, 0, 3, -5}, []float32{1, 2, 3}},
		{[]float32{-1, -1, -2, 0, -3, -5}, []float32{}},
		{[]float32{1, 2, 3, 4, 5, 6}, []float32{1, 2, 3, 4, 5, 6}},
	} {
		feeds := Feeds{x: tensor.Must(tensor.FromSlice(c.in, 6))}
		outs, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		require.Len(t, outs, 3)
		got, err := tensor.ToSlice[float32](outs[0])
		require.NoError(t, err)
		require.Equal(t, c.values, append([]float32{}, got...))
		require.Equal(t, tensor.Shape{6}, outs[1].Shape())
		require.Equal(t, tensor.Shape{1, len(c.values)}, outs[2].Shape())
		whole := []*tensor.Tensor{tensor.Must(tensor.New(tensor.Float32, 6)), tensor.Must(tensor.New(tensor.Float32, 6)), tensor.Must(tensor.New(tensor.Int64, 1, 6))}
		require.NoError(t, exe.RunInto(t.Context(), feeds, whole))
		for i := range 6 {
			want := float32(0)
			if i < len(c.values) {
				want = c.values[i]
			}
			require.Equal(t, float64(want), whole[0].Float64At(i))
		}
		require.Error(t, exe.RunInto(t.Context(), feeds, whole[:2]))
	}
	require.NoError(t, exe.Close())
}

func TestIsInFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	g := NewGraph("isin")
	x := g.Const(tensor.Must(tensor.FromSlice([]float32{3, 0, -1, 9, 2, 8}, 2, 3)))
	set := g.Const(tensor.Must(tensor.FromSlice([]float32{8, -1, 3, 3}, 2, 2)))
	exe, err := g.Compile(t.Context(), NewRuntime(e), Target{Outputs: []*Node{IsIn(x, set), IsIn(x, Slice(set, To(0, 0)))}})
	require.NoError(t, err)
	outs, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, exe.Close())
	for i, want := range [][]bool{{true, false, true, false, false, true}, make([]bool, 6)} {
		got, err := tensor.ToSlice[bool](outs[i])
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
