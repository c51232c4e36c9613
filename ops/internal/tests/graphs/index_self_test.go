package graphs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// A tensor of 16-bit floats that is only moved is read as integers, but not where a position is computed from it too.
func TestPositionsMayBeElementsOfWhatIsGathered(t *testing.T) {
	t.Parallel()
	rt := openOrSkip(t, "")
	place := OnDevice
	if rt.Device() == nil {
		place = OnCPU
	}
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		g := NewGraph("gather by itself")
		x := g.Input("x", dt, 6)
		y := Gather(x, 0, Cast(Slice(x, Range{Axis: 0, Start: 4}), tensor.Int64))
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Place: place})
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.Cast(tensor.Must(tensor.FromSlice([]float32{7, 8, 9, 10, 3, 1})), dt))})
		require.NoError(t, err)
		require.Equal(t, []float64{10, 8}, []float64{out[0].Float64At(0), out[0].Float64At(1)}, "%v", dt)
		require.NoError(t, exe.Close())
	}
}
