package drills

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

// absorbed calls may fail once and nobody is told: what a device says of itself has a safe
// default, memory is asked for again when the pool has given back what it held, parts that do
// not build together are built alone, without pinned memory transfers wait, without a context for
// both a device does without its inline device, without the cache on disk everything is built, a
// transfer of which nobody says how far it has come is waited for, and how it ended is known
// before its event goes, which waits again.
func absorbed(call string) bool {
	return strings.HasPrefix(call, "Info platform") || strings.HasPrefix(call, "Info device") ||
		slices.Contains([]string{"Devices", "NewContext", "NewQueue", "NewBuffer", "map", "Build", "ProgramFromBinary", "Binaries", "Info program", "wait", "Info event", "Release event"}, call)
}

// chosen are the calls of a life that are made to fail: the first and last of a row of equal ones,
// and of those as many as are asked for.
func chosen(calls []string, most int) (at []int) {
	for n, call := range calls {
		if n == 0 || n+1 == len(calls) || calls[n-1] != call || calls[n+1] != call {
			at = append(at, n)
		}
	}
	thin := thinned(len(at), most)
	for i, n := range thin {
		thin[i] = at[n]
	}
	return thin
}

// thinned are at most a given number of the numbers below n, from all over.
func thinned(n, most int) (at []int) {
	for i := range min(n, most) {
		at = append(at, i*n/min(n, most))
	}
	return at
}

var statuses = []cl.Status{cl.OutOfResources, cl.OutOfHostMemory, cl.InvalidCommandQueue, cl.DeviceNotAvailable, cl.InvalidValue}

// Every call of a whole life fails once, in each mode.
func TestStatuses(t *testing.T) {
	var said []string
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			m.set(t)
			r := newRig(t)
			r.live(t, 0, r.faults.Off) // now everything is compiled
			r.faults.Off()
			require.NoError(t, r.live(t, 0, func() {}).err())
			calls := r.faults.Calls()
			told, quiet := 0, 0
			for _, n := range chosen(calls, often(6, len(calls))) {
				status := statuses[n%len(statuses)]
				r.faults.FailAt(n+1, status, "")
				fired, call := 0, ""
				l := r.live(t, n, func() {
					if r.faults.Fired() > 0 {
						fired, call = 1, r.faults.Calls()[n] // programs are built side by side: not always in one order
					}
					r.faults.Off()
				})
				if fired == 0 {
					continue // one of the last, of which there may be fewer
				}
				if err := l.err(); err != nil {
					require.ErrorIs(t, err, status, "call %d, %s", n+1, call)
					told++
					continue
				}
				require.True(t, absorbed(call), "call %d, %s, failed and nobody was told", n+1, call)
				quiet++
			}
			require.Positive(t, told)
			said = append(said, fmt.Sprintf("%s: %d of %d calls, %d told, %d made up for", m.name, told+quiet, len(calls), told, quiet))
		})
	}
	if len(said) > 0 {
		figure(t, "%s", strings.Join(said, "; "))
	}
}
