package testdevices

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

func TestVendorsAreMeantExactly(t *testing.T) {
	m := &platform.Machine{Devices: []*platform.Device{{ID: "pocl:0", Key: "pocl", Name: "AMD EPYC"}, {ID: "oclgrind:0", Key: "oclgrind", Class: platform.Simulator}}}
	_, _, err := Named(m, []string{"amd"})
	require.ErrorContains(t, err, "no device of amd")
	named, cpu, err := Named(m, []string{"pocl", "none", "pocl:0"})
	require.NoError(t, err)
	require.True(t, cpu)
	require.Equal(t, m.Devices[:1], named)
	require.Equal(t, m.Devices[:1], Usual(m, nil), "a simulator takes hours")
	require.Equal(t, m.Devices, Usual(m, m.Devices[1:]))
	require.NotContains(t, Absent(m), "pocl")
	require.Contains(t, Absent(m), "nvidia")
	require.Equal(t, []string{"a", "b:1"}, Specs(" a,, b:1 "))
}
