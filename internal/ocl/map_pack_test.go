package ocl

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Inputs that lie along rows are packed, beside those that lie as the output does, at sizes around tiles and blocks.
func TestInputsAlongRowsArePacked(t *testing.T) {
	f32 := tensor.Float32
	batched := engine.Domain{3, 19, 35}
	inPlace := addedTurned(f32, 35, 150)
	inPlace.Alias = []int{1}
	for name, task := range map[string]*engine.Task{
		"a tile":      addedTurned(f32, 16, 16),
		"odd sides":   addedTurned(f32, 19, 37),
		"some blocks": addedTurned(f32, 35, 300),
		"many rows":   addedTurned(f32, 700, 17),
		"doubles":     addedTurned(tensor.Float64, 33, 130),
		"halves":      addedTurned(tensor.Float16, 18, 40),
		"bytes":       addedTurned(tensor.Int8, 17, 33),
		"a border":    addedWithin(f32, 35, 150),
		"in place":    inPlace,
		"two types":   twoTurned(18, 33),
		"a batch":     mapTask(batched, engine.Apply(fnMul, f32, engine.Load(0, f32, denseAt(batched, 0, 2, 1), nil), load(1, f32, batched)), whole(f32, batched), whole(f32, batched)),
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var in [][]byte
			for _, o := range task.Ins {
				in = append(in, randomBytes(r, o.DType, o.Len))
			}
			p := verify(t, device(t, "map=pack", nil), task, in, 0, 0)
			require.Contains(t, p.Variant, "pack")
		})
	}
}
