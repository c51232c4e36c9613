package serve

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Every number is written as strconv writes it: random ones, all that are whole and small, powers, and their neighbours.
func TestTheShortestDecimalIsThatOfStrconv(t *testing.T) {
	t.Parallel()
	var got, want []byte
	check := func(v float32) {
		got, want = appendFloat32(got[:0], v), strconv.AppendFloat(want[:0], float64(v), 'g', -1, 32)
		if string(got) != string(want) {
			t.Fatalf("%s is written %s", want, got)
		}
	}
	around := func(v float32) {
		for range 3 {
			check(v)
			check(-v)
			v = math.Nextafter32(v, math.MaxFloat32)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 1 << 20 {
		check(math.Float32frombits(r.Uint32()))
		check(r.Float32())
		check(float32(r.NormFloat64()))
		check(float32(r.IntN(1000)) / 8)
		check(float32(r.IntN(100000)) / 1000)
	}
	for i := range 1 << 17 {
		check(float32(i))
	}
	for e := -149; e < 128; e++ {
		around(float32(math.Ldexp(1, e)))
		around(math.Nextafter32(float32(math.Ldexp(1, e)), 0))
		around(float32(math.Ldexp(1.5, e)))
	}
	for e := -45; e <= 38; e++ {
		around(float32(math.Pow(10, float64(e))))
		around(math.Nextafter32(float32(math.Pow(10, float64(e))), 0))
	}
	for _, v := range []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN())} {
		check(v)
	}
}

func BenchmarkShortest(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	all := make([]float32, 1<<12)
	for i := range all {
		all[i] = r.Float32()
	}
	for name, f := range map[string]func(b []byte, v float32) []byte{
		"own":     appendFloat32,
		"strconv": func(b []byte, v float32) []byte { return strconv.AppendFloat(b, float64(v), 'g', -1, 32) },
	} {
		b.Run(name, func(b *testing.B) {
			var text []byte
			i := 0
			for b.Loop() {
				text = f(text[:0], all[i%len(all)])
				i++
			}
		})
	}
}
