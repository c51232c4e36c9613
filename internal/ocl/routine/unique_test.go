package routine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// bitForBit runs task on e and wants every bit of the CPU path: which zero and which NaN stands for the others too.
func bitForBit(t testing.TB, e *ocl.Engine, task *engine.Task, ins [][]byte) engine.Plan {
	t.Helper()
	want := ocltest.OnCPUPath(t, task, ins)
	got, plan := ocltest.Execute(t, e, task, ins, 0)
	for i := range task.Outs {
		require.Equal(t, want[i], got[i], "output %d by %s %v", i, plan.Variant, plan.Launch)
	}
	return plan
}

func TestEveryWayTellsItemsApartAsTheCPUPathDoes(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(13, 14))
	for v, variantName := range []string{"radix", "group", "blocks"} {
		for _, wide := range []bool{false, true} {
			e := device(t, "unique="+variantName, func(f *facts.Device) { f.ForceWide = wide })
			for _, dt := range ocltest.DeviceDTypes(t) {
				for i, n := range []int64{1, 2, 33, 300, 1024, 5000, 70_003} {
					for _, sorted := range []bool{true, false} {
						// Each is a program: of float32 a fifth, of others few in one variant.
						some := ocltest.OneIn(i-int(dt), 4) && ocltest.OneIn(codegen.OneIf(sorted)+int(dt), 2) && ocltest.OneIn(int(dt)/2+v, 3)
						if dt == tensor.Float32 {
							some = ocltest.OneIn(2*i+codegen.OneIf(sorted)+v, 5)
						}
						if wide && (dt != tensor.Int64 || n != 300) || !wide && !some || variantName == "group" && n > 1024 {
							continue
						}
						t.Run(fmt.Sprintf("%s/%v/%d/%v", variantName, dt, n, sorted), func(t *testing.T) {
							different := []int{1, 7, int(n)}[r.IntN(3)]
							in := sample.UniqueInput(r, dt, n, different)
							plan := bitForBit(t, e, sample.Unique(dt, engine.Unique{Count: n, Width: 1, Sorted: sorted}), [][]byte{in})
							require.Contains(t, plan.Variant, variantName)
						})
					}
				}
			}
		}
	}
}

// Runs of one value that reach over parts, and none.
func TestRunsOfEqualItemsMayBeOfAnyLength(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(15, 16))
	for _, variantName := range []string{"radix", "blocks"} {
		e := device(t, "unique="+variantName, func(f *facts.Device) { f.Units = 16 })
		for _, n := range []int64{100_000, 150_001} {
			for _, different := range []int{1, 2, 3, math.MaxInt32} {
				in := make([]byte, 4*n)
				for i := range n {
					ocltest.PutAt(tensor.Int32, in, i, 0, uint64(r.IntN(different)))
				}
				for _, sorted := range []bool{true, false} {
					bitForBit(t, e, sample.Unique(tensor.Int32, engine.Unique{Count: n, Width: 1, Sorted: sorted}), [][]byte{in})
				}
			}
		}
	}
}

func TestUniqueOfNothingIsNothing(t *testing.T) {
	for _, variantName := range []string{"radix", "group", "blocks"} {
		for _, sorted := range []bool{true, false} {
			task := sample.Unique(tensor.Float32, engine.Unique{Width: 1, Sorted: sorted})
			got, _ := ocltest.Execute(t, device(t, "unique="+variantName, nil), task, [][]byte{{}}, 0)
			require.Equal(t, make([]byte, 8), got[4])
		}
	}
}

func TestUniqueGivesOnlyWhatIsRead(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(17, 18))
	for i, variantName := range []string{"radix", "group", "blocks"} {
		for read := range 5 {
			if i > 0 && i != read%3 {
				continue
			}
			task := sample.Unique(tensor.Float32, engine.Unique{Count: 200, Width: 1, Sorted: read%2 == 0})
			for i := range task.Outs {
				if i != read {
					task.Outs[i].Len = 0
				}
			}
			plan := bitForBit(t, device(t, "unique="+variantName, nil), task, [][]byte{sample.UniqueInput(r, tensor.Float32, 200, 50)})
			require.Contains(t, plan.Variant, variantName)
		}
	}
}

// Rows of any width, of which many agree in their first elements.
func TestRowsAreToldApartAsTheCPUPathDoes(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(19, 20))
	for i, c := range []struct {
		dt           tensor.DType
		count, width int64
		sorted, wide bool
	}{
		{tensor.Float32, 1, 3, true, false}, {tensor.Float32, 1000, 5, true, false}, {tensor.Float32, 1025, 2, false, false},
		{tensor.Int64, 64, 40, false, true}, {tensor.Uint8, 3000, 3, true, false}, {tensor.Bool, 90, 4, false, false},
		{tensor.BFloat16, 257, 2, true, false}, {tensor.Int16, 12, 0, true, false}, {tensor.Float16, 2, 70_001, false, false},
	} {
		if !slices.Contains(ocltest.DeviceDTypes(t), c.dt) || i > 3 && !ocltest.OneIn(i, 2) {
			continue
		}
		e := device(t, "", func(f *facts.Device) { f.ForceWide = c.wide })
		in := sample.UniqueInput(r, c.dt, c.count*c.width, 2)
		plan := bitForBit(t, e, sample.Unique(c.dt, engine.Unique{Count: c.count, Width: c.width, Sorted: c.sorted}), [][]byte{in})
		require.Contains(t, plan.Variant, "rows")
	}
	for read := range 5 {
		task := sample.Unique(tensor.Float32, engine.Unique{Count: 30, Width: 2, Sorted: true})
		for i := range task.Outs {
			if i != read {
				task.Outs[i].Len = 0
			}
		}
		bitForBit(t, device(t, "", nil), task, [][]byte{sample.UniqueInput(r, tensor.Float32, 60, 3)})
	}
}

func BenchmarkUnique(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dt := range []tensor.DType{tensor.Int32, tensor.Int64} {
		for _, n := range []int64{1e3, 1e4, 1e5, 1e6} {
			for _, different := range []int{100, int(n)} {
				for _, sorted := range []bool{true, false} {
					if !sorted && dt == tensor.Int64 {
						continue
					}
					b.Run(fmt.Sprintf("%v/%d-of-%d/%v", dt, different, n, sorted), func(b *testing.B) {
						in := make([]byte, n*int64(dt.Size()))
						for i := range n {
							ocltest.PutAt(dt, in, i, 0, uint64(r.IntN(different)))
						}
						routineBench(b, sample.Unique(dt, engine.Unique{Count: n, Width: 1, Sorted: sorted}), [][]byte{in}, "")
					})
				}
			}
		}
	}
}
