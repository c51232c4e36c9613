package scatter_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkScatter adds n updates of d numbers to v rows, from few to many for each row: gradients of embeddings,
// sums by class, histograms.
func BenchmarkScatter(b *testing.B) {
	for _, s := range [][3]int{
		{30000, 16384, 256}, {1000, 256 << 10, 64}, {1000, 2000, 32}, {100, 40, 8}, {1000, 100_000, 1}, {64, 1 << 20, 1},
		{10, 1 << 16, 64}, {50_000, 200_000, 16}, {1 << 20, 1 << 20, 1},
	} {
		b.Run(fmt.Sprintf("%dx%d-%d", s[0], s[2], s[1]), func(b *testing.B) {
			task := sample.Scatter(s[0], s[1], s[2], tensor.Float32, tensor.Int32)
			r, keys := rand.New(rand.NewPCG(1, 2)), []byte{}
			for range s[1] {
				keys = binary.NativeEndian.AppendUint32(keys, uint32(r.IntN(s[0])))
			}
			ocltest.BenchmarkOn(b, device(b, variant.ForcedByEnv(), nil), task, map[int][]byte{1: keys})
		})
	}
}
