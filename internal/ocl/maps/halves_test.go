package maps_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Each half widens to its value, and each float next to or in the middle between two halves rounds to the nearest, or to even: where it is
// stored, and where it is rounded between two operations.
func TestHalvesWidenAndRoundExactly(t *testing.T) {
	f16, f32 := tensor.Float16, tensor.Float32
	bits := func(h int) float64 { return tensor.Half(h).Float64() }
	halves := make([]byte, 2<<16)
	for h := range 1 << 16 {
		halves[2*h], halves[2*h+1] = byte(h), byte(h>>8)
	}
	var floats []float32
	for h := range 0x7c00 {
		middle := float32(bits(h)+bits(h+1)) / 2
		if h == 0x7bff {
			middle = 65520 // as if there were an exponent for the next one
		}
		for _, x := range []float32{float32(bits(h)), middle, math.Nextafter32(middle, 0), math.Nextafter32(middle, math.MaxFloat32)} {
			floats = append(floats, x, -x)
		}
	}
	floats = append(floats, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, math.SmallestNonzeroFloat32)
	for len(floats)%1024 != 0 {
		floats = append(floats, 1)
	}
	numbers := make([]byte, 4*len(floats))
	for i, x := range floats {
		ocltest.PutAt(f32, numbers, int64(i), float64(x), 0)
	}
	for name, c := range map[string]struct {
		from, to tensor.DType
		in       []byte
		round    bool
	}{
		"widened": {f16, f32, halves, false},
		"rounded": {f32, f16, numbers, false},
		"between": {f32, f32, numbers, true},
	} {
		t.Run(name, func(t *testing.T) {
			dom := engine.Domain{len(c.in) / c.from.Size() / 1024, 1024}
			x := sample.Load(0, c.from, dom)
			if c.round {
				x = engine.Apply(sample.Cast, f16, x)
			}
			task := sample.Map(dom, engine.Apply(sample.Cast, c.to, x), sample.Whole(c.from, dom))
			got, _ := ocltest.Execute(t, device(t, "", nil), task, [][]byte{c.in}, 0)
			for i := range int(dom.Size()) {
				x := ocltest.NumberAt(c.from, c.in, i)
				want := tensor.HalfFrom64(x).Float64()
				if y := ocltest.NumberAt(c.to, got[0], i); y != want && (y == y || want == want) {
					require.Failf(t, "wrong value", "%v became %v, not %v", x, y, want)
				}
			}
		})
	}
}
