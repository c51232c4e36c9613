package drills

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform"
)

// From one allocation on the device has no memory, until the step that asked has failed.
func TestMemory(t *testing.T) {
	var said []string
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			m.set(t)
			r := newRig(t)
			r.live(t, 0, r.faults.Off)
			const site = "NewBuffer"
			r.faults.Off()
			r.live(t, 0, func() {})
			sites := strings.Count(strings.Join(r.faults.Calls(), "\n"), site)
			require.Positive(t, sites)
			told, without := 0, 0
			for _, n := range thinned(sites, often(4, sites)) {
				r.faults.FailFrom(n+1, cl.MemObjectAllocationFailure, site)
				l := r.live(t, n, r.faults.Off)
				if l.err() == nil {
					// Pinned memory and copies for runs at the same time are done without.
					without++
					continue
				}
				oom, ok := errors.AsType[*platform.OutOfMemory](l.err())
				require.True(t, ok, "site %d: %v", n+1, l.err())
				told++
				require.GreaterOrEqual(t, oom.Held, int64(0))
				require.Regexp(t, `"(student|plain)": `, l.err().Error(), "whose graph")
				require.Regexp(t, `variable (w|optim\.step)|\(drills/\w+_test.go:\d+\)|\w+ float32\[[\d ]*\] at drills/\w+_test.go:\d+`, l.err().Error(), "for which op")
				require.Regexp(t, `out of memory: asked for \d.* held .* free`, l.err().Error(), "how much")
			}
			require.Positive(t, told)
			said = append(said, fmt.Sprintf("%s: %d of %d allocations, %d told, %d done without", m.name, told+without, sites, told, without))
		})
	}
	if len(said) > 0 {
		figure(t, "%s", strings.Join(said, "; "))
	}
}
