package drills

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

// Calls and allocations of the tuner and of the calibration fail, at places drawn by lot: how
// many there are depends on how fast the machine is.
func TestMeasuring(t *testing.T) {
	modes[1].set(t)
	t.Setenv(platform.EnvTune, t.TempDir())
	r := newRig(t)
	lot := rand.New(rand.NewPCG(1, 2))
	device := func() (*platform.Opened, error) {
		m, err := platform.Discover(t.Context(), &platform.Options{Library: r.lib, Spec: r.device, CacheDir: r.dir})
		require.NoError(t, err)
		d, err := m.Select("")
		require.NoError(t, err)
		return d.Open(t.Context(), nil)
	}
	uses := map[string]func() error{
		"tune": func() error {
			rt := r.open(t)
			s := newStudent(30, 20)
			exe, err := s.graph.Compile(t.Context(), rt, s.target(ops.OnDevice))
			if err == nil {
				var results []ops.TuneResult
				results, err = rt.Tune(t.Context(), &ops.TuneOptions{Budget: 60 * time.Millisecond}, exe)
				for _, res := range results {
					err = errors.Join(err, res.Err)
				}
				err = errors.Join(err, s.step(t.Context(), exe, 1))
			}
			return errors.Join(err, rt.Close())
		},
		"calibrate": func() error {
			o, err := device()
			if err == nil {
				_, err = o.Calibrate(t.Context())
				err = errors.Join(err, o.Close())
			}
			return err
		},
	}
	told, quiet := 0, 0
	for _, name := range []string{"tune", "calibrate"} {
		use := uses[name]
		for _, match := range []string{"", "NewBuffer", "launch"} {
			r.faults.FailAt(1<<30, 0, match)
			require.NoError(t, use(), name)
			total := 0
			for _, c := range r.faults.Calls() {
				if match == "" || c == match {
					total++
				}
			}
			require.Positive(t, total)
			for i := range often(1, 8) {
				first := 1
				if match == "" {
					first = min(200, total) // behind open, which is drilled elsewhere
				}
				n := first + lot.IntN(total-first+1)
				status := statuses[lot.IntN(len(statuses))]
				if i == 0 && match != "" {
					n = 1 // for certain told
				}
				r.faults.FailFrom(n, status, match)
				if n > 1 && lot.IntN(2) == 0 {
					r.faults.FailAt(n, status, match)
				}
				err := use()
				fired := r.faults.Fired()
				r.faults.Off()
				require.NotErrorIs(t, err, errWrong)
				require.Zero(t, r.lib.Stats().Total(), "%s, call %d of %d with %q: %+v", name, n, total, match, r.lib.Stats())
				if fired > 0 && err != nil {
					require.ErrorIs(t, err, status, "%s, call %d of %d with %q", name, n, total, match)
					told++
				} else {
					quiet++ // a candidate that fails is not taken
				}
			}
			require.NoError(t, use(), "%s works after that", name)
		}
	}
	require.Positive(t, told)
	figure(t, "%d faults: %d told, %d in what was done without or not reached", told+quiet, told, quiet)
}
