package platform

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKernelsHaveLanesOnCPUsAlone(t *testing.T) {
	var none *Device
	require.Equal(t, 1, none.Lanes())
	for width, lanes := range map[int]int{1: 4, 4: 4, 8: 8, 12: 8, 16: 16, 32: 16} {
		require.Equal(t, lanes, (&Device{Class: CPU, VectorWidth: width}).Lanes())
		require.Equal(t, 1, (&Device{Class: GPU, VectorWidth: width}).Lanes())
	}
}
