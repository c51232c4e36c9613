package fft_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// trigonometric is a transform of x by its definition, not scaled.
func trigonometric(x []float64, kind int, sine bool) []float64 {
	n := len(x)
	y := make([]float64, n)
	for k := range y {
		for j, v := range x {
			a, b, of, by := float64(j), float64(k), float64(n), 2.0
			switch kind {
			case 1:
				if of--; sine {
					a, b, of = a+1, b+1, of+2
				} else if j == 0 || j == n-1 {
					by = 1
				}
			case 2:
				if a += 0.5; sine {
					b++
				}
			case 3:
				b += 0.5
				if sine {
					a++
				}
				if !sine && j == 0 || sine && j == n-1 {
					by = 1
				}
			case 4:
				a, b = a+0.5, b+0.5
			}
			if sine {
				y[k] += by * v * math.Sin(math.Pi*a*b/of)
			} else {
				y[k] += by * v * math.Cos(math.Pi*a*b/of)
			}
		}
	}
	return y
}

func TestCosineAndSineTransformsAreTheirSums(t *testing.T) {
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	for kind := 1; kind <= 4; kind++ {
		for _, sine := range []bool{false, true} {
			for _, n := range []int{1, 2, 3, 4, 5, 8, 15, 131} {
				if kind == 1 && !sine && n < 2 {
					continue
				}
				t.Run(fmt.Sprint(kind, sine, n), func(t *testing.T) {
					g := ops.NewGraph("cosine")
					x := g.Input("x", tensor.Float64, 2, n)
					there, back := fft.DCT, fft.IDCT
					if sine {
						there, back = fft.DST, fft.IDST
					}
					target := ops.Target{Outputs: []*ops.Node{there(x, &fft.CosineOptions{Type: kind})}}
					for _, norm := range []fft.Norm{fft.Backward, fft.Forward, fft.Ortho} {
						o := &fft.CosineOptions{Type: kind, Norm: norm}
						y := there(x, o)
						target.Outputs = append(target.Outputs, back(y, o), ops.Sum(ops.Square(y), -1))
					}
					exe, err := g.Compile(t.Context(), rt, target)
					require.NoError(t, err)
					defer exe.Close()
					values, squares := make([]float64, 2*n), [2]float64{}
					for i := range values {
						values[i] = math.Sin(float64(3*i*i + 1))
						squares[i/n] += values[i] * values[i]
					}
					out, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.FromSlice(values, 2, n))})
					require.NoError(t, err)
					for row := range 2 {
						for k, v := range trigonometric(values[row*n:(row+1)*n], kind, sine) {
							require.InDelta(t, v, out[0].Float64At(row*n+k), 1e-12*float64(n))
						}
						require.InDelta(t, squares[row], out[6].Float64At(row), 1e-12*float64(n), "orthogonal")
					}
					for i, v := range values {
						for norm := range 3 {
							require.InDelta(t, v, out[1+2*norm].Float64At(i), 1e-13*float64(n))
						}
					}
				})
			}
		}
	}
}

func TestCosineTransformsRefuse(t *testing.T) {
	for name, f := range map[string]func(g *ops.Graph) *ops.Node{
		"type": func(g *ops.Graph) *ops.Node {
			return fft.DCT(g.Input("x", tensor.Float32, 3), &fft.CosineOptions{Type: 5})
		},
		"norm": func(g *ops.Graph) *ops.Node {
			return fft.DST(g.Input("x", tensor.Float32, 3), &fft.CosineOptions{Norm: "x"})
		},
		"dtype":   func(g *ops.Graph) *ops.Node { return fft.DCT(g.Input("x", tensor.Int32, 3), nil) },
		"nothing": func(g *ops.Graph) *ops.Node { return fft.IDCT(g.Input("x", tensor.Float32, 2, 0), nil) },
		"one": func(g *ops.Graph) *ops.Node {
			return fft.DCT(g.Input("x", tensor.Float32, 1), &fft.CosineOptions{Type: 1})
		},
	} {
		g := ops.NewGraph(name)
		f(g)
		require.Error(t, g.Err(), name)
	}
}

func TestConvolutionsOfAnyLength(t *testing.T) {
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	for _, size := range [][2]int{{1, 1}, {7, 3}, {3, 7}, {200, 1}, {300, 210}, {210, 300}} {
		n, m := size[0], size[1]
		g := ops.NewGraph("convolve")
		x, k := g.Input("x", tensor.Float64, 2, n), g.Input("k", tensor.Float64, m)
		var target ops.Target
		for _, mode := range []fft.Mode{fft.Full, fft.Same, fft.Valid} {
			target.Outputs = append(target.Outputs, fft.Convolve(x, k, mode))
		}
		exe, err := g.Compile(t.Context(), rt, target)
		require.NoError(t, err)
		xs, ks := make([]float64, 2*n), make([]float64, m)
		for i := range xs {
			xs[i] = math.Sin(float64(i * i))
		}
		for i := range ks {
			ks[i] = math.Cos(float64(2 * i * i))
		}
		out, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.FromSlice(xs, 2, n)), k: tensor.Must(tensor.FromSlice(ks))})
		require.NoError(t, err)
		for row := range 2 {
			full := make([]float64, n+m-1)
			for i := range n {
				for j := range m {
					full[i+j] += xs[row*n+i] * ks[j]
				}
			}
			for i, part := range [][]float64{full, full[(m-1)/2:][:n], full[min(n, m)-1:][:max(n, m)-min(n, m)+1]} {
				require.Equal(t, []int{2, len(part)}, out[i].Shape())
				for at, v := range part {
					require.InDelta(t, v, out[i].Float64At(row*len(part)+at), 1e-11, "%v mode %d", size, i)
				}
			}
		}
		require.NoError(t, exe.Close())
	}
	g := ops.NewGraph("wrong")
	fft.Convolve(g.Input("x", tensor.Float32, 3), g.Input("k", tensor.Float32, 3), "half")
	require.ErrorContains(t, g.Err(), "half")
}
