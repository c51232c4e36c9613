package benches_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// anyConv is a convolution as networks have them, and as they seldom do.
func anyConv(r *rand.Rand) convLayer {
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	o := Conv2DOptions{Groups: pick(1, 1, 1, 2, 8)}
	c, out := o.Groups*pick(1, 2, 3, 4, 8, 13, 16, 32), o.Groups*pick(1, 3, 4, 8, 16, 24, 32)
	if o.Groups == 1 && r.IntN(2) == 0 {
		out *= 2
	}
	side := pick(7, 13, 14, 20, 28, 35, 56, 112)
	kernel := [2]int{pick(1, 3, 3, 5), pick(3, 3, 3, 5, 7)}
	stride := pick(1, 1, 1, 2, 3)
	o.Stride, o.Pad = [2]int{stride, stride}, [2]int{kernel[0] / 2, kernel[1] / 2}
	if stride == 1 && r.IntN(5) == 0 {
		o.Dilation, o.Pad = [2]int{2, 2}, [2]int{kernel[0] / 2 * 2, kernel[1] / 2 * 2}
	}
	images := 1
	for images < 64 && images*c*out*side*side*kernel[0]*kernel[1]/o.Groups < 1<<25 {
		images *= 2
	}
	l := convLayer{x: []int{images, c, side, side}, w: []int{out, c / o.Groups, kernel[0], kernel[1]}, o: withDefaults(o)}
	l.name = fmt.Sprintf("%v %v stride %d dilation %d groups %d", l.x, l.w, l.o.Stride[0], l.o.Dilation[0], o.Groups)
	return l
}

// BenchmarkConv2DChoice is what the rule's choice costs beside the best of the
// variants: convolutions of 30 shapes and their derivatives with respect to the
// image. Regret 0 is the best choice everywhere; -v prints every one.
func BenchmarkConv2DChoice(b *testing.B) {
	for _, of := range []string{"forward", "image"} {
		b.Run(of, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var logs float64
			const shapes = 30
			for range shapes {
				l := anyConv(r)
				var line string
				best := time.Duration(math.MaxInt64)
				var chosen time.Duration
				for _, force := range []string{"", "panel", "block", "winograd", "strip"} {
					t, variant := convTime(b, l, of == "image", force)
					if force == "" {
						chosen = t
						line = variant
					}
					best = min(best, t)
					line += fmt.Sprintf(" %s %v", force, t.Round(time.Microsecond))
				}
				regret := float64(chosen) / float64(best)
				logs += math.Log(regret)
				b.Logf("%.2f %s: %s", regret, l.name, line)
			}
			for b.Loop() {
			}
			b.ReportMetric(100*(math.Exp(logs/shapes)-1), "%regret")
		})
	}
}

// convTime is the shortest of some runs of l, or of its derivative, with one
// variant of contractions forced, and the variant that ran.
func convTime(b *testing.B, l convLayer, image bool, force string) (time.Duration, string) {
	b.Helper()
	rt, place := opstest.Device(b), OnDevice
	if force != "" {
		dev, err := rt.Device().Open(b.Context(), nil)
		require.NoError(b, err)
		defer func() { require.NoError(b, dev.Close()) }()
		place = Auto
		rt = NewRuntime(ocl.NewForced(dev, "contract="+force))
	}
	g := NewGraph(l.name)
	x, w := g.Variable("x", opstest.Random(b, l.x...)), g.Const(opstest.Random(b, l.w...))
	y := Conv2D(x, w, l.o)
	if image {
		dy := g.Variable("dy", opstest.Random(b, y.Shape()...))
		y = Gradients(Sum(Mul(y, dy)), x)[0]
	}
	out := g.Variable("out", tensor.Must(tensor.New(tensor.Float32, y.Shape()...)))
	exe, err := g.Compile(b.Context(), rt, Target{Updates: []*Node{Assign(out, y)}, Place: place})
	require.NoError(b, err)
	defer exe.Close()
	best := time.Duration(math.MaxInt64)
	for range 12 {
		start := time.Now()
		_, err := exe.Run(b.Context(), nil)
		require.NoError(b, err)
		best = min(best, time.Since(start))
	}
	var variant string
	for _, t := range exe.Report().Tasks {
		if t.Kind == "contract" {
			variant = t.Plan.Variant
		}
	}
	return best, variant
}
