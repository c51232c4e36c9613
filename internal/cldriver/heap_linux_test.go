//go:build (amd64 || arm64) && !noopencl

package cldriver

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWithLargePagesCallsOnceAndAgain(t *testing.T) {
	calls := 0
	for range 3 {
		WithLargePages(func() { calls++ })
	}
	WithLargePages(func() { WithLargePages(func() { calls++ }) })
	assert.Equal(t, 4, calls)
}

func TestSetEnvIsForDriversAlone(t *testing.T) {
	const name = "ANYCL_TEST_SET_ENV"
	require.True(t, SetEnv(name, "1"))
	assert.Empty(t, os.Getenv(name))
	out, err := exec.Command("env").Output()
	require.NoError(t, err)
	assert.NotContains(t, string(out), name, "a program that Go starts")

	t.Setenv(name, "")
	assert.False(t, SetEnv(name, "2"), "set by the user, if to nothing")
}
