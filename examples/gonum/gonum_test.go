package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheNumbersAreThoseOfGonum(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(150, &out))
	require.Contains(t, out.String(), "multiply")
	require.Contains(t, out.String(), "qr")
}
