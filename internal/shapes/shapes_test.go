package shapes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAxesCountFromTheEnd(t *testing.T) {
	a, err := Axis(-1, 3)
	require.NoError(t, err)
	require.Equal(t, 2, a)
	_, err = Axis(3, 3)
	require.ErrorContains(t, err, "axis 3 is outside a tensor of rank 3")

	set, err := Axes([]int{-1, 0}, 3)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2}, set)
	set, err = Axes(nil, 2)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, set)
	set, err = Axes([]int{-1}, 0)
	require.NoError(t, err)
	require.Equal(t, []int{}, set, "a scalar has an axis -1, of which nothing is left")
	_, err = Axes([]int{1, -1}, 2)
	require.ErrorContains(t, err, "named twice")

	perm, err := ToEnd([]int{-2, 0}, 4)
	require.NoError(t, err)
	require.Equal(t, []int{1, 3, 2, 0}, perm)
	_, err = ToEnd([]int{0, -4}, 4)
	require.ErrorContains(t, err, "named twice")
	_, err = ToEnd([]int{4}, 4)
	require.ErrorContains(t, err, "outside")
	require.Equal(t, []int{0, 2}, Except(3, []int{1}))
}

func TestAShapeWithMoreAxesIsNew(t *testing.T) {
	shape := make([]int, 1, 4)
	require.Equal(t, []int{0, 5}, With(shape, 5))
	require.Equal(t, []int{0, 6}, append(shape, 6))
	require.Equal(t, []int{0, 7}, With(shape, 7))
}
