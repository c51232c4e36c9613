package maps_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Inputs that lie along rows are packed, beside those that lie as the output does, at sizes around tiles and blocks.
func TestInputsAlongRowsArePacked(t *testing.T) {
	f32 := tensor.Float32
	batched := engine.Domain{3, 19, 35}
	inPlace := sample.TransposedTimes(f32, 35, 150)
	inPlace.Alias = []int{1}
	for name, task := range map[string]*engine.Task{
		"a tile":      sample.TransposedTimes(f32, 16, 16),
		"odd sides":   sample.TransposedTimes(f32, 19, 37),
		"some blocks": sample.TransposedTimes(f32, 35, 300),
		"many rows":   sample.TransposedTimes(f32, 700, 17),
		"doubles":     sample.TransposedTimes(tensor.Float64, 33, 130),
		"halves":      sample.TransposedTimes(tensor.Float16, 18, 40),
		"bytes":       sample.TransposedTimes(tensor.Int8, 17, 33),
		"a border":    sample.TransposedTimesWithin(f32, 35, 150),
		"in place":    inPlace,
		"two types":   sample.TwoTransposed(18, 33),
		"a batch": sample.Map(batched, engine.Apply(sample.Mul, f32, engine.Load(0, f32, sample.DenseAt(batched, 0, 2, 1), nil),
			sample.Load(1, f32, batched)), sample.Whole(f32, batched), sample.Whole(f32, batched)),
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var in [][]byte
			for _, o := range task.Ins {
				in = append(in, ocltest.RandomBytes(r, o.DType, o.Len))
			}
			p := ocltest.Verify(t, device(t, "map=pack", nil), task, in, 0, 0)
			require.Contains(t, p.Variant, "pack")
		})
	}
}
