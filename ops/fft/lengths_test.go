package fft_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// Transforms of every length are the sums that define them, to 5·log2(n) units in the last place of a typical element.
func TestTransformsOfEveryLength(t *testing.T) {
	var short []int
	for n := 1; n <= 140; n++ {
		short = append(short, n)
	}
	chosen := []int{3, 67, 128, 131, 1000, 2003, 4096}
	for name, c := range map[string]struct {
		device string
		dtype  tensor.DType
		sizes  []int
	}{
		"float64 on the CPU path": {"none", tensor.Float64, append(short, 360, 1021, 2048, 2053)},
		"float32 on a device":     {"", tensor.Float32, chosen},
	} {
		t.Run(name, func(t *testing.T) {
			rt, err := ops.Open(t.Context(), &ops.Options{Device: c.device})
			require.NoError(t, err)
			defer rt.Close()
			target := ops.Target{}
			if c.device == "" && rt.Device() != nil {
				target.Place = ops.OnDevice
			}
			g := ops.NewGraph("lengths")
			feeds := ops.Feeds{}
			var want [][]float64
			r := rand.New(rand.NewPCG(1, 2))
			for _, n := range c.sizes {
				x := g.Input(fmt.Sprint("x", n), c.dtype, 2, n, 2)
				values := tensor.Must(tensor.New(c.dtype, 2, n, 2))
				for i := range values.Len() {
					values.SetFloat64(i, r.NormFloat64())
				}
				feeds[x] = values
				real := ops.Squeeze(ops.Slice(x, ops.Between(2, 0, 1)), 2)
				half := fft.RFFT(real, nil)
				target.Outputs = append(target.Outputs, fft.FFT(x, nil), fft.IFFT(x, &fft.Options{Norm: fft.Forward}), half, fft.IRFFT(half, &fft.Options{Sizes: []int{n}}))
				forward, back, first, numbers := expected(values, n)
				want = append(want, forward, back, first, numbers)
			}
			exe, err := g.Compile(t.Context(), rt, target)
			require.NoError(t, err)
			defer exe.Close()
			outs, err := exe.Run(t.Context(), feeds)
			require.NoError(t, err)
			unit := map[tensor.DType]float64{tensor.Float32: 0x1p-24, tensor.Float64: 0x1p-53}[c.dtype]
			for i, y := range outs {
				n, squares := c.sizes[i/4], 0.0
				require.Equal(t, len(want[i]), y.Len())
				for _, v := range want[i] {
					squares += v * v
				}
				allowed := 5 * math.Max(1, math.Log2(float64(n))) * unit * math.Sqrt(squares/float64(len(want[i]))) * 2
				for k, v := range want[i] {
					require.InDelta(t, v, y.Float64At(k), allowed, "length %d, output %d, element %d", n, i%4, k)
				}
			}
		})
	}
}

// Rows that are longer than a step are transformed one by one, there and back, to 5·log2(n) units in the last place of a typical element.
func TestManyLongRows(t *testing.T) {
	for _, device := range []string{"none", ""} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		defer rt.Close()
		target := ops.Target{}
		if device == "" && rt.Device() != nil {
			target.Place = ops.OnDevice
		}
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			g := ops.NewGraph("rows")
			feeds, target := ops.Feeds{}, target
			sizes := [][2]int{{32, 2048}, {128, 8192}} // with fewer rows they are two steps
			r := rand.New(rand.NewPCG(1, 2))
			for _, size := range sizes {
				batch, n := size[0], size[1]
				x := g.Input(fmt.Sprint("x", n), dt, batch, n, 2)
				values := tensor.Must(tensor.New(dt, batch, n, 2))
				for i := range values.Len() {
					values.SetFloat64(i, r.NormFloat64())
				}
				feeds[x] = values
				y := fft.FFT(x, nil)
				target.Outputs = append(target.Outputs, x, y, fft.IFFT(y, nil))
			}
			exe, err := g.Compile(t.Context(), rt, target)
			require.NoError(t, err)
			outs, err := exe.Run(t.Context(), feeds)
			require.NoError(t, err)
			unit := map[tensor.DType]float64{tensor.Float32: 0x1p-24, tensor.Float64: 0x1p-53}[dt]
			for i, size := range sizes {
				batch, n := size[0], size[1]
				x, y, back := outs[3*i], outs[3*i+1], outs[3*i+2]
				allowed := 5 * math.Log2(float64(n)) * unit * 2
				for row := 0; row < batch; row += 15 {
					z := make([]complex128, n)
					for j := range z {
						z[j] = complex(x.Float64At((row*n+j)*2), x.Float64At((row*n+j)*2+1))
					}
					for _, k := range []int{row, n / 2, n - 1 - row} {
						var want compensated2
						for j, v := range z {
							want.add(v * cmplx.Rect(1, -2*math.Pi*float64(j*k%n)/float64(n)))
						}
						have := complex(y.Float64At((row*n+k)*2), y.Float64At((row*n+k)*2+1))
						require.LessOrEqual(t, cmplx.Abs(have-want.value()), allowed*math.Sqrt(2*float64(n)), "length %d, row %d, element %d", n, row, k)
					}
				}
				worst := 0.0
				for j := range x.Len() {
					worst = max(worst, math.Abs(x.Float64At(j)-back.Float64At(j)))
				}
				require.LessOrEqual(t, worst, 4*allowed, "length %d there and back", n)
			}
			require.NoError(t, exe.Close())
		}
	}
}

// compensated2 is a sum of complex numbers with the rounding errors of its additions.
type compensated2 struct{ re, im compensated }

func (c *compensated2) add(v complex128) {
	c.re.add(real(v))
	c.im.add(imag(v))
}

func (c *compensated2) value() complex128 { return complex(c.re.value(), c.im.value()) }

// expected are the transforms of two rows of pairs, forward and back without a scale, the first half of that of the real
// parts, and these parts.
func expected(x *tensor.Tensor, n int) (forward, back, half, numbers []float64) {
	for row := range 2 {
		z, swapped, parts := make([]complex128, n), make([]complex128, n), make([]complex128, n)
		for j := range z {
			re, im := x.Float64At((row*n+j)*2), x.Float64At((row*n+j)*2+1)
			z[j], swapped[j], parts[j] = complex(re, im), complex(im, re), complex(re, 0)
			numbers = append(numbers, re)
		}
		for _, v := range sums(z, n) {
			forward = append(forward, real(v), imag(v))
		}
		for _, v := range sums(swapped, n) {
			back = append(back, imag(v), real(v))
		}
		for _, v := range sums(parts, n/2+1) {
			half = append(half, real(v), imag(v))
		}
	}
	return forward, back, half, numbers
}

// sums are the first elements of the transform of z by its definition, compensated (Neumaier, 1974).
func sums(z []complex128, first int) []complex128 {
	n := len(z)
	roots := make([]complex128, n)
	for k := range roots {
		roots[k] = cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n))
	}
	y := make([]complex128, first)
	for k := range y {
		var total, rest [2]float64
		for j, v := range z {
			p := v * roots[j*k%n]
			for i, term := range []float64{real(p), imag(p)} {
				sum := total[i] + term
				if math.Abs(total[i]) >= math.Abs(term) {
					rest[i] += total[i] - sum + term
				} else {
					rest[i] += term - sum + total[i]
				}
				total[i] = sum
			}
		}
		y[k] = complex(total[0]+rest[0], total[1]+rest[1])
	}
	return y
}

// Batches and lengths may be open, and nothing is transformed of nothing.
func TestTransformsOfOpenSizes(t *testing.T) {
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	g := ops.NewGraph("open")
	x := g.Input("x", tensor.Float64, ops.Dim("batch"), ops.Dim("n"), 2)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{fft.FFT(x, nil)}})
	require.NoError(t, err)
	defer exe.Close()
	for _, size := range [][2]int{{2, 5}, {0, 6}, {1, 131}, {3, 72}} {
		values := tensor.Must(tensor.New(tensor.Float64, size[0], size[1], 2))
		for i := range values.Len() {
			values.SetFloat64(i, math.Sin(float64(i*i)))
		}
		outs, err := exe.Run(t.Context(), ops.Feeds{x: values})
		require.NoError(t, err)
		require.Equal(t, []int{size[0], size[1], 2}, outs[0].Shape())
		z := make([]complex128, size[1])
		for row := range size[0] {
			for j := range z {
				z[j] = complex(values.Float64At((row*len(z)+j)*2), values.Float64At((row*len(z)+j)*2+1))
			}
			for k, v := range sums(z, len(z)) {
				require.InDelta(t, real(v), outs[0].Float64At((row*len(z)+k)*2), 1e-11)
				require.InDelta(t, imag(v), outs[0].Float64At((row*len(z)+k)*2+1), 1e-11)
			}
		}
	}
}
