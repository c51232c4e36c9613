package tensor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMustUnwrapsTensorsAndTheirElements(t *testing.T) {
	x := Must(FromSlice([]float32{1, 2}))
	require.Equal(t, []float32{1, 2}, Must(ToSlice[float32](x)))
	require.Panics(t, func() { Must(ToSlice[int32](x)) })
}
