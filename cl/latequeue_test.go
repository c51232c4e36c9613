package cl_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

// partOf returns the first half of the device and skips where it has none.
func partOf(t *testing.T, d *cl.Device) *cl.Device {
	t.Helper()
	part := cl.Partition{Kind: cl.PartitionEqually, Units: 1}
	if !slices.Contains(d.Info().PartitionKinds, uint64(part.Kind)) || d.Info().ComputeUnits < 2 {
		t.Skip("the device cannot be divided")
	}
	parts, err := d.Subdevices(part)
	require.NoError(t, err)
	for _, p := range parts[1:] {
		require.NoError(t, p.Close())
	}
	return parts[0]
}

// A driver's thread may let go of a command after whoever waited for it has closed everything. In a
// process whose freed memory is overwritten that shows.
func TestPartsOutliveTheLastCommand(t *testing.T) {
	const role = "ANYCL_TEST_PARTS"
	if os.Getenv(role) == "" {
		newRig(t, nil)
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), role+"=1", "MALLOC_PERTURB_=165")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	r := newRig(t, nil)
	src := make([]byte, 64)
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		p := partOf(t, r.dev)
		ctx, err := r.lib.NewContext(p)
		require.NoError(t, err)
		q, err := ctx.NewQueue(p, cl.QueueOptions{})
		require.NoError(t, err)
		b, err := ctx.NewBuffer(cl.MemReadWrite, 64, nil)
		require.NoError(t, err)
		require.NoError(t, q.Write(b, 0, src, nil))
		require.NoError(t, q.Fill(b, []byte{1}, 0, 64, nil))
		require.NoError(t, q.Finish())
		for _, c := range []closer{b, q, ctx, p} {
			require.NoError(t, c.Close())
		}
	}
}

// Commands that never end keep their queue and nobody who closes it.
func TestAPartIsClosedAlsoUnderCommandsThatNeverEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	p := partOf(t, r.dev)
	ctx, err := r.lib.NewContext(p)
	require.NoError(t, err)
	q, err := ctx.NewQueue(p, cl.QueueOptions{})
	require.NoError(t, err)
	b, err := ctx.NewBuffer(cl.MemReadWrite, 64, nil)
	require.NoError(t, err)
	gate, err := ctx.NewUserEvent()
	require.NoError(t, err)
	require.NoError(t, q.Fill(b, []byte{1}, 0, 64, []*cl.Event{gate}))
	for _, c := range []closer{b, q, gate, p, ctx} {
		require.NoError(t, c.Close())
	}
}
