package routine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

func rankCases() []engine.Rank {
	return []engine.Rank{
		{Rows: 1, Length: 1, Keep: 1}, {Rows: 20, Length: 2, Keep: 2, Descending: true}, {Rows: 19, Length: 33, Keep: 33},
		{Rows: 3, Length: 300, Keep: 300, Descending: true}, {Rows: 9, Length: 700, Keep: 500, ByPosition: true},
		{Rows: 2, Length: 1024, Keep: 9, Descending: true},
		{Rows: 50, Length: 300, Keep: 1}, {Rows: 2, Length: 70_003, Keep: 300, Descending: true, ByPosition: true},
		{Rows: 1, Length: 100_000, Keep: 45},
		{Rows: 37, Length: 256, Keep: 8, Descending: true}, {Rows: 3, Length: 500, Keep: 16, ByPosition: true}, {Rows: 4, Length: 21, Keep: 10},
		{Rows: 2, Length: 20_000, Keep: 9, Descending: true},
		{Rows: 1, Length: 40_000, Keep: 40_000}, {Rows: 2, Length: 33_001, Keep: 20_000, Descending: true, ByPosition: true},
	}
}

func TestEveryWayToSortGivesTheOrderOfTheCPUPath(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(3, 4))
	cases := rankCases()
	for v, variantName := range []string{"radix", "lanes", "few", "first", "group", "blocks", "match", "pick"} {
		for _, wide := range []bool{false, true} {
			e := device(t, "rank="+variantName, func(f *facts.Device) { f.ForceWide = wide })
			for _, dt := range ocltest.DeviceDTypes(t) {
				if wide && dt != tensor.Int64 {
					continue
				}
				for i, a := range cases {
					// Each is a program: of float32 a fifth, of others one in one variant.
					if dt == tensor.Float32 && !ocltest.OneIn(i+v, 5) || dt != tensor.Float32 &&
						(!ocltest.OneIn(i-3*int(dt)-v, len(cases)) || !ocltest.OneIn(int(dt)+v, 8)) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%v/%s", variantName, dt, a.String()), func(t *testing.T) {
						task := sample.Rank(dt, a)
						in := sample.RankInput(r, dt, a.Rows*a.Length)
						ocltest.VerifyByCPUPath(t, e, task, [][]byte{in}, 0, 0)
					})
				}
			}
		}
	}
}

// With a cache of 1 byte all rows are stored past caches, and with 0, which stands for unknown, none are.
func TestSortsOfLongRowsGiveTheOrderOfTheCPUPath(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, cache := range []int64{0, 1} {
		e := device(t, "rank=radix", func(f *facts.Device) { f.Cache = cache })
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Int64, tensor.Uint8} {
			for _, n := range []int64{1 << 17, 300_007} {
				a := engine.Rank{Rows: 2, Length: n, Keep: n}
				in := sample.RankInput(r, dt, 2*n)
				ocltest.VerifyByCPUPath(t, e, sample.Rank(dt, a), [][]byte{in}, 0, 0)
			}
		}
	}
}

func TestSortsGiveOnlyWhatIsRead(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(7, 8))
	for _, variantName := range []string{"radix", "lanes", "group", "blocks", "match"} {
		e := device(t, "rank="+variantName, nil)
		if variantName == "lanes" && !e.Facts().CPU {
			continue // for CPU drivers
		}
		for unread := range 2 {
			a := engine.Rank{Rows: 3, Length: 100, Keep: 100}
			task := sample.Rank(tensor.Float32, a)
			task.Outs[unread].Len = 0
			plan := ocltest.VerifyByCPUPath(t, e, task, [][]byte{sample.RankInput(r, tensor.Float32, 300)}, 0, 0)
			require.Contains(t, plan.Variant, variantName)
		}
	}
}

// In the worst order every item comes before the held ones; parts of rows are chosen from again.
func TestTheFirstOfARowArePickedFromAnyOrder(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := device(t, "rank=pick", func(f *facts.Device) { f.CPU, f.Units = false, 16 })
	for _, a := range []engine.Rank{
		{Rows: 3, Length: 70_003, Keep: 500, Descending: true}, {Rows: 20, Length: 9_000, Keep: 50},
		{Rows: 1, Length: 400_000, Keep: 512, ByPosition: true},
	} {
		for _, order := range []string{"rising", "falling", "random", "equal"} {
			r := rand.New(rand.NewPCG(9, 10))
			in := make([]byte, 4*a.Rows*a.Length)
			for i := range a.Rows * a.Length {
				v := map[string]float64{"rising": float64(i), "falling": -float64(i), "random": r.NormFloat64(), "equal": 1}[order]
				ocltest.PutAt(tensor.Float32, in, i, v, 0)
			}
			plan := ocltest.VerifyByCPUPath(t, e, sample.Rank(tensor.Float32, a), [][]byte{in}, 0, 0)
			require.Contains(t, plan.Variant, "pick")
		}
	}
}
