package blas

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
)

// on is a BLAS on the best device that keeps its measurements in dir.
func on(t *testing.T, dir string, o *Options) *BLAS {
	t.Helper()
	rt, err := ops.Open(context.Background(), &ops.Options{CacheDir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	b, err := New(rt, o)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// believable is a record that can be kept.
func believable() *record {
	r := &record{From: map[string]float64{"trsm": 64}}
	for i := range r.Host {
		r.Host[i] = []point{{1000, 900}, {1e6, 1e6}}
	}
	r.Device, r.Bytes, r.Alone = []point{{1000, 5000}, {1e6, 1e4}}, [4]float64{0.1, 0.1, 0.1, 0.1}, 0.01
	return r
}

func TestWhatWasMeasuredIsTakenByTheNextProcess(t *testing.T) {
	t.Parallel()
	b := on(t, t.TempDir(), &Options{Force: true})
	m := b.machine()
	require.False(t, b.load(), "nothing is there")
	m.Single, m.Double = believable(), believable()
	require.NoError(t, b.opened.SaveMeasured(measuredKind, measuredVersion, m))
	require.True(t, b.load())
	r := b.single.routes.Load()
	require.True(t, r.gemm(false, false, 500, 500, 500))
	require.False(t, r.gemm(false, false, 10, 10, 10))
	require.True(t, r.triangle(routeTrsm, 64, 64))
	require.False(t, r.triangle(routeTrsm, 64, 32))
	require.False(t, r.triangle(routeTrmm, 4000, 4000), "it never paid")
	require.False(t, r.vector(routeGemv, 4000, 4000))
}

func TestMeasurementsThatMakeNoSenseAreNotTaken(t *testing.T) {
	t.Parallel()
	b := on(t, t.TempDir(), &Options{Force: true})
	for name, spoil := range map[string]func(m *measured){
		"other processors": func(m *measured) { m.Processors++ },
		"other processor":  func(m *measured) { m.Arch = "?" },
		"other transfers":  func(m *measured) { m.Copies = !m.Copies },
		"half of it":       func(m *measured) { m.Single = nil },
		"no points":        func(m *measured) { m.Single.Device = nil },
		"one point":        func(m *measured) { m.Single.Host[2] = m.Single.Host[2][:1] },
		"no time":          func(m *measured) { m.Single.Host[1][0].Nanos = 0 },
		"wrong order":      func(m *measured) { m.Single.Device[1].Work = 1 },
		"less than none":   func(m *measured) { m.Single.Bytes[2] = -1 },
		"no speed":         func(m *measured) { m.Single.Alone = -1 },
		"negative order":   func(m *measured) { m.Single.From["trsm"] = -3 },
	} {
		m := b.machine()
		m.Single, m.Double = believable(), believable()
		spoil(&m)
		require.NoError(t, b.opened.SaveMeasured(measuredKind, measuredVersion, m))
		require.False(t, b.load(), name)
	}
	require.NoError(t, b.opened.SaveMeasured(measuredKind, measuredVersion, "words"))
	require.False(t, b.load(), "another shape")
}

func TestAFolderThatCannotBeWrittenIsNoError(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	// Times of slow code are times, too. Tests that force calls to the device compile these products as users do.
	testdevices.UnoptimizeTest(t)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	b := on(t, filepath.Join(file, "folder"), nil)
	c := make([]float64, 1)
	b.Dgemm('N', 'N', 1, 1, 1, 1, []float64{3}, 1, []float64{2}, 1, 0, c, 1)
	require.Equal(t, 6.0, c[0], "nobody waits for the measurement")
	b.Wait()
	require.NotSame(t, &guess, b.single.routes.Load(), "it holds for this process")
	require.Zero(t, b.failures.Load())
}

func TestClosingEndsAMeasurement(t *testing.T) {
	t.Parallel()
	b := on(t, "off", nil)
	require.NoError(t, b.Close())
	require.Same(t, &never, b.double.routes.Load())
}

func TestTimesBetweenMeasurementsAreInterpolated(t *testing.T) {
	points := []point{{10, 100}, {20, 200}, {40, 220}}
	for work, want := range map[float64]float64{0: 100, 10: 100, 15: 150, 20: 200, 30: 210, 40: 220, 140: 320} {
		require.InDelta(t, want, at(points, work), 1e-9, "%g", work)
	}
	disturbed := []point{{1, 50}, {2, 10}, {3, 30}}
	monotone(disturbed)
	require.Equal(t, []point{{1, 10}, {2, 10}, {3, 30}}, disturbed)
	require.True(t, math.IsInf(guess.From[routeGemv], 1))
}
