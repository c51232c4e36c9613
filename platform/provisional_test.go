package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/anycl/anycl/cl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// paired is a device with an inline device of which nothing is known.
func paired(t *testing.T, dir string) (*Device, func(call string, from int)) {
	t.Helper()
	d, faults := discovered(t, dir)
	if d.inline == nil {
		t.Skip("no inline device")
	}
	return d, func(call string, from int) {
		if faults.Off(); call != "" {
			faults.FailFrom(from, cl.OutOfResources, call)
		}
	}
}

func TestOpenProvesOnTheInlineDeviceAndTheFirstProgramOnTheDevice(t *testing.T) {
	dir := t.TempDir()
	d, _ := paired(t, dir)
	o, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	require.True(t, o.Caps().Provisional)
	require.True(t, o.Caps().InlineDevice && o.Caps().Direct && o.Caps().Atomics32 && o.Caps().FP64)
	_, err = o.InlineDevice().Program(t.Context(), "near.cl", scale(1), "")
	require.NoError(t, err)
	require.Nil(t, o.own.Load(), "the inline device's program needs nothing of the device")
	runScale(t, o, "far.cl", 1, 100)
	require.NotNil(t, o.own.Load())
	require.False(t, d.caps.Provisional)
	require.Equal(t, o.Caps().FMA, d.caps.FMA, "programs that are there stay right")
	require.Empty(t, o.Caps().lacking(d.caps))
	require.NoError(t, o.Close())

	other, _ := paired(t, dir)
	o, err = other.Open(t.Context(), nil)
	require.NoError(t, err)
	require.False(t, o.Caps().Provisional, "what the device has proven is kept")
	require.NoError(t, o.Close())
}

// A capability that a device was not seen to have is not believed because its inline device has it.
func TestADeviceThatDoesLessThanItsInlineDeviceIsAnError(t *testing.T) {
	d, fail := paired(t, t.TempDir())
	o, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	require.True(t, o.Caps().Provisional)
	fail("Info event", 1) // by which launches on the inline device are seen to be over
	for range 2 {
		_, err = o.Program(t.Context(), "far.cl", scale(2), "")
		require.ErrorIs(t, err, cl.ErrUnsupported)
		require.ErrorContains(t, err, "inline")
		fail("", 0)
	}
	require.NoError(t, o.Close())
	o, err = d.Open(t.Context(), nil)
	require.NoError(t, err)
	require.False(t, o.Caps().InlineDevice, "the next one knows")
	runScale(t, o, "far.cl", 2, 100)
	require.NoError(t, o.Close())
}

func TestAConfirmationThatWasCancelledIsTriedAgain(t *testing.T) {
	d, _ := paired(t, CacheOff)
	o, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, o.confirm(ctx), context.Canceled)
	require.Nil(t, o.own.Load())
	var all sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		all.Go(func() { _, errs[i] = o.Program(t.Context(), "far.cl", scale(i), "") })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, o.Close())
	_, err = o.Program(t.Context(), "far.cl", scale(9), "")
	require.ErrorIs(t, err, ErrClosed)
}

// Probes that do not run together, or answer wrong there, are run alone, and prove the same.
func TestProbesThatFailTogetherAreRunAlone(t *testing.T) {
	d, faults := discovered(t, CacheOff)
	if !d.together() {
		t.Skip("they are not tried together")
	}
	good, err := d.Caps(t.Context())
	require.NoError(t, err)
	// Each run has words of its own written. Launches are no count: timed kernels are launched as often as it takes.
	count := func() (n int) {
		for _, call := range faults.Calls() {
			if call == "write" {
				n++
			}
		}
		return n
	}
	d.caps = nil
	faults.Off()
	_, err = d.Caps(t.Context())
	require.NoError(t, err)
	few := count()
	d.caps = nil
	faults.FailAt(1, cl.OutOfResources, "launch")
	got, err := d.Caps(t.Context())
	require.NoError(t, err)
	require.Greater(t, count(), few)
	for i, p := range got.Proofs {
		if p.Name != "fma" && p.Name != "mapping" {
			assert.Equal(t, good.Proofs[i], p)
		}
	}
}

// The slices of the kernel of all proofs are where the host looks for them.
func TestProbesOfTheKernelOfAllProofsAnswerThere(t *testing.T) {
	o := fresh(t, nil, nil)
	if !o.device.together() {
		t.Skip("they are not tried together")
	}
	p, err := newProber(o, false)
	require.NoError(t, err)
	defer p.close()
	require.NotEmpty(t, p.build(defaultStd, nil))
	asked := 0
	for _, pr := range probes {
		io, ok := p.answer(pr)
		if !ok {
			continue
		}
		asked++
		_, err := p.run(pr, defaultStd)
		assert.Equal(t, err == nil, pr.right(io, probeItems, new(Caps)), pr.section)
	}
	assert.Equal(t, len(togetherProbes), asked)
}

func TestAnInlineDeviceIsMeasuredBySeveralAtOnce(t *testing.T) {
	o := fresh(t, nil, nil)
	c := o.InlineDevice()
	if c == nil {
		t.Skip("no inline device")
	}
	// The driver has no launch of this kernel yet, whatever else was measured in this process.
	source := fmt.Sprintf(`// %d
kernel void copies(global const int *from, int rounds, global int *to)
{
    for (int i = 0; i < rounds; i++)
        to[get_global_id(0) * rounds + i] = from[get_global_id(0) * rounds + i];
}`, os.Getpid())
	prog, err := o.build(source, "", c.device.cl)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, prog.Close()) })
	const most = 1 << 20
	copying := func() (copies func(n int64) error) {
		q, err := c.NewQueue(cl.QueueOptions{})
		require.NoError(t, err)
		k, _, _, free, err := o.copyBetween(q, timed{Program: prog, joined: true}, most)
		require.NoError(t, err)
		t.Cleanup(func() {
			require.NoError(t, free())
			require.NoError(t, q.Close())
		})
		return func(n int64) error {
			_, err := k.launch(q, o.device, n)
			return err
		}
	}
	one, other := copying(), copying()
	grown := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() {
		for {
			select {
			case <-grown:
				return
			default:
				assert.NoError(t, one(4))
			}
		}
	})
	for n := int64(4); n <= most; n += n/4 + 64 {
		assert.NoError(t, other(n))
	}
	close(grown)
	beside.Wait()
}
