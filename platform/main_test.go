package platform

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/platform/internal/quirk"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runRole(role))
	}
	os.Exit(testcache.Run(m, hold))
}

// hold opens a device until the process ends. Drivers that read their compiler's library for each context do so once then, and not
// for each test.
func hold() error {
	m, err := Discover(context.Background(), nil)
	if err != nil {
		return err
	}
	d, err := m.Select("")
	if err != nil {
		return nil // tests skip
	}
	_, err = d.Open(context.Background(), nil)
	return err
}

func TestTestsHaveACacheFolderOfTheirOwn(t *testing.T) {
	user, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	require.NotEmpty(t, os.Getenv(EnvCache))
	require.NotContains(t, new((*Options)(nil).withDefaults()).CacheDir, user)
}

var found = sync.OnceValues(func() (*Device, error) {
	m := discover(new((*Options)(nil).withDefaults()), nil)
	return m.Select("")
})

// device returns the device under test, the one that ANYCL_DEVICE names or the
// best one, and skips where there is none.
func device(t testing.TB) *Device {
	t.Helper()
	d, err := found()
	if err != nil {
		t.Skipf("needs an OpenCL device: %v", err)
	}
	return d
}

// fresh opens the device through a library of its own, so that the live objects
// of other tests do not count, and checks at the end that none is left. Its
// programs are kept on disk even where a quirk says that the driver does so.
func fresh(t testing.TB, wrap *cl.Options, opts *Options) *Opened {
	t.Helper()
	return freshAs(t, wrap, opts, keepBinaries)
}

// freshAs is fresh with what as does to the device before it is opened.
func freshAs(t testing.TB, wrap *cl.Options, opts *Options, as func(*Device)) *Opened {
	t.Helper()
	id := device(t).ID
	lib, err := cl.Open(wrap)
	require.NoError(t, err)
	m, err := Discover(t.Context(), &Options{Library: lib, Spec: id})
	require.NoError(t, err)
	d, err := m.Select("")
	require.NoError(t, err)
	_, err = d.Caps(t.Context())
	require.NoError(t, err)
	as(d)
	o, err := d.Open(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, o.Close())
		assert.Zero(t, lib.Stats().Total(), "live OpenCL objects: %+v", lib.Stats())
	})
	return o
}

// keepBinaries lets the program cache be tested where a quirk switches it off.
func keepBinaries(d *Device) {
	d.quirks = slices.DeleteFunc(d.quirks, func(q Quirk) bool { return q.fix == quirk.OwnCache })
}

// scale is a program that multiplies by two and adds a number of its own, so that
// each test, and each n, has its own program.
func scale(n int) string {
	return fmt.Sprintf("kernel void scale(global float *x) {\n"+
		"    size_t i = get_global_id(0);\n    x[i] = FMA(x[i], 2.0f, %d.0f);\n}\n", n)
}

// runScale runs scale(n) on the numbers 0..count-1 and checks them.
func runScale(t testing.TB, o *Opened, name string, n, count int) {
	t.Helper()
	prog, err := o.Program(t.Context(), name, scale(n), "")
	require.NoError(t, err)
	k, err := prog.Kernel("scale")
	require.NoError(t, err)
	mem, err := o.Alloc(int64(4 * count))
	require.NoError(t, err)
	x := make([]float32, count)
	for i := range x {
		x[i] = float32(i)
	}
	require.NoError(t, o.Write(t.Context(), mem, 0, cl.Bytes(x)))
	require.NoError(t, k.SetBuffer(0, mem.Buffer()))
	require.NoError(t, o.Queue().Launch(k, cl.Range1(count, 0), nil))
	require.NoError(t, o.Read(t.Context(), cl.Bytes(x), mem, 0))
	for i, v := range x {
		if v != float32(2*i+n) {
			require.Failf(t, "wrong result", "element %d is %v, want %v", i, v, 2*i+n)
		}
	}
	require.NoError(t, k.Close())
	require.NoError(t, mem.Close())
}
