package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

func TestACacheIsOfTheUsualSizeUnlessItIsTold(t *testing.T) {
	for told, want := range map[int64]int64{0: usualCache, 8 << 20: 8 << 20, 96 << 20: 96 << 20} {
		cpu := New(&platform.Device{ID: "cpu", Class: platform.CPU, Units: 8, CacheBytes: told}, &platform.Caps{})
		require.Equal(t, want, cpu.Cache)
		gpu := New(&platform.Device{ID: "gpu", Class: platform.GPU, Units: 8, CacheBytes: told}, &platform.Caps{})
		require.Zero(t, gpu.Cache, "GPUs store past no cache")
	}
}

func TestFewCoresHaveAShareOfALargeCache(t *testing.T) {
	for units, want := range map[int]int64{1: usualCache, 2: 2 * shareOfCache, 4: 4 * shareOfCache, 64: 260 << 20} {
		cpu := New(&platform.Device{ID: "cpu", Class: platform.CPU, Units: units, CacheBytes: 260 << 20}, &platform.Caps{})
		require.Equal(t, want, cpu.Cache, "%d cores", units)
	}
}
