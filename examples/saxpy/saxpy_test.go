package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryEngineComputesTheSameLine(t *testing.T) {
	for _, device := range []string{"", "none"} { // "" is a device where there is one
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), device, &out))
		require.Contains(t, out.String(), "= [10 12 14 16 18 20 22 24]\n")
	}
}
