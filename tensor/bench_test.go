package tensor

import "testing"

func BenchmarkTransposedCopy(b *testing.B) {
	x := Must(Must(New(Float32, 1024, 1024)).Transpose())
	b.SetBytes(int64(x.NumBytes()))
	for b.Loop() {
		x.Clone()
	}
}

func BenchmarkCast(b *testing.B) {
	for _, c := range []struct{ from, to DType }{
		{Float32, Float64}, {Uint8, Float32}, {Float32, Float16}, {Float16, Float32}, {Float32, Int8},
	} {
		b.Run(c.from.String()+" to "+c.to.String(), func(b *testing.B) {
			x := Must(New(c.from, 1<<20))
			b.SetBytes(int64(x.NumBytes()))
			b.ReportAllocs()
			for b.Loop() {
				Must(Cast(x, c.to))
			}
		})
	}
}
