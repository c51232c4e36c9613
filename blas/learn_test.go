package blas

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// learner is a device whose kernels are ready, and the times of calls are what a test says.
func learner(t *testing.T) *device[float64] {
	t.Helper()
	b := on(t, t.TempDir(), nil)
	if b.products.Check(tensor.Float64) != nil {
		t.Skip("no float64")
	}
	b.double.compiled.Store(true)
	return &b.double
}

// calls makes so many calls of s that take so long, and returns how many the device did, and what all took.
func (d *device[T]) calls(n int, s shape, host, device time.Duration) (onDevice int, took time.Duration) {
	for range n {
		c := d.decide(s)
		each := host
		if c.device {
			onDevice++
			each = device
		}
		took += each
		c.start = time.Now().Add(-each)
		d.done(&c)
	}
	return onDevice, took
}

func TestCallsAreLearnedFromAndLoseNoMoreThanAFewPercent(t *testing.T) {
	s := shape{which: routeGemm, m: 256, n: 256, k: 256}
	const host = 10 * time.Millisecond
	for _, c := range []struct {
		device time.Duration
		most   float64 // of gonum's time
		wins   bool
	}{
		{device: time.Millisecond, most: 0.3, wins: true},
		{device: 8 * time.Millisecond, most: 0.9, wins: true},
		{device: 10 * time.Millisecond, most: 1.01},
		{device: 15 * time.Millisecond, most: 1.03},
		{device: 100 * time.Millisecond, most: 1.2},
	} {
		d := learner(t)
		n, took := d.calls(600, s, host, c.device)
		require.LessOrEqual(t, float64(took)/float64(600*host), c.most, "%v", c.device)
		require.Positive(t, n, "it was tried")
		n, took = d.calls(2000, s, host, c.device)
		if c.wins {
			require.Greater(t, n, 1900)
			continue
		}
		require.LessOrEqual(t, float64(took)/float64(2000*host), 1.01, "%v, later", c.device)
	}
}

func TestAChangeOfSpeedIsNoticed(t *testing.T) {
	d := learner(t)
	s := shape{which: routeTrsm, right: true, m: 500, n: 64}
	d.calls(1000, s, 4*time.Millisecond, time.Millisecond)
	n, _ := d.calls(8, s, 4*time.Millisecond, time.Millisecond)
	require.Equal(t, 8, n)
	d.calls(2000, s, 4*time.Millisecond, 40*time.Millisecond) // somebody else has the device
	n, _ = d.calls(100, s, 4*time.Millisecond, 40*time.Millisecond)
	require.Less(t, n, 5)
}

func TestOtherFlagsAndSizesAreLearnedApart(t *testing.T) {
	d := learner(t)
	fast, slow := shape{which: routeTrmm, right: true, tA: true, m: 256, n: 32}, shape{which: routeTrmm, right: true, m: 256, n: 32}
	for range 10 {
		d.calls(100, fast, 2*time.Millisecond, time.Millisecond)
		d.calls(100, slow, time.Millisecond, 3*time.Millisecond)
	}
	n, _ := d.calls(100, fast, 2*time.Millisecond, time.Millisecond)
	require.Greater(t, n, 90)
	n, _ = d.calls(100, slow, time.Millisecond, 3*time.Millisecond)
	require.Less(t, n, 5)
	keys := map[uint64]shape{}
	for which := range routeCount + 1 {
		for flags := range 32 {
			s := shape{which: which, tA: flags&1 > 0, tB: flags&2 > 0, right: flags&4 > 0, ul: flags&8 > 0, unit: flags&16 > 0, m: 100, n: 200, k: 800}
			require.NotContains(t, keys, s.key(), "%+v and %+v", s, keys[s.key()])
			keys[s.key()] = s
		}
	}
	require.Equal(t, (&shape{m: 512}).key(), (&shape{m: 700}).key())
	require.NotEqual(t, (&shape{m: 512}).key(), (&shape{m: 800}).key())
	require.NotEqual(t, (&shape{m: 512}).key(), (&shape{m: 1024}).key())
}

func TestUntilKernelsPayForThemselvesGonumComputes(t *testing.T) {
	b := on(t, t.TempDir(), nil)
	if b.products.Check(tensor.Float64) != nil {
		t.Skip("no float64")
	}
	d := &b.double
	s := shape{which: routeGemm, m: 200, n: 200, k: 200}
	n, _ := d.calls(100, s, 10*time.Millisecond, time.Millisecond)
	require.Zero(t, n)
	require.False(t, d.bucket(&s).asked.Load(), "a second of calls is not worth a compiler")
	d.calls(200, s, 10*time.Millisecond, time.Millisecond)
	require.True(t, d.bucket(&s).asked.Load())
	b.work.Wait()
	require.True(t, d.bucket(&s).ready.Load())
	n, _ = d.calls(300, s, 10*time.Millisecond, time.Millisecond)
	require.Greater(t, n, 100, "the device is as fast as it was promised to be")
	require.Equal(t, uint64(0), d.missed.Load(), "no call waited for a compiler, or was done twice")
}

func TestWhatWasLearnedIsTakenByTheNextProcess(t *testing.T) {
	dir := t.TempDir()
	s := shape{which: routeGemm, tB: true, m: 300, n: 300, k: 300}
	first := on(t, dir, nil)
	if first.products.Check(tensor.Float64) != nil {
		t.Skip("no float64")
	}
	first.double.compiled.Store(true)
	first.double.calls(1000, s, 10*time.Millisecond, time.Millisecond)
	require.NoError(t, first.Close())

	next := on(t, dir, nil)
	known := next.double.bucket(&s)
	require.True(t, known.onDevice)
	c := next.double.decide(s)
	require.False(t, c.device, "its kernel is not loaded yet")
	require.True(t, known.asked.Load())
	next.work.Wait()
	n, _ := next.double.calls(8, s, 10*time.Millisecond, time.Millisecond)
	require.Equal(t, 8, n)

	next.double.table.learn([]savedBucket{{Key: 1, Host: -1, Device: 1}, {Key: 2, Host: 1}})
	require.Nil(t, (*next.double.table.now.Load())[1], "what makes no sense is left out")
	require.Nil(t, (*next.double.table.now.Load())[2])
}

func TestNothingIsMeasuredUnlessSomebodyWaits(t *testing.T) {
	b := on(t, t.TempDir(), nil)
	b.work.Wait() // at once
	if b.products.Copies() {
		require.Same(t, &guess, b.double.routes.Load())
	} else {
		require.Same(t, &guessInPlace, b.double.routes.Load())
	}
}
