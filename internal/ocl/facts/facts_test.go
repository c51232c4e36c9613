package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

func TestACacheThatNobodyTellsIsOfTheUsualSize(t *testing.T) {
	for told, want := range map[int64]int64{0: usualCache, 8 << 20: 8 << 20, 96 << 20: 96 << 20} {
		cpu := New(&platform.Device{ID: "cpu", Class: platform.CPU, CacheBytes: told}, &platform.Caps{})
		require.Equal(t, want, cpu.Cache)
		gpu := New(&platform.Device{ID: "gpu", Class: platform.GPU, CacheBytes: told}, &platform.Caps{})
		require.Zero(t, gpu.Cache, "GPUs store past no cache")
	}
}
