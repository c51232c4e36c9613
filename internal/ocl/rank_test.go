package ocl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

func rankTask(dt tensor.DType, a engine.Rank) *engine.Task {
	n := a.Rows * a.Keep
	return routineTask(&a, []engine.Operand{{DType: dt, Len: a.Rows * a.Length}}, engine.Operand{DType: dt, Len: n}, engine.Operand{DType: tensor.Int64, Len: n})
}

// rankInput has what hurts a sort: ties, both zeros, infinities, NaN of many kinds.
func rankInput(r *rand.Rand, dt tensor.DType, n int64) []byte {
	in := randomBytes(r, dt, n)
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1}
	for i := range n {
		if dt.IsFloat() && r.IntN(3) == 0 {
			putAt(dt, in, i, special[r.IntN(len(special))], 0)
		}
		if dt.IsFloat() && r.IntN(20) == 0 { // any bits
			for b := range dt.Size() {
				in[int(i)*dt.Size()+b] = byte(r.Uint64())
			}
		}
		if !dt.IsFloat() && r.IntN(2) == 0 {
			putAt(dt, in, i, 0, uint64(r.IntN(5)))
		}
	}
	return in
}

func rankCases() []engine.Rank {
	return []engine.Rank{
		{Rows: 1, Length: 1, Keep: 1}, {Rows: 20, Length: 2, Keep: 2, Descending: true}, {Rows: 19, Length: 33, Keep: 33},
		{Rows: 3, Length: 300, Keep: 300, Descending: true}, {Rows: 9, Length: 700, Keep: 500, ByPosition: true}, {Rows: 2, Length: 1024, Keep: 9, Descending: true},
		{Rows: 50, Length: 300, Keep: 1}, {Rows: 2, Length: 70_003, Keep: 300, Descending: true, ByPosition: true}, {Rows: 1, Length: 100_000, Keep: 45},
		{Rows: 37, Length: 256, Keep: 8, Descending: true}, {Rows: 3, Length: 500, Keep: 16, ByPosition: true}, {Rows: 4, Length: 21, Keep: 10}, {Rows: 2, Length: 20_000, Keep: 9, Descending: true},
		{Rows: 1, Length: 40_000, Keep: 40_000}, {Rows: 2, Length: 33_001, Keep: 20_000, Descending: true, ByPosition: true},
	}
}

func TestEveryWayToSortGivesTheOrderOfTheCPUPath(t *testing.T) {
	numbersOnly(t)
	r := rand.New(rand.NewPCG(3, 4))
	cases := rankCases()
	for v, variantName := range []string{"radix", "lanes", "few", "first", "group", "blocks", "match", "pick"} {
		for _, wide := range []bool{false, true} {
			e := device(t, "rank="+variantName, func(f *facts.Device) { f.ForceWide = wide })
			for _, dt := range deviceDTypes(t) {
				if wide && dt != tensor.Int64 {
					continue
				}
				for i, a := range cases {
					// Each is a program: of float32 a fifth, of others one in one variant.
					if dt == tensor.Float32 && !one(i+v, 5) || dt != tensor.Float32 && (!one(i-3*int(dt)-v, len(cases)) || !one(int(dt)+v, 8)) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%v/%s", variantName, dt, a.String()), func(t *testing.T) {
						task := rankTask(dt, a)
						in := rankInput(r, dt, a.Rows*a.Length)
						asOnCPUPath(t, e, task, [][]byte{in}, 0, 0)
					})
				}
			}
		}
	}
}

// What is buffered, stored past caches, or not there.
func TestSortsOfLongRowsGiveTheOrderOfTheCPUPath(t *testing.T) {
	numbersOnly(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, cache := range []int64{0, 1} {
		e := device(t, "rank=radix", func(f *facts.Device) { f.Cache = cache })
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Int64, tensor.Uint8} {
			for _, n := range []int64{1 << 17, 300_007} {
				a := engine.Rank{Rows: 2, Length: n, Keep: n}
				in := rankInput(r, dt, 2*n)
				asOnCPUPath(t, e, rankTask(dt, a), [][]byte{in}, 0, 0)
			}
		}
	}
}

func TestSortsGiveOnlyWhatIsRead(t *testing.T) {
	numbersOnly(t)
	r := rand.New(rand.NewPCG(7, 8))
	for _, variantName := range []string{"radix", "lanes", "group", "blocks", "match"} {
		e := device(t, "rank="+variantName, nil)
		if variantName == "lanes" && !e.facts.CPU {
			continue // for CPU drivers
		}
		for unread := range 2 {
			a := engine.Rank{Rows: 3, Length: 100, Keep: 100}
			task := rankTask(tensor.Float32, a)
			task.Outs[unread].Len = 0
			plan := asOnCPUPath(t, e, task, [][]byte{rankInput(r, tensor.Float32, 300)}, 0, 0)
			require.Contains(t, plan.Variant, variantName)
		}
	}
}

// In the worst order everything comes before what is held; parts of rows are chosen from again.
func TestTheFirstOfARowArePickedFromAnyOrder(t *testing.T) {
	numbersOnly(t)
	e := device(t, "rank=pick", func(f *facts.Device) { f.CPU, f.Units = false, 16 })
	for _, a := range []engine.Rank{
		{Rows: 3, Length: 70_003, Keep: 500, Descending: true}, {Rows: 20, Length: 9_000, Keep: 50}, {Rows: 1, Length: 400_000, Keep: 512, ByPosition: true},
	} {
		for _, order := range []string{"rising", "falling", "random", "equal"} {
			r := rand.New(rand.NewPCG(9, 10))
			in := make([]byte, 4*a.Rows*a.Length)
			for i := range a.Rows * a.Length {
				v := map[string]float64{"rising": float64(i), "falling": -float64(i), "random": r.NormFloat64(), "equal": 1}[order]
				putAt(tensor.Float32, in, i, v, 0)
			}
			plan := asOnCPUPath(t, e, rankTask(tensor.Float32, a), [][]byte{in}, 0, 0)
			require.Contains(t, plan.Variant, "pick")
		}
	}
}
