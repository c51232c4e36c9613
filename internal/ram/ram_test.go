package ram

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatNoMachineHasIsRefused(t *testing.T) {
	require.NoError(t, Check(0))
	require.NoError(t, Check(1<<20))
	require.Error(t, Check(-1))
	if memory() > 0 {
		require.Error(t, Check(math.MaxInt64))
		require.Greater(t, memory(), int64(64<<20))
	}
}
