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

// Sums of weights are in the order of the trees, so that not a bit differs.
func TestTreesGiveTheVeryNumbersOfTheCPUPath(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(5, 7))
	for _, variantName := range []string{"block", "item"} {
		e := device(t, "trees="+variantName, nil)
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			for i, samples := range []int64{8, 9, 33, 700} {
				for targets := int64(1); targets <= 3; targets += 2 {
					a := engine.Trees{Samples: samples, Features: 5, Targets: targets, Count: 37, Aggregate: engine.Aggregate(i)}
					t.Run(fmt.Sprintf("%s/%v/%d/%d", variantName, dt, samples, targets), func(t *testing.T) {
						task, ins := sample.Forest(r, dt, a, 4, int(targets))
						plan := ocltest.VerifyByCPUPath(t, e, task, ins, 0, 0)
						require.Contains(t, plan.Variant, variantName)
					})
				}
			}
		}
	}
}

func TestFewSamplesAreLeftToTheCPUPath(t *testing.T) {
	task, _ := sample.Forest(rand.New(rand.NewPCG(1, 1)), tensor.Float32, engine.Trees{Samples: 3, Features: 2, Targets: 1, Count: 2}, 2, 1)
	err := device(t, "", nil).Check(task)
	require.ErrorIs(t, err, engine.ErrUnsupported)
	require.ErrorContains(t, err, "few samples")
	without := device(t, "", func(f *facts.Device) { f.FP64 = false })
	task.Algorithm.(*engine.Trees).Samples = 9
	task.Ins[0].Len, task.Outs[0].Len = 18, 9
	require.ErrorContains(t, without.Check(task), "float64")
}

func BenchmarkTrees(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][4]int{{500, 8, 30, 32}, {500, 8, 30, 1000}, {500, 8, 30, 20_000}, {100, 14, 100, 1000}, {100, 6, 30, 100_000}} {
		b.Run(fmt.Sprintf("%dx%d/%d", c[0], c[1], c[3]), func(b *testing.B) {
			task, ins := sample.Forest(r, tensor.Float32, engine.Trees{Samples: int64(c[3]), Features: int64(c[2]), Targets: 1, Count: int64(c[0])},
				c[1], 1)
			routineBench(b, task, ins, "")
		})
	}
}
