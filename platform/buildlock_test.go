package platform

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/quirk"
)

func TestBuildsOfOneSourceWaitForEachOther(t *testing.T) {
	several(t)
	dir := t.TempDir()
	t.Setenv(envPoCLCache, dir)
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
	t.Setenv(envPoCLCache, file)
	race(41) // where there can be no lock, there is none
}
