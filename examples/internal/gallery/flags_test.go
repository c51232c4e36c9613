package gallery

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFlagOutOfItsRangeIsToldWithItsRange(t *testing.T) {
	require.NoError(t, Within("n", 1, 1, 9))
	require.NoError(t, Within("n", 9, 1, 9))
	require.EqualError(t, Within("n", 10, 1, 9), "-n must be from 1 to 9, not 10")
	require.EqualError(t, Within("x", 0.5, 1, 2), "-x must be from 1 to 2, not 0.5")
	require.Error(t, Within("x", math.NaN(), 1, 2))
	require.Error(t, Within("x", math.Inf(1), 1, 2))
	require.NoError(t, Multiple("n", 32, 16, 16, 64))
	require.EqualError(t, Multiple("n", 33, 16, 16, 64), "-n must be a multiple of 16, not 33")
	require.Error(t, Multiple("n", 0, 16, 16, 64))
}
