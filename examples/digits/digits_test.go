package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

// testEpochs is enough for 98 % with seed 1, and keeps the CPU path to seconds.
const testEpochs = 8

// learnt runs the example on a device.
func learnt(t *testing.T, device string) (*result, string) {
	t.Helper()
	l := learn(t.Context(), device)
	require.NoError(t, l.err)
	return l.result, l.out
}

// onCPUPath is what the CPU path learns, which several tests look at.
func onCPUPath(t *testing.T) (*result, string) {
	t.Helper()
	l := learntOnce()
	require.NoError(t, l.err)
	return l.result, l.out
}

var learntOnce = sync.OnceValue(func() lesson { return learn(context.Background(), "none") })

// lesson is a run of the example.
type lesson struct {
	result *result
	out    string
	err    error
}

func learn(ctx context.Context, device string) lesson {
	var out bytes.Buffer
	r, err := run(ctx, options{device: device, epochs: testEpochs, seed: 1}, &out, io.Discard)
	return lesson{r, out.String(), err}
}

// needDevice skips a test where there is no OpenCL device.
func needDevice(t *testing.T) *ops.Runtime {
	t.Helper()
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	if rt.Device() == nil {
		t.Skipf("needs an OpenCL device; this runs on %s", rt.Why())
	}
	return rt
}

func TestTheCPUPathLearnsTheDigits(t *testing.T) {
	r, out := onCPUPath(t)
	assert.GreaterOrEqual(t, r.accuracy, 0.97)
	assert.Equal(t, "cpu", r.where)
	assert.Contains(t, out, "runs on the CPU path: asked for by")
	assert.Contains(t, out, "Time per epoch")
	assert.Contains(t, out, "sees 2, is 2")
}

func TestTheDeviceLearnsTheSameAsTheCPUPath(t *testing.T) {
	id := needDevice(t).Device().ID
	device, out := learnt(t, id)
	t.Logf("first result %v after the tests began", device.first)
	assert.GreaterOrEqual(t, device.accuracy, 0.97)
	assert.Equal(t, id, device.where)
	assert.Contains(t, out, "beside it", "the CPU path is timed too")

	cpu, _ := onCPUPath(t)
	same := 0
	for i := range cpu.predictions {
		if cpu.predictions[i] == device.predictions[i] {
			same++
		}
	}
	assert.GreaterOrEqual(t, float64(same)/float64(len(cpu.predictions)), 0.995, "%d predictions are the same", same)
}

// Two engines add in different orders, so a derivative differs by some units in
// the last place of its largest summand. Adam divides a derivative by its own
// size, so a weight moves by up to the learning rate in every step, and where
// the summands all but cancel, the difference can be a good part of that. Such
// weights are rare: the mean stays near one rounding of float32 at the weights'
// size of 0.1, and none is off by half a step.
func TestWeightsAgreeAfterTenSteps(t *testing.T) {
	const meanBound, maxBound = 1e-7, learningRate / 2
	rt := needDevice(t)
	train, test, err := load()
	require.NoError(t, err)
	weights := func(place ops.Place) (v []float64) {
		tr, err := newTrainer(t.Context(), rt, train, test, 1, place, ops.WhenCompiled)
		require.NoError(t, err)
		defer tr.close()
		_, err = tr.run(t.Context(), 10, func(float64) {})
		require.NoError(t, err)
		for _, p := range tr.params {
			w, err := ops.Value(t.Context(), p)
			require.NoError(t, err)
			for _, x := range w.All() {
				v = append(v, x)
			}
		}
		return v
	}
	device, cpu := weights(ops.OnDevice), weights(ops.OnCPU)
	sum, most := 0.0, 0.0
	for i := range cpu {
		d := math.Abs(device[i] - cpu[i])
		sum, most = sum+d, max(most, d)
	}
	t.Logf("%d weights differ by %.2g in the mean and %.2g at most", len(cpu), sum/float64(len(cpu)), most)
	assert.LessOrEqual(t, sum/float64(len(cpu)), meanBound)
	assert.LessOrEqual(t, most, maxBound)
}

func TestTheSameSeedRepeatsExactly(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	train, test, err := load()
	require.NoError(t, err)
	loss := func(seed uint64) float64 {
		tr, err := newTrainer(t.Context(), rt, train, test, seed, ops.Auto, ops.WhenCompiled)
		require.NoError(t, err)
		defer tr.close()
		mean, err := tr.run(t.Context(), 5, func(float64) {})
		require.NoError(t, err)
		return mean
	}
	assert.Equal(t, loss(7), loss(7))
	assert.NotEqual(t, loss(7), loss(8))
}

func TestTheSplitHoldsAFifthOfEveryDigit(t *testing.T) {
	train, test, err := load()
	require.NoError(t, err)
	assert.Equal(t, 1797, train.len()+test.len())
	var all, held [10]float64
	for i := range train.len() {
		all[train.label(i)]++
	}
	for i := range test.len() {
		all[test.label(i)]++
		held[test.label(i)]++
	}
	for digit := range all {
		assert.InDelta(t, all[digit]/5, held[digit], 0.5, "digit %d", digit)
	}
	assert.InDelta(t, 1, maxOf(train), 0, "grey values are scaled to 0 ... 1")
}

func maxOf(s set) (m float64) {
	for _, v := range s.images.All() {
		m = max(m, v)
	}
	return m
}

func TestADeviceThatIsNotThereIsAnError(t *testing.T) {
	_, err := run(t.Context(), options{device: "no-such-device", epochs: 1}, io.Discard, io.Discard)
	var absent *platform.SelectError
	require.ErrorAs(t, err, &absent)
	require.Equal(t, "no-such-device", absent.Spec)
}

func TestCancellingStopsTheTraining(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	train, test, err := load()
	require.NoError(t, err)
	tr, err := newTrainer(ctx, rt, train, test, 1, ops.Auto, ops.WhenCompiled)
	require.NoError(t, err)
	defer tr.close()
	steps := 0
	_, err = tr.run(ctx, tr.steps(), func(float64) {
		if steps++; steps == 3 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 3, steps)
}

func TestDevicesLearnTogether(t *testing.T) {
	var before *result
	for range 2 {
		var out bytes.Buffer
		r, err := runTogether(t.Context(), options{devices: []string{"none", "none"}, epochs: 2, seed: 1}, &out, io.Discard)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, r.accuracy, 0.9)
		assert.Contains(t, out.String(), "on none and none")
		if before != nil {
			assert.Equal(t, before.predictions, r.predictions)
		}
		before = r
	}
	_, err := runTogether(t.Context(), options{devices: []string{"none", "nobody:7"}, epochs: 1}, io.Discard, io.Discard)
	require.ErrorContains(t, err, "no such device")
}
