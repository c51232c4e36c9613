package kernels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/kernels"
)

func TestTilesKeepTheirConstraintsOnEveryDevice(t *testing.T) {
	t.Parallel()
	for _, workGroup := range []int{1, 2, 8, 16, 64, 128, 256, 1024} {
		for _, local := range []int64{16 << 10, 32 << 10, 64 << 10} {
			for _, size := range []int{4, 8} {
				for _, n := range []int64{1, 7, 64, 500, 4096} {
					s := kernels.Tile(n, n, 1, 20, workGroup, local, size)
					require.LessOrEqual(t, s.Items(), workGroup)
					require.LessOrEqual(t, s.LocalBytes(size), min(local, 32<<10))
					require.Zero(t, s.M*s.K%s.Items(), "%+v", s)
					require.Zero(t, s.N*s.K%s.Items(), "%+v", s)
					require.Zero(t, s.M%(s.Y*s.Vector), "%+v", s)
					require.Zero(t, s.N%(s.X*s.Vector), "%+v", s)
				}
			}
		}
	}
}

func TestTilesGrowWithTheWork(t *testing.T) {
	t.Parallel()
	area := 0
	for _, n := range []int64{16, 256, 1024, 8192} {
		s := kernels.Tile(n, n, 1, 16, 256, 48<<10, 4)
		require.GreaterOrEqual(t, s.M*s.N, area)
		area = s.M * s.N
	}
	require.Equal(t, 128*128, area)
}

func TestPanelsFitTheRegistersAndTheColumns(t *testing.T) {
	t.Parallel()
	for lanes, registers := range map[int]int{4: 16, 8: 16, 16: 32} {
		for _, m := range []int64{1, 2, 3, 5, 100} {
			for _, n := range []int64{1, 4, 16, 17, 40, 1000} {
				s := kernels.Panel(lanes, m, n)
				require.LessOrEqual(t, s.Registers(), registers)
				require.True(t, s.Vectors == 1 || int64(s.Columns()) < 2*n, "%+v for %d columns", s, n)
			}
		}
	}
}
