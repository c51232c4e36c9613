package drills

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/testleak"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// held lists the resources that a process holds.
type held struct {
	resident int64
	heap     int64
	objects  cl.Stats
	routines int
	files    int
}

func holds(lib *cl.Library) held {
	for range 2 {
		runtime.GC() // cleanups run between
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h := held{resident: resident(), heap: int64(m.HeapAlloc), routines: settled(), files: descriptors()}
	if lib != nil {
		h.objects = lib.Stats()
	}
	return h
}

// settled is the number of goroutines after those that are about to end have ended.
func settled() int {
	n := runtime.NumGoroutine()
	for range 50 {
		time.Sleep(time.Millisecond)
		if now := runtime.NumGoroutine(); now < n {
			n = now
		}
	}
	return n
}

// grown says by how much b is more than a.
func grown(a, b held) string {
	return fmt.Sprintf("RSS %+.1f MiB, Go heap %+.2f MiB, OpenCL objects %+d", float64(b.resident-a.resident)/(1<<20),
		float64(b.heap-a.heap)/(1<<20), b.objects.Total()-a.objects.Total())
}

// The growth that a million runs may cause: allocators keep some pages.
const (
	residentMost = 16 << 20
	heapMost     = 1 << 20
)

func requireNoGrowth(t *testing.T, a, b held) {
	t.Helper()
	require.Equal(t, a.objects, b.objects)
	require.LessOrEqual(t, b.heap-a.heap, int64(heapMost), "Go heap")
	if !raceEnabled {
		require.LessOrEqual(t, b.resident-a.resident, int64(residentMost), "resident memory")
	}
	testleak.RequireGoroutines(t, a.routines)
	require.LessOrEqual(t, b.files, a.files, "files")
}

// Each mode of driving the device runs a graph over and over, with other values each time.
func TestLaunches(t *testing.T) {
	var said []string
	total := 0
	for _, m := range modes {
		n := often(10_000, 1_000_000)
		if m.staging != "" {
			n /= 5
		}
		t.Run(m.name, func(t *testing.T) {
			m.set(t)
			r := sound(t)
			rt := r.open(t)
			s := newStudent(8, 5)
			exe, err := s.graph.Compile(t.Context(), rt, s.target(ops.OnDevice))
			require.NoError(t, err)
			var feeds [7]ops.Feeds
			for i := range feeds {
				feeds[i] = s.feeds(i)
			}
			outs := []*tensor.Tensor{tensor.Must(tensor.New(tensor.Float32))}
			run := func(n int) {
				for i := range n {
					if i%1000 == 0 {
						require.NoError(t, s.step(t.Context(), exe, i), "run %d", i)
					}
					if err := exe.RunInto(t.Context(), feeds[i%len(feeds)], outs); err != nil {
						require.NoError(t, err, "run %d", i)
					}
				}
			}
			run(n / 10)
			before, start := holds(r.lib), time.Now()
			run(n)
			took := time.Since(start)
			after := holds(r.lib)
			requireNoGrowth(t, before, after)
			said = append(said, fmt.Sprintf("%s: %d runs, %s, %.1f us each", m.name, n, grown(before, after), float64(took.Microseconds())/float64(n)))
			total += n
			require.NoError(t, rt.Close())
		})
	}
	if len(said) > 0 {
		figure(t, "%s", strings.Join(said, "; "))
	}
}
