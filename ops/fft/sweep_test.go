package fft_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// Each engine in each dtype transforms correctly for all lengths up to 2000, forward and back, real and complex: with
// ANYCL_MATRIX=full, else for one length in forty. The reference is the transform by definition, in float64, of few elements of the result.
// Real numbers are an input of their own, and are not scaled on their way back: both are kernels that a device compiles for each length.
func TestSweepOfLengths(t *testing.T) {
	every := 40
	if testdevices.Full() {
		every = 1
	}
	for _, c := range []struct {
		device string
		dt     tensor.DType
	}{{"none", tensor.Float32}, {"none", tensor.Float64}, {"", tensor.Float32}, {"", tensor.Float64}} {
		t.Run(c.device+" "+c.dt.String(), func(t *testing.T) {
			rt, err := ops.Open(t.Context(), &ops.Options{Device: c.device})
			require.NoError(t, err)
			defer rt.Close()
			place := ops.Auto
			if c.device == "" {
				if rt.Device() == nil {
					t.Skip("there is no device")
				}
				place = ops.OnDevice
			}
			unit := map[tensor.DType]float64{tensor.Float32: 0x1p-24, tensor.Float64: 0x1p-53}[c.dt]
			worst, at := 0.0, 0
			for first := 1; first <= 2000; first += 50 * every {
				g := ops.NewGraph("sweep")
				feeds, target := ops.Feeds{}, ops.Target{Place: place}
				var sizes []int
				var inputs []*ops.Node
				for n := first; n < min(first+50*every, 2001); n += every {
					x := g.Input(fmt.Sprint("x", n), c.dt, n, 2)
					values := tensor.Must(tensor.New(c.dt, n, 2))
					for i := range values.Len() {
						values.SetFloat64(i, math.Sin(float64(i*i%1000)+float64(n)))
					}
					feeds[x] = values
					real := g.Input(fmt.Sprint("real", n), c.dt, n)
					feeds[real] = firstParts(values)
					half := fft.RFFT(real, nil)
					target.Outputs = append(target.Outputs, fft.FFT(x, nil), half, fft.IRFFT(half, &fft.Options{Sizes: []int{n}, Norm: fft.Forward}))
					sizes, inputs = append(sizes, n), append(inputs, x)
				}
				exe, err := g.Compile(t.Context(), rt, target)
				require.NoError(t, err)
				out, err := exe.Run(t.Context(), feeds)
				require.NoError(t, err)
				for i, n := range sizes {
					x := feeds[inputs[i]]
					typical := math.Sqrt(float64(n)) * math.Sqrt(0.5)
					allowed := 5 * math.Max(1, math.Log2(float64(n))) * unit * 2
					for _, k := range []int{0, 1 % n, n / 3, n / 2, n - 1} {
						var sum, realSum [2]compensated
						for j := range n {
							re, im := x.Float64At(2*j), x.Float64At(2*j+1)
							s, cos := math.Sincos(-2 * math.Pi * float64(j*k%n) / float64(n))
							sum[0].add(re*cos, -im*s)
							sum[1].add(re*s, im*cos)
							realSum[0].add(re*cos, 0)
							realSum[1].add(re*s, 0)
						}
						for part := range 2 {
							e := math.Abs(out[3*i].Float64At(2*k+part)-sum[part].value()) / typical
							if k <= n/2 {
								e = max(e, math.Abs(out[3*i+1].Float64At(2*k+part)-realSum[part].value())/typical)
							}
							require.LessOrEqual(t, e, allowed, "length %d, element %d", n, k)
							if e/allowed > worst {
								worst, at = e/allowed, n
							}
						}
					}
					for j := range n {
						require.InDelta(t, x.Float64At(2*j), out[3*i+2].Float64At(j)/float64(n), 2*allowed, "length %d there and back", n)
					}
				}
				require.NoError(t, exe.Close())
			}
			t.Logf("the worst error is %.2f of what is allowed, at length %d", worst, at)
		})
	}
}

// compensated is a sum with the rounding errors of its additions (Neumaier, 1974).
type compensated struct{ sum, lost float64 }

func (c *compensated) add(terms ...float64) {
	for _, v := range terms {
		s := c.sum + v
		if math.Abs(c.sum) >= math.Abs(v) {
			c.lost += c.sum - s + v
		} else {
			c.lost += v - s + c.sum
		}
		c.sum = s
	}
}

func (c *compensated) value() float64 { return c.sum + c.lost }

// firstParts are the first ones of pairs.
func firstParts(x *tensor.Tensor) *tensor.Tensor {
	y := tensor.Must(tensor.New(x.DType(), x.Len()/2))
	for i := range y.Len() {
		y.SetFloat64(i, x.Float64At(2*i))
	}
	return y
}
