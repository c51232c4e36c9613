package platform

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/poclcache"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		{"pasted", "#define PASTE(a, b) a##b\nkernel void k(global int *y) { y[PASTE(get_global, _id)(0)] = 1; }", "", 1},
		{"pasted of parts", "#define PASTE(a, b) a##b\nkernel void k(global int *y) { y[PASTE(ge, t_global_id)(0)] = 1; }", "", 2},
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

func TestBuildsOfOneSourceWaitForEachOther(t *testing.T) {
	several(t)
	dir := t.TempDir()
	t.Setenv(poclcache.Env, dir)
	var now, most atomic.Int32
	slow := func(drv cldriver.Driver) cldriver.Driver {
		return cldriver.Intercept(drv, func(call string, do func() cldriver.Status) cldriver.Status {
			if call == "Build" {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				defer now.Add(-1)
				time.Sleep(5 * time.Millisecond)
			}
			return do()
		})
	}
	var all [4]*Opened
	for i := range all {
		all[i] = fresh(t, &cl.Options{Wrap: slow}, &Options{CacheDir: CacheOff})
		if !all[i].device.has(quirk.LockBuilds) {
			all[i].device.quirks = append(all[i].device.quirks, Quirk{fix: quirk.LockBuilds})
		}
	}
	race := func(n int) {
		most.Store(0)
		var wg sync.WaitGroup
		for _, o := range all {
			wg.Go(func() {
				_, err := o.Program(t.Context(), "scale.cl", scale(n), "")
				assert.NoError(t, err)
			})
		}
		wg.Wait()
	}
	race(40)
	require.EqualValues(t, 1, most.Load())
	files, err := os.ReadDir(filepath.Join(dir, "anycl-locks"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	require.LessOrEqual(t, len(files), 256)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Setenv(poclcache.Env, file)
	race(41) // where there can be no lock, there is none
}

// A processor with vectors narrower than 64 bytes is no reason to warn.
func TestCompilersSayNothingOfWideVectors(t *testing.T) {
	o := fresh(t, nil, &Options{CacheDir: CacheOff})
	prog, err := o.Program(t.Context(), "wide", `float16 twice(float16 v) { return 2 * v; }
kernel void k(global float *y) { vstore16(twice(vload16(0, y)), 0, y); }`, "")
	require.NoError(t, err)
	log, err := prog.Log(o.cl)
	require.NoError(t, err)
	require.NotContains(t, log, "warning")
}
