package platform

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/quirk"
)

func TestProgramsDeclareWhatTheyCall(t *testing.T) {
	if d := device(t); !d.has(quirk.LongHeader) {
		t.Skip("needs a driver with Clang's long header")
	}
	var builds atomic.Int32
	o := fresh(t, &cl.Options{Wrap: func(drv cldriver.Driver) cldriver.Driver {
		return cldriver.Intercept(drv, func(call string, do func() cldriver.Status) cldriver.Status {
			if call == "Build" {
				builds.Add(1)
			}
			return do()
		})
	}}, &Options{CacheDir: CacheOff})
	for _, c := range []struct {
		name, source, options string
		builds                int32
	}{
		{"declared", scale(71), "", 1},
		{"pasted", "#define PASTE(a, b) a##b\nkernel void k(global int *y) { y[PASTE(get_global, _id)(0)] = 1; }", "", 2},
		{"never declared", "kernel void k(global int4 *y) { y[0] = shuffle(y[1], (uint4)(3, 2, 1, 0)); }", "", 1},
		{"another language", scale(72), "-cl-std=CL3.0", 1},
	} {
		before := builds.Load()
		_, err := o.Program(t.Context(), c.name, c.source, c.options)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.builds, builds.Load()-before, c.name)
	}
	_, err := o.Program(t.Context(), "wrong", "kernel void k(global float *y) {\n    y[0] = exp(1.0f) + mistaken;\n}", "")
	var build *cl.BuildError
	require.ErrorAs(t, err, &build)
	require.Equal(t, 2, build.Line)
	require.Equal(t, "wrong", build.File)
}

func TestACompilerWithAnotherHeaderIsAskedOnce(t *testing.T) {
	if d := device(t); !d.has(quirk.LongHeader) {
		t.Skip("needs a driver with Clang's long header")
	}
	var builds atomic.Int32
	var refuses atomic.Bool // the next build, once the device has been opened
	o := fresh(t, &cl.Options{Wrap: func(drv cldriver.Driver) cldriver.Driver {
		return cldriver.Intercept(drv, func(call string, do func() cldriver.Status) cldriver.Status {
			if call == "Build" {
				if builds.Add(1); refuses.Swap(false) {
					return cldriver.Status(cl.BuildProgramFailure)
				}
			}
			return do()
		})
	}}, &Options{CacheDir: CacheOff})
	refuses.Store(true)
	for n, want := range []int32{2, 1, 1} {
		before := builds.Load()
		_, err := o.Program(t.Context(), "scale", scale(81+n), "")
		require.NoError(t, err)
		assert.Equal(t, want, builds.Load()-before)
	}
}
