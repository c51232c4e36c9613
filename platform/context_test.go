package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/quirk"
)

func TestWhatHasADeviceOfPoCLOpenSharesAContext(t *testing.T) {
	id := device(t).ID
	lib, err := cl.Open(nil) // in which nobody else has it open
	require.NoError(t, err)
	open := func() *Opened {
		m, err := Discover(t.Context(), &Options{Library: lib, Spec: id})
		require.NoError(t, err)
		d, err := m.Select("")
		require.NoError(t, err)
		o, err := d.Open(t.Context(), nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Close()) })
		return o
	}
	first, second := open(), open()
	shared := first.device.has(quirk.OneContext)
	assert.Equal(t, shared, first.Context() == second.Context())
	require.NoError(t, first.Close())

	// What is left works, and its context goes with it.
	_, err = second.Program(t.Context(), "fill", "kernel void fill(global int *y) { y[get_global_id(0)] = 7; }", "")
	require.NoError(t, err)
	before := second.Context()
	require.NoError(t, second.Close())
	third := open()
	assert.NotSame(t, before, third.Context())
	_, err = third.Program(t.Context(), "fill", "kernel void fill(global int *y) { y[get_global_id(0)] = 8; }", "")
	require.NoError(t, err)
}

func TestContextsOfOtherLibrariesAreTheirOwn(t *testing.T) {
	a, b := fresh(t, nil, nil), fresh(t, nil, nil)
	assert.NotSame(t, a.Context(), b.Context())
}
