package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

func TestAClassThatIsForcedPlansForAGPUOfTheSameLimits(t *testing.T) {
	o, err := theDevice()
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	if o.Device().Class != platform.CPU {
		t.Skipf("%s is no CPU", o.Device())
	}
	e := NewForced(o, "class=gpu")
	defer func() { require.NoError(t, e.Close()) }()
	plain := newFacts(o.Device(), o.Caps())
	require.True(t, plain.cpu)
	require.False(t, e.facts.cpu)
	require.Nil(t, e.near, "small graphs are planned for the same device")
	require.Equal(t, plain.localMem, e.facts.localMem)
	require.Empty(t, e.facts.dotOptions, "instructions of the CPU")

	s, _, _ := chain(t, e, 3, 700)
	require.NotContains(t, s.Describe(0).Why, "CPU")
}
