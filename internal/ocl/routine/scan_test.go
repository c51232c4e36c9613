package routine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

func TestRunningSumsOfEveryVariantAreThoseOfTheCPUPath(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(1, 2))
	for v, variantName := range []string{"row", "group", "column"} {
		for _, wide := range []bool{false, true} {
			e := device(t, "scan="+variantName, func(f *facts.Device) { f.ForceWide = wide })
			for i, dt := range ocltest.DeviceDTypes(t) {
				if dt == tensor.Bool || wide && dt != tensor.Float32 || dt != tensor.Float32 && !ocltest.OneIn(i+v, 3) {
					continue
				}
				for j, a := range []engine.Scan{
					{Outer: 1, Length: 1, Inner: 1}, {Outer: 3, Length: 16, Inner: 1}, {Outer: 2, Length: 1041, Inner: 1},
					{Outer: 1, Length: 70_001, Inner: 1}, {Outer: 700, Length: 3, Inner: 1}, {Outer: 2, Length: 5000, Inner: 3},
					{Outer: 2, Length: 9, Inner: 700},
				} {
					way := i + v // of other dtypes one, which is a program
					if dt == tensor.Float32 && !wide {
						way += j
					}
					a.Exclusive, a.Reverse = way%2 == 1, way/2%2 == 1
					if a.Inner > 1 && variantName == "group" { // the third variant takes them
						continue
					}
					t.Run(fmt.Sprintf("%s/%v/%s", variantName, dt, a.String()), func(t *testing.T) {
						in := ocltest.RandomBytes(r, dt, a.Outer*a.Length*a.Inner)
						tol, scale := 0.0, 0.0
						if dt.IsFloat() { // sums of so many numbers about 1
							tol, scale = 0x1p-20, 2*math.Sqrt(float64(a.Length))
						}
						if dt == tensor.Float64 {
							tol = 0x1p-44
						}
						ocltest.VerifyByCPUPath(t, e, sample.Scan(dt, a), [][]byte{in}, tol, scale)
					})
				}
			}
		}
	}
}

// A value that is not finite affects no sum before it, and the sums of parts that carry errors make
// no NaN of an infinity.
func TestRunningSumsKeepWhatIsNotFinite(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, variantName := range []string{"row", "group", "column"} {
		e := device(t, "scan="+variantName, nil)
		for _, at := range []int{0, 700, 30_000} {
			xs := make([]float32, 50_001)
			for i := range xs {
				xs[i] = 1
			}
			xs[at], xs[40_000] = float32(math.Inf(1)), float32(math.NaN())
			for _, reverse := range []bool{false, true} {
				if reverse {
					slices.Reverse(xs)
				}
				x := tensor.Must(tensor.FromSlice(xs))
				in, _ := x.Bytes()
				outs, _ := ocltest.Execute(t, e, sample.Scan(tensor.Float32, engine.Scan{Outer: 1, Length: int64(len(xs)), Inner: 1, Reverse: reverse}),
					[][]byte{in}, 0)
				for i := range xs {
					j := i
					if reverse {
						j = len(xs) - 1 - i
					}
					v := ocltest.NumberAt(tensor.Float32, outs[0], j)
					switch {
					case i < at:
						require.Equal(t, float64(i+1), v)
					case i < 40_000:
						require.True(t, math.IsInf(v, 1), "%s: %v at %d", variantName, v, i)
					default:
						require.True(t, math.IsNaN(v), "%s: %v at %d", variantName, v, i)
					}
				}
			}
		}
	}
}
