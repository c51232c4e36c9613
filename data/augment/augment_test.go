package augment

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

// device is where tests run: ANYCL_DEVICE, or the CPU path.
func device() string {
	if d := os.Getenv("ANYCL_DEVICE"); d != "" {
		return d
	}
	return "none"
}

// augmented runs what f makes of images, with an open batch, several times.
func augmented(t *testing.T, times int, x, y *tensor.Tensor, f func(x, y *ops.Node) []*ops.Node) (all [][]*tensor.Tensor) {
	t.Helper()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: device()})
	require.NoError(t, err)
	defer rt.Close()
	g := ops.NewGraph("augment")
	g.Seed(11)
	n := ops.Dim("batch")
	in, target := g.Input("x", x.DType(), append([]int{n}, x.Shape()[1:]...)...), g.Input("y", y.DType(), append([]int{n}, y.Shape()[1:]...)...)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: append(f(in, target), ops.Mul(target, 1))})
	require.NoError(t, err)
	feeds := ops.Feeds{target: y}
	for _, i := range exe.Inputs() {
		if i == in {
			feeds[in] = x
		}
	}
	for range times {
		outs, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		all = append(all, outs)
	}
	return all
}

// pictures are images in which every pixel is another.
func pictures(n, c, h, w int) *tensor.Tensor {
	x := tensor.Must(tensor.New(tensor.Float32, n, c, h, w))
	for i := range x.Len() {
		x.SetFloat64(i, float64(i+1)/float64(x.Len()))
	}
	return x
}

func none(n int) *tensor.Tensor { return tensor.Must(tensor.New(tensor.Float32, n, 1)) }

func TestCropsAreMovesByWholePixels(t *testing.T) {
	const n, h, w, pad = 16, 5, 7, 2
	x := pictures(n, 2, h, w)
	seen := map[[2]int]int{}
	for _, outs := range augmented(t, 8, x, none(n), func(x, _ *ops.Node) []*ops.Node { return []*ops.Node{Crop(x, pad)} }) {
		for i := range n {
			found := 0
			for dy := -pad; dy <= pad; dy++ {
				for dx := -pad; dx <= pad; dx++ {
					same := true
					for k := range 2 * h * w {
						c, y, xx := k/(h*w), k/w%h+dy, k%w+dx
						want := 0.0
						if y >= 0 && y < h && xx >= 0 && xx < w {
							want = x.Float64At(((i*2+c)*h+y)*w + xx)
						}
						same = same && outs[0].Float64At(i*2*h*w+k) == want
					}
					if same {
						seen[[2]int{dy, dx}]++
						found++
					}
				}
			}
			require.Equal(t, 1, found, "image %d", i)
		}
	}
	require.Greater(t, len(seen), 20, "of 25 places, in 128 draws")
}

func TestFlipsAreMirrored(t *testing.T) {
	const n, w = 32, 3
	x := pictures(n, 1, 2, w)
	mirrored := 0
	for _, outs := range augmented(t, 4, x, none(n), func(x, _ *ops.Node) []*ops.Node { return []*ops.Node{Flip(x, 0.25)} }) {
		for i := range n {
			same, other := true, true
			for k := range 2 * w {
				got := outs[0].Float64At(i*2*w + k)
				same = same && got == x.Float64At(i*2*w+k)
				other = other && got == x.Float64At(i*2*w+k/w*w+w-1-k%w)
			}
			require.NotEqual(t, same, other)
			if other {
				mirrored++
			}
		}
	}
	require.InDelta(t, 32, mirrored, 20, "of 128, each with 1/4")
}

func TestRotationsTurnAboutTheCentre(t *testing.T) {
	// A spot right of the centre of an image that is twice as wide as high.
	const n, h, w = 64, 21, 42
	x := tensor.Must(tensor.New(tensor.Float32, n, 1, h, w))
	const radius = 8.0
	for k := range h * w {
		dy, dx := float64(k/w)-(h-1)/2., float64(k%w)-(w-1)/2.-radius
		for i := range n {
			x.SetFloat64(i*h*w+k, math.Exp(-(dy*dy+dx*dx)/3))
		}
	}
	outs := augmented(t, 1, x, none(n), func(x, _ *ops.Node) []*ops.Node { return []*ops.Node{Rotate(x, 40), Rotate(x, 0)} })[0]
	least, most := 0.0, 0.0
	for i := range n {
		mass, my, mx := 0.0, 0.0, 0.0
		for k := range h * w {
			v := outs[0].Float64At(i*h*w + k)
			require.InDelta(t, x.Float64At(i*h*w+k), outs[1].Float64At(i*h*w+k), 1e-5, "by no angle")
			mass, my, mx = mass+v, my+v*(float64(k/w)-(h-1)/2.), mx+v*(float64(k%w)-(w-1)/2.)
		}
		require.InDelta(t, radius, math.Hypot(my, mx)/mass, 0.05, "as far from the centre, in pixels")
		angle := math.Atan2(my, mx) * 180 / math.Pi
		least, most = min(least, angle), max(most, angle)
	}
	require.Greater(t, least, -40.5)
	require.Less(t, most, 40.5)
	require.Greater(t, most-least, 50.)
}

func TestColorsChangeAsTheirFactorsSay(t *testing.T) {
	const n = 32
	x := tensor.Must(tensor.New(tensor.Float32, n, 3, 1, 2))
	pixels := []float64{0.2, 0.4, 0.3, 0.3, 0.4, 0.2} // R, G, B of two pixels
	for i := range x.Len() {
		x.SetFloat64(i, pixels[i%6])
	}
	outs := augmented(t, 1, x, none(n), func(x, _ *ops.Node) []*ops.Node {
		return []*ops.Node{Color(x, Jitter{Brightness: 0.5}), Color(x, Jitter{Contrast: 0.5}), Color(x, Jitter{Saturation: 0.5}), Color(x, Jitter{}), Color(x, Jitter{Brightness: 50})}
	})[0]
	grey := func(k int) float64 { return 0.299*pixels[k] + 0.587*pixels[2+k] + 0.114*pixels[4+k] }
	mean := (grey(0) + grey(1)) / 2
	for o, from := range []func(k int) float64{func(int) float64 { return 0 }, func(int) float64 { return mean }, func(k int) float64 { return grey(k % 2) }} {
		factors := map[float64]bool{}
		for i := range n {
			f := (outs[o].Float64At(6*i) - from(0)) / (pixels[0] - from(0))
			require.GreaterOrEqual(t, f, 0.499)
			require.LessOrEqual(t, f, 1.501)
			factors[f] = true
			for k := range 6 {
				require.InDelta(t, from(k)+f*(pixels[k]-from(k)), outs[o].Float64At(6*i+k), 1e-5)
			}
		}
		require.Greater(t, len(factors), n/2, "each image has its own")
	}
	require.True(t, tensor.Equal(x, outs[3]))
	for i := range outs[4].Len() {
		require.LessOrEqual(t, outs[4].Float64At(i), 1.)
	}
}

// numbered are images of one value each, the number of the image, and one-hot targets.
func numbered(n, h, w int) (x, y *tensor.Tensor) {
	x, y = tensor.Must(tensor.New(tensor.Float32, n, 1, h, w)), tensor.Must(tensor.New(tensor.Float32, n, n))
	for i := range n {
		y.SetFloat64(i*n+i, 1)
		for k := range h * w {
			x.SetFloat64(i*h*w+k, float64(i))
		}
	}
	return x, y
}

func TestMixedTargetsSayWhatIsInMixedExamples(t *testing.T) {
	const n, h, w = 8, 6, 10
	x, y := numbered(n, h, w)
	parts := map[float64]bool{}
	all := augmented(t, 3, x, y, func(x, y *ops.Node) []*ops.Node {
		a, b := MixUp(x, y, 0.8)
		c, d := CutMix(x, y, 1)
		return []*ops.Node{a, b, c, d}
	})
	for _, outs := range all {
		for i := range n {
			said, sum := 0.0, 0.0
			for k := range n {
				said += float64(k) * outs[1].Float64At(i*n+k)
				sum += outs[1].Float64At(i*n + k)
			}
			require.InDelta(t, 1, sum, 1e-5)
			for k := range h * w {
				require.InDelta(t, said, outs[0].Float64At(i*h*w+k), 1e-4)
			}
			parts[said] = true

			count := make([]float64, n)
			for k := range h * w {
				count[int(outs[2].Float64At(i*h*w+k))] += 1. / (h * w)
			}
			for k := range n {
				require.InDelta(t, count[k], outs[3].Float64At(i*n+k), 1e-5, "the part of the image that is of class %d", k)
			}
		}
	}
	require.Greater(t, len(parts), 2*n)
}

func TestMistakesAreTheGraphs(t *testing.T) {
	for want, f := range map[string]func(x, y *ops.Node) *ops.Node{
		"augment.Flip":    func(x, _ *ops.Node) *ops.Node { return Flip(x, 1.5) },
		"[N, C, H, W]":    func(_, y *ops.Node) *ops.Node { return Crop(y, 1) },
		"padding -1":      func(x, _ *ops.Node) *ops.Node { return Crop(x, -1) },
		"angle 400":       func(x, _ *ops.Node) *ops.Node { return Rotate(x, 400) },
		"2 channels":      func(x, _ *ops.Node) *ops.Node { return Color(x, Jitter{}) },
		"Contrast -1":     func(x, _ *ops.Node) *ops.Node { return Color(x, Jitter{Contrast: -1}) },
		"alpha":           func(x, y *ops.Node) *ops.Node { a, _ := MixUp(x, y, 0); return a },
		"targets":         func(x, _ *ops.Node) *ops.Node { a, _ := CutMix(x, x, 1); return a },
		"augment_test.go": func(x, _ *ops.Node) *ops.Node { return Flip(x, -1) },
		"nil":             func(x, _ *ops.Node) *ops.Node { a, _ := MixUp(x, nil, 1); return a },
	} {
		g := ops.NewGraph("mistakes")
		f(g.Input("x", tensor.Float32, 4, 2, 5, 5), g.Input("y", tensor.Float32, 4, 3))
		require.ErrorContains(t, g.Err(), want)
	}
	g := ops.NewGraph("mistakes")
	Crop(g.Input("x", tensor.Float32, 4, 2, 0, 5), 1)
	require.ErrorContains(t, g.Err(), "height and the width")
}
