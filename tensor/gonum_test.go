package tensor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

func TestDenseIsSharedBothWays(t *testing.T) {
	t.Parallel()
	m := mat.NewDense(4, 5, nil)
	part := m.Slice(1, 3, 2, 5).(*mat.Dense) // rows lie apart
	x, err := FromDense(part)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 3}, x.Shape())
	assert.Equal(t, []int{5, 1}, x.Strides())
	require.NoError(t, x.SetAt(7, 1, 2))
	assert.Equal(t, 7.0, m.At(2, 4))
	m.Set(1, 2, -3)
	assert.Equal(t, []float64{-3, 0, 0, 0, 0, 7}, elements(x))

	back, err := x.Dense()
	require.NoError(t, err)
	back.Set(0, 1, 9)
	assert.Equal(t, 9.0, m.At(1, 3))
	var product mat.Dense
	product.Mul(back, mat.NewDense(3, 1, []float64{1, 1, 1}))
	assert.Equal(t, []float64{6, 7}, product.RawMatrix().Data)

	tail := Must(x.Slice(0, 1, 2, 1))
	general, err := tail.General64()
	require.NoError(t, err)
	assert.Equal(t, blas64.General{Rows: 1, Cols: 3, Stride: 3, Data: []float64{0, 0, 7}}, general)
}

func TestGeneral32IsSharedBothWays(t *testing.T) {
	t.Parallel()
	data := []float32{1, 2, 0, 3, 4, 0, 5, 6} // the last row ends without padding
	x, err := FromGeneral32(blas32.General{Rows: 3, Cols: 2, Stride: 3, Data: data})
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6}, elements(x))
	rows := Must(x.Slice(0, 0, 3, 2))
	g, err := rows.General32()
	require.NoError(t, err)
	assert.Equal(t, 6, g.Stride)
	assert.Len(t, g.Data, 8)
	g.Data[6] = 50
	assert.Equal(t, float32(50), data[6])
}

func TestStridesBLASCannotHaveAreErrors(t *testing.T) {
	t.Parallel()
	x := Must(New(Float64, 3, 4))
	for name, y := range map[string]*Tensor{
		"transposed":    Must(x.Transpose()),
		"columns apart": Must(x.Slice(1, 0, 4, 2)),
		"columns back":  Must(x.Flip(1)),
		"rows back":     Must(x.Flip(0)),
		"rows repeated": Must(Must(New(Float64, 4)).BroadcastTo(3, 4)),
		"rank 1":        Must(New(Float64, 3)),
		"rank 3":        Must(New(Float64, 1, 3, 4)),
		"float32":       Must(New(Float32, 3, 4)),
	} {
		_, err := y.General64()
		require.Error(t, err, name)
		_, err = y.Dense()
		require.Error(t, err, name)
		_, err = y.Contiguous().General32()
		assert.Equal(t, name == "float32", err == nil, name)
	}
	column := Must(x.Slice(1, 2, 3, 1))
	g, err := column.General64()
	require.NoError(t, err)
	assert.Equal(t, 4, g.Stride)
	flat, err := Must(Must(New(Float64, 1)).BroadcastTo(1, 1)).General64()
	require.NoError(t, err)
	assert.Equal(t, 1, flat.Stride)
}

func TestMatricesThatDoNotFitTheirDataAreErrors(t *testing.T) {
	t.Parallel()
	_, err := FromDense(nil)
	require.Error(t, err)
	for _, g := range []blas64.General{
		{Rows: -1, Cols: 2, Stride: 2},
		{Rows: 2, Cols: -2, Stride: 2},
		{Rows: 2, Cols: 3, Stride: 2, Data: make([]float64, 9)},
		{Rows: 2, Cols: 3, Stride: 3, Data: make([]float64, 5)},
		{Rows: 1, Cols: 3, Stride: 3, Data: make([]float64, 2)},
		{Rows: 2, Cols: 1, Stride: 0, Data: make([]float64, 9)},
		{Rows: 2, Cols: 1, Stride: -1, Data: make([]float64, 9)},
		{Rows: 3, Cols: 1, Stride: math.MaxInt, Data: make([]float64, 9)},
		{Rows: math.MaxInt, Cols: 3, Stride: 3, Data: make([]float64, 9)},
	} {
		_, err := FromGeneral64(g)
		require.Error(t, err, "%+v", g)
	}
}

func TestEmptyMatricesCross(t *testing.T) {
	t.Parallel()
	x, err := FromDense(new(mat.Dense))
	require.NoError(t, err)
	assert.Equal(t, []int{0, 0}, x.Shape())
	m, err := x.Dense()
	require.NoError(t, err)
	assert.True(t, m.IsEmpty())
	wide := Must(New(Float64, 0, 3))
	g, err := wide.General64()
	require.NoError(t, err)
	assert.Equal(t, 3, g.Stride)
	back, err := FromGeneral64(g)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 3}, back.Shape())
	_, err = wide.Dense()
	require.ErrorContains(t, err, "[0 3]")
}
