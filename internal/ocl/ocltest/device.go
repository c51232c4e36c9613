package ocltest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// SharedDevice is the best device of the machine, opened once for all tests of a package.
var SharedDevice = sync.OnceValues(func() (*platform.Opened, error) {
	m, err := platform.Discover(context.Background(), Options())
	if err != nil {
		return nil, err
	}
	d, err := m.Select("")
	if err != nil {
		return nil, err
	}
	return d.Open(context.Background(), Options())
})

// Options keeps compiled programs between test runs.
func Options() *platform.Options {
	return &platform.Options{CacheDir: filepath.Join(os.TempDir(), "anycl-test-cache")}
}

// Needs skips t where the device lacks the types that task computes with.
func Needs(t testing.TB, o *platform.Opened, task *engine.Task) {
	t.Helper()
	if !o.Caps().FP64 && codegen.ComputesInDouble(task) {
		t.Skipf("%s has no float64", o.Device())
	}
}

// DeviceDTypes are the dtypes that the device computes with.
func DeviceDTypes(t testing.TB) []tensor.DType {
	t.Helper()
	o, err := SharedDevice()
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	fp64 := o.Caps().FP64
	return slices.DeleteFunc(slices.Clone(tensor.DTypes()), func(dt tensor.DType) bool { return dt == tensor.Float64 && !fp64 })
}

// On makes engines with open, ocl.NewQueueOnly, on the device that all tests share: force is a list of variants as in EnvVariant,
// change modifies the facts that the engine has about the device, nil for the true ones. Tests are skipped where there is no device.
func On[E Engine](open func(d *platform.Opened, force string, change func(*facts.Device)) E) func(t testing.TB, force string,
	change func(*facts.Device)) E {
	return func(t testing.TB, force string, change func(*facts.Device)) E {
		t.Helper()
		o, err := SharedDevice()
		if err != nil {
			t.Skipf("no OpenCL device: %v", err)
		}
		e := open(o, force, func(f *facts.Device) {
			if change != nil {
				change(f)
			}
			if o.Device().Class == platform.CPU && (!f.CPU || force != "") {
				f.Unoptimized = f.Unoptimized || unoptimized(t)
			}
		})
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e
	}
}

// Engine is an engine on an opened device.
type Engine interface {
	engine.Engine
	Opened() *platform.Opened
}
