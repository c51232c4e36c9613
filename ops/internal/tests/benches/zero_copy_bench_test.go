package benches_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkLend squares what is fed, and adds it up, on the device: feeds and results where the caller has them,
// and copied.
func BenchmarkLend(b *testing.B) {
	rt := opstest.Device(b)
	for _, n := range []int{1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22} {
		for _, what := range []string{"square", "sum"} {
			for _, way := range []string{"lent", "copied"} {
				b.Run(fmt.Sprintf("%s/%dKi/%s", what, 4*n>>10, way), func(b *testing.B) {
					defer opstest.LendFrom(map[string]int64{"lent": 1, "copied": 1 << 40}[way])()
					g := NewGraph(what)
					x := g.Input("x", tensor.Float32, n)
					y := Mul(x, x)
					if what == "sum" {
						y = Sum(y)
					}
					exe, err := g.Compile(b.Context(), rt, Target{Outputs: []*Node{y}, Place: OnDevice})
					require.NoError(b, err)
					defer exe.Close()
					feeds := [2]Feeds{{x: opstest.Random(b, n)}, {x: opstest.Random(b, n)}}
					outs, err := exe.Run(b.Context(), feeds[0])
					require.NoError(b, err)
					b.SetBytes(int64(4 * n))
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						if err := exe.RunInto(b.Context(), feeds[i%2], outs); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
