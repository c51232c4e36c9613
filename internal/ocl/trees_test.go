package ocl

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

// forestTask is an ensemble of full trees over random numbers, with so many weights a leaf.
func forestTask(r *rand.Rand, dt tensor.DType, a engine.Trees, depth, weights int) (*engine.Task, [][]byte) {
	size, words := 2<<depth-1, int(engine.NodeWords(dt))
	a.Nodes, a.Leaves = a.Count*int64(size), a.Count<<depth
	a.Weights, a.Steps = a.Leaves*int64(weights), float64(a.Count)*float64(depth)
	var nodes, roots, targets []int32
	starts := []int32{0}
	leaf := int32(0)
	for t := range int(a.Count) {
		base := int32(t * size)
		roots = append(roots, base, int32(depth))
		for i := range int32(size) {
			n := make([]int32, words)
			key, feature, left, end := int64(0), int32(r.IntN(2*int(a.Features))), base+2*i+1, int32(-1)
			if i >= 1<<depth-1 {
				key, feature, left, end = math.MaxInt64, 0, base+i, leaf
				leaf++
				for range weights {
					targets = append(targets, int32(r.IntN(int(a.Targets))))
				}
				starts = append(starts, int32(len(targets)))
			} else if dt == tensor.Float64 {
				key = engine.FloatKey64(r.NormFloat64())
			} else {
				key = int64(engine.FloatKey32(float32(r.NormFloat64())))
			}
			if dt == tensor.Float64 {
				n[0], n[1] = int32(key), int32(key>>32)
			} else {
				n[0] = int32(min(key, math.MaxInt32))
			}
			copy(n[words/3:], []int32{feature, left, end})
			nodes = append(nodes, n...)
		}
	}
	words32 := func(xs []int32) (b []byte) {
		for _, x := range xs {
			b = binary.NativeEndian.AppendUint32(b, uint32(x))
		}
		return b
	}
	x := randomBytes(r, dt, a.Samples*a.Features)
	for i := range a.Samples * a.Features {
		if r.IntN(10) == 0 {
			putAt(dt, x, i, []float64{math.NaN(), math.Inf(-1), math.Inf(1), 0, math.Copysign(0, -1)}[r.IntN(5)], 0)
		}
	}
	ins := [][]byte{x, words32(nodes), words32(roots), words32(starts), words32(targets), randomBytes(r, dt, a.Weights)}
	whole := func(n int64) engine.Operand { return engine.Operand{DType: tensor.Int32, Len: n} }
	task := routineTask(&a, []engine.Operand{
		{DType: dt, Len: a.Samples * a.Features}, whole(int64(len(nodes))), whole(2 * a.Count), whole(a.Leaves + 1), whole(a.Weights), {DType: dt, Len: a.Weights},
	}, engine.Operand{DType: dt, Len: a.Samples * a.Targets})
	return task, ins
}

// Sums of weights are in the order of the trees, so that not a bit differs.
func TestTreesGiveTheVeryNumbersOfTheCPUPath(t *testing.T) {
	numbersOnly(t)
	r := rand.New(rand.NewPCG(5, 7))
	for _, variantName := range []string{"block", "item"} {
		e := device(t, "trees="+variantName, nil)
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			for i, samples := range []int64{8, 9, 33, 700} {
				for targets := int64(1); targets <= 3; targets += 2 {
					a := engine.Trees{Samples: samples, Features: 5, Targets: targets, Count: 37, Aggregate: engine.Aggregate(i)}
					t.Run(fmt.Sprintf("%s/%v/%d/%d", variantName, dt, samples, targets), func(t *testing.T) {
						task, ins := forestTask(r, dt, a, 4, int(targets))
						plan := asOnCPUPath(t, e, task, ins, 0, 0)
						require.Contains(t, plan.Variant, variantName)
					})
				}
			}
		}
	}
}

func TestFewSamplesAreLeftToTheCPUPath(t *testing.T) {
	task, _ := forestTask(rand.New(rand.NewPCG(1, 1)), tensor.Float32, engine.Trees{Samples: 3, Features: 2, Targets: 1, Count: 2}, 2, 1)
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
			task, ins := forestTask(r, tensor.Float32, engine.Trees{Samples: int64(c[3]), Features: int64(c[2]), Targets: 1, Count: int64(c[0])}, c[1], 1)
			routineBench(b, task, ins, "")
		})
	}
}
