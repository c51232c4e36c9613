package ops

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

func TestANamedDeviceThatIsAbsentIsNotReplacedByTheCPUPath(t *testing.T) {
	_, err := Open(t.Context(), &Options{Device: "no-such-device"})
	var absent *platform.SelectError
	require.ErrorAs(t, err, &absent)
	require.Equal(t, "no-such-device", absent.Spec)
}
