package cl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
)

// scenario uses most of the binding and closes all that it made, whatever fails.
func scenario(lib *cl.Library) (err error) {
	var open []closer
	defer func() {
		for i := len(open) - 1; i >= 0; i-- {
			err = errors.Join(err, open[i].Close())
		}
	}()
	ps, err := lib.Platforms()
	if err != nil {
		return err
	}
	ds, err := ps[0].Devices(cl.DeviceAll)
	if err != nil {
		return err
	}
	ctx, err := lib.NewContext(ds[0])
	if err != nil {
		return err
	}
	open = append(open, ctx)
	q, err := ctx.NewQueue(ds[0], cl.QueueOptions{Profiling: true})
	if err != nil {
		return err
	}
	open = append(open, q)
	p, err := ctx.NewProgram(addOne)
	if err != nil {
		return err
	}
	open = append(open, p)
	if err := p.Build(""); err != nil {
		return err
	}
	if _, err := p.Binary(ds[0]); err != nil {
		return err
	}
	ks, err := p.Kernels()
	if err != nil {
		return err
	}
	for _, k := range ks {
		open = append(open, k)
	}
	k, err := ks[0].Clone()
	if err != nil {
		return err
	}
	open = append(open, k)
	if _, err := k.WorkGroupInfo(ds[0]); err != nil {
		return err
	}
	b, err := ctx.NewBuffer(cl.MemReadWrite, 1024, nil)
	if err != nil {
		return err
	}
	open = append(open, b)
	sub, err := b.Sub(0, 0, 512)
	if err != nil {
		return err
	}
	open = append(open, sub)
	if err := errors.Join(k.SetBuffer(0, b), k.SetInt32(1, 1)); err != nil {
		return err
	}
	gate, err := ctx.NewUserEvent()
	if err != nil {
		return err
	}
	open = append(open, gate)
	if err := gate.SetStatus(nil); err != nil {
		return errors.Join(err, gate.SetStatus(nil)) // nobody waits for it yet
	}
	e, err := q.LaunchEvent(k, cl.Range1(16, 0), []*cl.Event{gate})
	if err != nil {
		return err
	}
	open = append(open, e)
	host := make([]byte, 64)
	w, err := q.WriteEvent(b, 0, host, nil)
	if err != nil {
		return err
	}
	open = append(open, w)
	m, err := q.Map(b, cl.MapRead, 0, 64, nil)
	if err != nil {
		return err
	}
	open = append(open, m)
	if err := errors.Join(q.Fill(sub, []byte{1}, 0, 64, nil), q.Read(b, 0, host, nil), q.Finish(), e.Wait()); err != nil {
		return err
	}
	_, err = e.Status()
	return err
}

// silent calls may fail unseen: fields about a platform or device are left empty where a driver
// does not answer, and a kernel's secondary figures too.
func silent(call string) bool {
	return strings.HasPrefix(call, "Info platform") || strings.HasPrefix(call, "Info device") ||
		call == "Info kernel work-group"
}

func TestEveryFailingCallSurfacesAndNothingLeaks(t *testing.T) {
	faults := new(clfault.Injector)
	probe := openLibrary(t, &cl.Options{Wrap: faults.Wrap})
	anyDevice(t, probe)
	faults.Off()
	lib := openLibrary(t, &cl.Options{Wrap: faults.Wrap})
	require.NoError(t, scenario(lib))
	calls := faults.Calls()
	require.Greater(t, len(calls), 50)

	for i, call := range calls {
		if i > 0 && calls[i-1] == call && silent(call) {
			continue // the many queries about one device are alike
		}
		fresh, err := cl.Open(&cl.Options{Wrap: faults.Wrap})
		require.NoError(t, err)
		faults.FailAt(i+1, cl.OutOfResources, "")
		err = scenario(fresh)
		require.Equal(t, 1, faults.Fired(), "call %d, %s", i+1, call)
		faults.Off()
		if !silent(call) {
			require.ErrorIs(t, err, cl.OutOfResources, "call %d, %s", i+1, call)
		}
		require.Zero(t, fresh.Stats().Total(), "call %d, %s: %+v", i+1, call, fresh.Stats())
	}
}

func TestOutOfMemoryNamesTheSize(t *testing.T) {
	faults := new(clfault.Injector)
	r := newRig(t, &cl.Options{Wrap: faults.Wrap})
	faults.FailFrom(2, cl.MemObjectAllocationFailure, "NewBuffer")
	b, err := r.ctx.NewBuffer(cl.MemReadWrite, 4096, nil)
	require.NoError(t, err)
	defer b.Close()
	for range 2 {
		_, err = r.ctx.NewBuffer(cl.MemReadWrite, 4096, nil)
		require.ErrorIs(t, err, cl.MemObjectAllocationFailure)
		require.ErrorContains(t, err, "4096 bytes")
	}
	require.Equal(t, 2, faults.Fired())
	faults.Off()
	require.Equal(t, 1, r.lib.Stats().Buffers)
}

func TestFailedPlatformQueryIsTriedAgain(t *testing.T) {
	faults := new(clfault.Injector)
	lib := openLibrary(t, &cl.Options{Wrap: faults.Wrap})
	faults.FailAt(1, cl.OutOfHostMemory, "Platforms")
	_, err := lib.Platforms()
	require.ErrorIs(t, err, cl.OutOfHostMemory)
	_, err = lib.Platforms()
	require.NoError(t, err)
}
