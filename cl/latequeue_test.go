package cl_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
)

// onPart is a rig on the first half of the device, and a buffer there. It skips where there is no half.
func onPart(t *testing.T, r *rig) (part *rig, b *cl.Buffer) {
	t.Helper()
	half := cl.Partition{Kind: cl.PartitionEqually, Units: 1}
	if !slices.Contains(r.dev.Info().PartitionKinds, uint64(half.Kind)) || r.dev.Info().ComputeUnits < 2 {
		t.Skip("the device cannot be divided")
	}
	parts, err := r.dev.Subdevices(half)
	require.NoError(t, err)
	for _, p := range parts[1:] {
		require.NoError(t, p.Close())
	}
	part = &rig{lib: r.lib, dev: parts[0]}
	part.ctx, err = r.lib.NewContext(part.dev)
	require.NoError(t, err)
	part.q, err = part.ctx.NewQueue(part.dev, cl.QueueOptions{})
	require.NoError(t, err)
	b, err = part.ctx.NewBuffer(cl.MemReadWrite, 64, nil)
	require.NoError(t, err)
	return part, b
}

// A driver's thread may release a command after the program that waited for it has closed
// everything. In a process whose freed memory is overwritten that shows.
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
		p, b := onPart(t, r)
		require.NoError(t, p.q.Write(b, 0, src, nil))
		require.NoError(t, p.q.Fill(b, []byte{1}, 0, 64, nil))
		require.NoError(t, p.q.Finish())
		for _, c := range []closer{b, p.q, p.ctx, p.dev} {
			require.NoError(t, c.Close())
		}
	}
}

// Commands that never end keep their queue and nobody who closes it.
func TestAPartIsClosedAlsoUnderCommandsThatNeverEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	p, b := onPart(t, r)
	gate, err := p.ctx.NewUserEvent()
	require.NoError(t, err)
	require.NoError(t, p.q.Fill(b, []byte{1}, 0, 64, []*cl.Event{gate}))
	for _, c := range []closer{b, p.q, gate, p.dev, p.ctx} {
		require.NoError(t, c.Close())
	}
}

// A queue that a command held goes with the next one that is closed, not only with the context.
func TestClosedQueuesOfAPartDoNotPileUp(t *testing.T) {
	faults := new(clfault.Injector)
	r := newRig(t, &cl.Options{Wrap: faults.Wrap})
	p, b := onPart(t, r)
	done, err := p.q.FillEvent(b, []byte{1}, 0, 64, nil)
	require.NoError(t, err)
	released := func() (n int) {
		for _, call := range faults.Calls() {
			if call == "Release queue" {
				n++
			}
		}
		return n
	}
	require.NoError(t, p.q.Close()) // which the event holds, and on PoCL the buffer holds that
	require.NoError(t, done.Wait())
	require.NoError(t, done.Close())
	require.NoError(t, b.Close())
	closed := 1
	for end := time.Now().Add(5 * time.Second); released() < closed || closed == 1; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "%d of %d closed queues were released", released(), closed)
		q, err := p.ctx.NewQueue(p.dev, cl.QueueOptions{})
		require.NoError(t, err)
		require.NoError(t, q.Close())
		closed++
	}
	require.NoError(t, p.ctx.Close())
	require.NoError(t, p.dev.Close())
}
