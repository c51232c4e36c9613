package drills

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

// From one moment on every call to the device fails.
func TestLostDevice(t *testing.T) {
	said := ""
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			m.set(t)
			r := newRig(t)
			beside, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
			require.NoError(t, err)
			defer func() { require.NoError(t, beside.Close()) }()
			other := sound(t) // another device, as far as a machine with one has it
			otherRuntime := other.open(t)
			defer func() { require.NoError(t, otherRuntime.Close()) }()
			r.live(t, 0, r.faults.Off)
			r.faults.Off()
			require.NoError(t, r.live(t, 0, func() {}).err())
			total := len(r.faults.Calls())
			lost := 0
			var longest time.Duration
			for i, n := range thinned(total, often(4, 100)) {
				status := []cl.Status{cl.DeviceNotAvailable, cl.OutOfResources}[i%2]
				r.faults.FailFrom(n+1, status, "")
				l := &life{rig: r, heal: func() {}, where: ops.OnDevice}
				done, start := make(chan struct{}), time.Now()
				go func() {
					defer close(done)
					l.run(t.Context(), n)
				}()
				select {
				case <-done:
				case <-time.After(time.Minute):
					require.Fail(t, "it hangs", "lost at call %d of %d, in %q", n+1, total, l.step)
				}
				longest = max(longest, time.Since(start))
				fired := r.faults.Fired()
				if fired == 0 {
					r.faults.Off()
					continue
				}
				lost++
				err := errors.Join(l.err(), l.again)
				require.Error(t, err)
				require.NotErrorIs(t, err, errWrong)
				if errors.Is(err, platform.ErrNoDevice) || n < 2 {
					require.ErrorContains(t, err, "device") // it is not even listed
				} else {
					require.ErrorIs(t, err, status, "lost at call %d of %d", n+1, total)
				}
				// The CPU path and other devices go on meanwhile.
				for _, rt := range []*ops.Runtime{beside, otherRuntime} {
					s := newStudent(6, 5)
					exe, err := s.graph.Compile(t.Context(), rt, s.target(ops.Auto))
					require.NoError(t, err)
					require.NoError(t, s.step(t.Context(), exe, n))
					require.NoError(t, exe.Close())
				}
				// Who named no device goes on without it.
				o := r.options()
				o.Device = ""
				t.Setenv(platform.EnvDevice, "")
				rt, err := ops.Open(t.Context(), o)
				require.NoError(t, err)
				require.Contains(t, rt.Why(), "the CPU path")
				require.NoError(t, rt.Close())
				r.faults.Off()
				require.Zero(t, r.lib.Stats().Total(), "lost at call %d of %d: %+v", n+1, total, r.lib.Stats())
			}
			require.Positive(t, lost)
			require.NoError(t, r.live(t, 1, func() {}).err(), "when it is back")
			said += fmt.Sprintf("%s: lost at %d of %d calls, over in at most %v; ", m.name, lost, total, longest.Round(time.Millisecond))
		})
	}
	if said != "" {
		figure(t, "%snothing left", said)
	}
}
