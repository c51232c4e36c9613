package cl_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every platform but AMD's refuses, and nothing is left open.
func TestOfflineContextIsAMDs(t *testing.T) {
	lib := openLibrary(t, nil)
	platforms, err := lib.Platforms()
	require.NoError(t, err)
	for _, p := range platforms {
		c, err := p.NewOfflineContext()
		if err != nil {
			require.Nil(t, c)
			continue
		}
		require.Contains(t, p.Name(), "AMD")
		require.NotEmpty(t, c.Devices())
		require.NotEmpty(t, c.Devices()[0].String())
		require.NoError(t, c.Close())
	}
}
