package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/platform"
)

func TestAClassThatIsForcedPlansForAGPUOfTheSameLimits(t *testing.T) {
	o, err := ocltest.SharedDevice()
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	if o.Device().Class != platform.CPU {
		t.Skipf("%s is no CPU", o.Device())
	}
	e := NewForced(o, "class=gpu")
	defer func() { require.NoError(t, e.Close()) }()
	plain := facts.New(o.Device(), o.Caps())
	require.True(t, plain.CPU)
	require.False(t, e.facts.CPU)
	require.Nil(t, e.host, "small graphs are planned for the same device")
	require.Equal(t, plain.LocalMem, e.facts.LocalMem)
	require.Empty(t, e.facts.DotOptions, "instructions of the CPU")

	s, _, _ := chain(t, e, 3, 700)
	require.NotContains(t, s.Describe(0).Why, "CPU")
}
