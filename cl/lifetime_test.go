package cl_test

import (
	"bytes"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestEverythingMayBeClosedInAnyOrder(t *testing.T) {
	// Releasing parents first crashes drivers; here the children keep them alive.
	lib := openLibrary(t, nil)
	dev := anyDevice(t, lib)
	ctx, err := lib.NewContext(dev)
	require.NoError(t, err)
	q, err := ctx.NewQueue(dev, cl.QueueOptions{})
	require.NoError(t, err)
	p, err := ctx.NewProgram(addOne)
	require.NoError(t, err)
	require.NoError(t, p.Build(""))
	k, err := p.Kernel("add")
	require.NoError(t, err)
	b, err := ctx.NewBuffer(cl.MemReadWrite, 64, nil)
	require.NoError(t, err)
	require.NoError(t, ctx.Close())
	require.NoError(t, p.Close())
	require.Equal(t, cl.Stats{Contexts: 1, Queues: 1, Buffers: 1, Programs: 1, Kernels: 1}, lib.Stats())

	require.NoError(t, k.SetBuffer(0, b), "children of closed parents work on")
	require.NoError(t, k.SetInt32(1, 1))
	require.NoError(t, q.Launch(k, cl.Range1(16, 0), nil))
	require.NoError(t, q.Finish())
	for _, c := range []closer{q, b, k} {
		require.NoError(t, c.Close())
	}
	require.Zero(t, lib.Stats().Total())
}

func TestUseAfterCloseIsAnError(t *testing.T) {
	r := newRig(t, nil)
	b, k := r.buffer(t, 64), r.kernel(t, addOne, "add")
	p := k.Program()
	q := r.queue(t, cl.QueueOptions{})
	e, err := q.MarkerEvent(nil)
	require.NoError(t, err)
	m, err := r.q.Map(b, cl.MapRead, 0, 64, nil)
	require.NoError(t, err)
	for _, c := range []closer{m, e, k, p, b, q} {
		require.NoError(t, c.Close())
	}
	one := []byte{1}
	calls := map[string]func() error{
		"read":       func() error { return r.q.Read(b, 0, one, nil) },
		"write":      func() error { return r.q.Write(b, 0, one, nil) },
		"fill":       func() error { return r.q.Fill(b, one, 0, 1, nil) },
		"copy":       func() error { return r.q.Copy(b, b, 0, 32, 1, nil) },
		"migrate":    func() error { return r.q.Migrate([]*cl.Buffer{b}, 0, nil) },
		"map":        func() error { _, err := r.q.Map(b, cl.MapRead, 0, 1, nil); return err },
		"sub":        func() error { _, err := b.Sub(0, 0, 1); return err },
		"launch":     func() error { return r.q.Launch(k, cl.Range1(1, 1), nil) },
		"set":        func() error { return k.SetInt32(1, 1) },
		"set buffer": func() error { return k.SetBuffer(0, b) },
		"arg info":   func() error { _, err := k.ArgInfo(0); return err },
		"group info": func() error { _, err := k.WorkGroupInfo(r.dev); return err },
		"kernel":     func() error { _, err := p.Kernel("add"); return err },
		"kernels":    func() error { _, err := p.Kernels(); return err },
		"build":      func() error { return p.Build("") },
		"binary":     func() error { _, err := p.Binary(r.dev); return err },
		"log":        func() error { _, err := p.Log(r.dev); return err },
		"wait":       func() error { return e.Wait() },
		"status":     func() error { _, err := e.Status(); return err },
		"profile":    func() error { _, err := e.Profile(); return err },
		"wait list":  func() error { return r.q.Marker([]*cl.Event{e}) },
		"flush":      func() error { return q.Flush() },
		"finish":     func() error { return q.Finish() },
		"marker":     func() error { return q.Marker(nil) },
		"recording":  func() error { _, err := q.NewCommandBuffer(cl.CommandBufferOptions{}); return err },
	}
	for name, call := range calls {
		if name == "recording" && !r.dev.HasExtension("cl_khr_command_buffer") {
			require.ErrorIs(t, call(), cl.ErrUnsupported)
			continue
		}
		require.ErrorIs(t, call(), cl.ErrClosed, name)
	}
	require.NoError(t, r.ctx.Close())
	_, err = r.ctx.NewBuffer(cl.MemReadWrite, 1, nil)
	require.ErrorIs(t, err, cl.ErrClosed)
	_, err = r.ctx.NewQueue(r.dev, cl.QueueOptions{})
	require.ErrorIs(t, err, cl.ErrClosed)
	_, err = r.ctx.NewProgram("x")
	require.ErrorIs(t, err, cl.ErrClosed)
	_, err = r.ctx.ImageFormats(cl.MemReadWrite, cl.Image2D)
	require.ErrorIs(t, err, cl.ErrClosed)
}

func TestNilObjectsMayBeClosed(t *testing.T) {
	for _, c := range []closer{
		(*cl.Context)(nil), (*cl.Queue)(nil), (*cl.Buffer)(nil), (*cl.Image)(nil), (*cl.Sampler)(nil), (*cl.Program)(nil),
		(*cl.Kernel)(nil), (*cl.Event)(nil), (*cl.SVM)(nil), (*cl.Mapping)(nil), (*cl.CommandBuffer)(nil), (*cl.Device)(nil),
	} {
		require.NoError(t, c.Close())
	}
}

func TestLostObjectsAreReleasedByALaterCall(t *testing.T) {
	var log bytes.Buffer
	r := newRig(t, &cl.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	func() {
		b, err := r.ctx.NewBuffer(cl.MemReadWrite, 64, nil)
		require.NoError(t, err)
		_, err = r.q.ReadEvent(b, 0, make([]byte, 64), nil)
		require.NoError(t, err)
		m, err := r.q.Map(b, cl.MapRead, 0, 64, nil)
		require.NoError(t, err)
		require.Len(t, m.Bytes(), 64)
		cb, err := r.q.NewCommandBuffer(cl.CommandBufferOptions{})
		if err == nil {
			_, err = cb.Fill(b, []byte{1}, 0, 64)
			require.NoError(t, err)
		}
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		return r.lib.Stats() == cl.Stats{Contexts: 1, Queues: 1}
	}, 5*time.Second, time.Millisecond)
	require.Contains(t, log.String(), "collected without Close")
}

func TestRemnantReleasesALostObjectAtAnyMoment(t *testing.T) {
	r := newRig(t, nil)
	for i := range 50 {
		left := func() cl.Remnant {
			b, err := r.ctx.NewBuffer(cl.MemReadWrite, 64, nil)
			require.NoError(t, err)
			return b.Remnant()
		}()
		if i%2 == 0 {
			runtime.GC() // the buffer is gone, its cleanup has run or has not
		}
		require.NoError(t, left.Close())
		require.True(t, left.Closed())
		require.NoError(t, left.Close())
		require.Equal(t, cl.Stats{Contexts: 1, Queues: 1}, r.lib.Stats())
	}
	require.NoError(t, cl.Remnant{}.Close())
}

func TestKernelKeepsItsArgumentsFromTheCollector(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, addOne, "add")
	func() {
		b, err := r.ctx.NewBuffer(cl.MemReadWrite, 64, nil)
		require.NoError(t, err)
		require.NoError(t, k.SetBuffer(0, b))
	}()
	require.NoError(t, k.SetInt32(1, 1))
	for range 3 {
		runtime.GC()
		require.NoError(t, r.q.Launch(k, cl.Range1(16, 0), nil))
	}
	require.NoError(t, r.q.Finish())
	require.NoError(t, k.SetNil(0))
	require.Eventually(t, func() bool { runtime.GC(); return r.lib.Stats().Buffers == 0 }, 5*time.Second, time.Millisecond)
}

func TestCloseWhileInUseIsSafe(t *testing.T) {
	r := newRig(t, nil)
	for range 50 {
		b, err := r.ctx.NewBuffer(cl.MemReadWrite, 4096, nil)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					if err := r.q.Fill(b, []byte{1}, 0, 4096, nil); err != nil {
						require.ErrorIs(t, err, cl.ErrClosed)
						return
					}
				}
			})
		}
		runtime.Gosched()
		require.NoError(t, b.Close())
		wg.Wait()
		require.NoError(t, r.q.Finish())
	}
}

func TestQueueIsSafeForConcurrentUse(t *testing.T) {
	r := newRig(t, nil)
	p := r.build(t, addOne)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			k, err := p.Kernel("add")
			if !errorFree(t, err) {
				return
			}
			defer k.Close()
			b, err := r.ctx.NewBuffer(cl.MemReadWrite, 256, nil)
			if !errorFree(t, err) {
				return
			}
			defer b.Close()
			errorFree(t, r.q.Fill(b, []byte{0}, 0, 256, nil))
			for range 50 {
				errorFree(t, k.SetBuffer(0, b))
				errorFree(t, k.SetInt32(1, int32(g)))
				e, err := r.q.LaunchEvent(k, cl.Range1(64, 0), nil)
				errorFree(t, err)
				errorFree(t, e.Close())
			}
			out := make([]int32, 64)
			errorFree(t, r.q.Read(b, 0, cl.Bytes(out), nil))
			for _, v := range out {
				if v != int32(50*g) {
					t.Errorf("got %d, want %d", v, 50*g)
					return
				}
			}
		})
	}
	wg.Wait()
}

// errorFree is require.NoError for goroutines that are not the test's own.
func errorFree(t *testing.T, err error) bool {
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
	return err == nil
}

func TestParentsMayBeClosedWhileChildrenAreMade(t *testing.T) {
	lib := openLibrary(t, nil)
	dev := anyDevice(t, lib)
	for range 30 {
		ctx, err := lib.NewContext(dev)
		require.NoError(t, err)
		q, err := ctx.NewQueue(dev, cl.QueueOptions{})
		require.NoError(t, err)
		b, err := ctx.NewBuffer(cl.MemReadWrite, 4096, nil)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for g := range 3 {
			wg.Go(func() {
				for {
					var c closer
					var err error
					switch g {
					case 0:
						c, err = q.FillEvent(b, []byte{1}, 0, 4096, nil)
					case 1:
						c, err = q.Map(b, cl.MapRead, 0, 4096, nil)
					case 2:
						c, err = b.Sub(cl.MemReadWrite, 0, 64)
					}
					if err != nil {
						if !errors.Is(err, cl.ErrClosed) {
							t.Errorf("unexpected error: %v", err)
						}
						return
					}
					errorFree(t, c.Close())
				}
			})
		}
		runtime.Gosched()
		for _, c := range []closer{ctx, q, b} {
			require.NoError(t, c.Close())
		}
		wg.Wait()
		require.Zero(t, lib.Stats().Total())
	}
}
