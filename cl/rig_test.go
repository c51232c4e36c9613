package cl_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

// rig is the setup of most tests: a library of its own, so that live objects can be counted, and a
// device with a context and an in-order queue.
type rig struct {
	lib *cl.Library
	dev *cl.Device
	ctx *cl.Context
	q   *cl.Queue
}

// openLibrary skips the test where there is no OpenCL, and checks at its end that
// nothing is alive.
func openLibrary(t testing.TB, o *cl.Options) *cl.Library {
	t.Helper()
	lib, err := cl.Open(o)
	if err != nil {
		require.ErrorIs(t, err, cl.ErrNoLibrary)
		t.Skip("no OpenCL library on this machine")
	}
	t.Cleanup(func() {
		require.Zero(t, lib.Stats().Total(), "live objects: %+v", lib.Stats())
		require.NoError(t, lib.Close())
	})
	return lib
}

func anyDevice(t testing.TB, lib *cl.Library) *cl.Device {
	t.Helper()
	platforms, err := lib.Platforms()
	require.NoError(t, err)
	for _, p := range platforms {
		devices, err := p.Devices(cl.DeviceAll)
		require.NoError(t, err)
		for _, d := range devices {
			if d.Info().Available && d.Info().CompilerAvailable {
				return d
			}
		}
	}
	t.Skip("no OpenCL device on this machine")
	return nil
}

func newRig(t testing.TB, o *cl.Options) *rig {
	t.Helper()
	lib := openLibrary(t, o)
	dev := anyDevice(t, lib)
	ctx, err := lib.NewContext(dev)
	require.NoError(t, err)
	closing(t, ctx)
	q, err := ctx.NewQueue(dev, cl.QueueOptions{})
	require.NoError(t, err)
	closing(t, q)
	return &rig{lib, dev, ctx, q}
}

type closer interface{ Close() error }

// closing closes c at the end of the test; doing so twice must do nothing.
func closing(t testing.TB, c closer) {
	t.Helper()
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		require.NoError(t, c.Close())
	})
}

func (r *rig) buffer(t testing.TB, size int64) *cl.Buffer {
	t.Helper()
	b, err := r.ctx.NewBuffer(cl.MemReadWrite, size, nil)
	require.NoError(t, err)
	closing(t, b)
	return b
}

// filled makes a buffer with the content given.
func (r *rig) filled(t testing.TB, content []byte) *cl.Buffer {
	t.Helper()
	b := r.buffer(t, int64(len(content)))
	require.NoError(t, r.q.Write(b, 0, content, nil))
	return b
}

func (r *rig) content(t testing.TB, b *cl.Buffer) []byte {
	t.Helper()
	out := make([]byte, b.Size())
	require.NoError(t, r.q.Read(b, 0, out, nil))
	return out
}

func (r *rig) build(t testing.TB, source string) *cl.Program {
	t.Helper()
	p, err := r.ctx.NewProgram(source)
	require.NoError(t, err)
	closing(t, p)
	require.NoError(t, p.Build("-cl-std=CL1.2 -cl-kernel-arg-info"))
	return p
}

func (r *rig) kernel(t testing.TB, source, name string) *cl.Kernel {
	t.Helper()
	k, err := r.build(t, source).Kernel(name)
	require.NoError(t, err)
	closing(t, k)
	return k
}

// count returns bytes 0, 1, 2, ...
func count(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

const addOne = `kernel void add(global int *x, int a) { x[get_global_id(0)] += a; }`

// loadedAtStart is whether an OpenCL library was mapped before any test ran.
var loadedAtStart bool

func TestMain(m *testing.M) {
	if runtime.GOOS == "linux" {
		maps, _ := os.ReadFile("/proc/self/maps")
		loadedAtStart = strings.Contains(string(maps), "libOpenCL")
	}
	os.Exit(m.Run())
}
