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
					s := kernels.Tile(n, n, 1, 20, workGroup, local, size, size == 4)
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
		s := kernels.Tile(n, n, 1, 16, 256, 48<<10, 4, true)
		require.GreaterOrEqual(t, s.M*s.N, area)
		area = s.M * s.N
	}
	require.Equal(t, 128*128, area)
}

func TestPanelsFitTheRegistersAndTheColumns(t *testing.T) {
	t.Parallel()
	for lanes, registers := range map[int]int{4: 16, 8: 16, 16: 32} {
		for _, m := range []int64{1, 2, 3, 5, 7, 10, 12, 17, 25, 49, 100} {
			for _, n := range []int64{1, 4, 16, 17, 40, 1000} {
				s := kernels.Panel(lanes, 4, m, n)
				require.LessOrEqual(t, s.Registers(), registers)
				require.True(t, s.Vectors == 1 || int64(s.Columns()) < 2*n, "%+v for %d columns", s, n)
			}
		}
	}
}

func TestThreeVectorsHoldFewColumns(t *testing.T) {
	t.Parallel()
	for lanes, registers := range map[int]int{4: 16, 8: 16, 16: 32} {
		two := int64(2 * lanes) // columns of two vectors
		for _, n := range []int64{two, two + 1, two / 2 * 3, two/2*3 + 1, 1000} {
			s := kernels.Panel(lanes, 4, 1000, n).Thrice(4, 1000, n)
			require.Equal(t, registers == 16 && n > two && n <= two/2*3, s.Vectors == 3, "%d lanes, %d columns", lanes, n)
			require.LessOrEqual(t, s.Registers(), registers)
			require.GreaterOrEqual(t, s.Rows, 4)
		}
		require.NotEqual(t, 3, kernels.Panel(lanes, 4, 5, two+1).Thrice(4, 5, two+1).Vectors, "few rows")
	}
}

func TestLastTilesOfPanelsAreNearlyFull(t *testing.T) {
	t.Parallel()
	for m, rows := range map[int64]int{5: 5, 8: 8, 9: 10, 12: 12, 14: 7, 16: 8, 18: 6, 25: 5, 49: 10, 196: 8, 1000: 8} {
		require.Equal(t, rows, kernels.Panel(16, 4, m, 1000).Rows, "%d rows", m)
	}
	for m := int64(5); m < 500; m++ {
		for lanes, most := range map[int]int64{8: 6, 16: 8} {
			taken := func(rows int64) int64 { return (m + rows - 1) / rows * rows }
			require.LessOrEqual(t, taken(int64(kernels.Panel(lanes, 4, m, 1000).Rows)), taken(most), "%d rows", m)
		}
	}
}

func TestShapesOfMatrixUnitsFitEveryDevice(t *testing.T) {
	t.Parallel()
	space := kernels.SpaceOf("contract", "mma")
	for _, workGroup := range []int{32, 64, 128, 256} {
		for _, local := range []int64{32 << 10, 48 << 10, 64 << 10} {
			for _, extra := range []int64{0, 32} {
				for _, m := range []int64{1, 17, 100, 4096} {
					for _, n := range []int64{1, 16, 500, 4096} {
						s, ok := kernels.MMA(m, n, 1, 100, workGroup, local, extra)
						require.True(t, ok)
						require.LessOrEqual(t, s.LocalBytes()+extra*int64(s.Items()), local)
						p := kernels.Params{"m": int64(s.M), "n": int64(s.N), "k": int64(s.K), "x": int64(s.X), "y": int64(s.Y), "stages": int64(s.Stages)}
						require.True(t, space.Fits(p, kernels.Limits{WorkGroup: workGroup, LocalMem: local}), "%+v", s)
					}
				}
			}
		}
	}
	_, ok := kernels.MMA(64, 64, 1, 100, 16, 64<<10, 0)
	require.False(t, ok, "half a warp")
}

func TestShapesOfSubgroupsFitEveryDevice(t *testing.T) {
	t.Parallel()
	space := kernels.SpaceOf("contract", "subgroup")
	for _, lanes := range []int{8, 16} {
		for _, workGroup := range []int{16, 64, 256} {
			for _, m := range []int64{1, 3, 17, 25, 100, 4096} {
				for _, n := range []int64{1, 16, 500, 4096} {
					for _, byRow := range []bool{false, true} {
						for _, most := range []int{8, 16, 24} {
							s := kernels.Subgroup(m, n, 1, 100, workGroup, lanes, most, byRow, false)
							require.LessOrEqual(t, s.Rows, min(most, int(m)))
							require.True(t, s.Rows < lanes || s.Reads(!byRow) > 0, "%+v", s)
							p := kernels.Params{"rows": int64(s.Rows), "vectors": int64(s.Vectors), "k": int64(s.K), "x": int64(s.X), "y": int64(s.Y)}
							require.True(t, space.Fits(p, kernels.Limits{WorkGroup: workGroup, Lanes: lanes, Size: 4}), "%+v", s)
						}
					}
				}
			}
		}
	}
	require.Equal(t, 1, kernels.Subgroup(4096, 4096, 1, 100, 256, 8, 24, false, true).X)
	require.Equal(t, 24*64, func() int {
		s := kernels.Subgroup(4096, 4096, 1, 100, 256, 8, 24, false, false)
		return s.Rows * s.Columns() * s.X
	}(), "four tiles side by side")
}

// Eight rows of a matrix, and eight neighbours of a copy, are read and written at
// once: 16 bytes each, which lie in different eighths of the 128 bytes of all banks.
func TestChunksForMatrixUnitsMeetNoBankTwice(t *testing.T) {
	t.Parallel()
	place := func(r, c, chunks int) int { // PLACE of contract/gpu_mma.cl
		if chunks < 8 {
			return r*chunks + (c ^ r/(8/chunks)%chunks)
		}
		return r*chunks + (c ^ r%8)
	}
	for _, chunks := range []int{2, 4, 8, 16, 32} {
		rows, seen := 64, map[int]bool{}
		for r := range rows {
			for c := range chunks {
				p := place(r, c, chunks)
				require.Equal(t, r, p/chunks, "chunks stay in their row")
				require.False(t, seen[p], "two chunks in one place")
				seen[p] = true
			}
		}
		for first := 0; first < rows; first += 8 {
			for c := range chunks {
				banks := map[int]bool{}
				for r := first; r < first+8; r++ {
					banks[place(r, c, chunks)%8] = true
				}
				require.Len(t, banks, 8, "%d chunks: rows from %d, column %d", chunks, first, c)
			}
		}
		for e := 0; e < rows*chunks; e += 8 {
			banks := map[int]bool{}
			for i := e; i < e+8; i++ {
				banks[place(i/chunks, i%chunks, chunks)%8] = true
			}
			require.Len(t, banks, 8)
		}
	}
}
