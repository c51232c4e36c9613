package frame_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// A key of one side that is compared with two of the other has one type for both.
func TestAKeyMayStandInTwoPairs(t *testing.T) {
	t.Parallel()
	left, err := frame.New(frame.Of("a", []int32{1, 2, 3}), frame.Of("b", []int64{1, 5, 3}))
	require.NoError(t, err)
	right, err := frame.New(frame.Of("c", []int16{3, 1, 1, 2}), frame.Of("n", []int64{0, 1, 2, 3}))
	require.NoError(t, err)
	got, err := left.Query().Join(right.Query(), frame.Join{LeftOn: []string{"a", "b"}, RightOn: []string{"c", "c"}}).Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int64{1, 1, 3}, column.Values[int64](got.Column("b")))
	require.Equal(t, []int64{1, 2, 0}, column.Values[int64](got.Column("n")))
}
