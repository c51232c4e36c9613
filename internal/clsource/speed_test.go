package clsource_test

import (
	"testing"

	"github.com/anycl/anycl/internal/clsource"
	"github.com/anycl/anycl/kernels"
)

func BenchmarkTokens(b *testing.B) {
	text := kernels.Text("lib/prelude.cl") + kernels.Text("lib/math.cl")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := clsource.Tokens(text); err != nil {
			b.Fatal(err)
		}
	}
}
