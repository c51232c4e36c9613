package fallback

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// A sum of equal terms is where rounding errors all go one way.
func TestLongProductsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	const long = 1 << 19
	for _, c := range []struct {
		name           string
		m, n, k        int
		stepA, stepB   int64 // from one value of k to the next
		acrossA, alone bool  // elements of other rows, and of columns, lie apart
	}{
		{"dot", 1, 1, 16 * long, 0, 0, false, false},
		{"tile", 3, 5, 4 * long, 0, 0, false, false},
		{"in place", 2, 3, long, 1, 1, false, false},
		{"rows added to a vector", 1, 7, long, 0, 7, false, true},
		{"rows added to a column", 7, 1, long, 7, 0, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			task := matmul(tensor.Float32, 1, c.m, c.n, c.k, false, false)
			i, j, l := engine.AxisIndex(1), engine.AxisIndex(2), engine.AxisIndex(3)
			a, b := l.Mul(c.stepA), l.Mul(c.stepB)
			if c.acrossA {
				a = a.Add(i)
			}
			if c.alone {
				b = b.Add(j)
			}
			task.A, task.B = engine.Load(0, tensor.Float32, a, nil), engine.Load(1, tensor.Float32, b, nil)
			task.Ins[0].Len, task.Ins[1].Len = max(c.stepA*int64(c.k), int64(c.m)), max(c.stepB*int64(c.k), int64(c.n))
			for _, v := range []float64{0.1, 0.7, math.Inf(-1), math.NaN()} {
				ins := [][]byte{
					bytesOf(tensor.Float32, task.Ins[0].Len, func(int64) float64 { return v }),
					bytesOf(tensor.Float32, task.Ins[1].Len, func(int64) float64 { return 1 }),
				}
				var first []byte
				for _, workers := range []int{1, 3} {
					e := New(&Options{Workers: workers})
					out := runTask(t, e, task, 0, ins...)
					e.Close()
					if first == nil {
						first = out
					}
					require.Equal(t, first, out, "as many bits whatever the number of workers")
				}
				want := decode(tensor.Float32, ins[0], 0).f * float64(c.k)
				for i := range int64(c.m * c.n) {
					switch got := decode(tensor.Float32, first, i).f; {
					case math.IsNaN(v):
						require.True(t, math.IsNaN(got))
					case math.IsInf(v, 0):
						require.Equal(t, v, got)
					default:
						require.InEpsilon(t, want, got, 1e-6)
					}
				}
			}
		})
	}
}
