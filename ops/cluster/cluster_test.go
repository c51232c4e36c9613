package cluster_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/cluster"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

// each runs a graph on the device, if there is one, and on the CPU engine.
func each(t *testing.T, g *ops.Graph, check func(t *testing.T, out []*tensor.Tensor), outs ...*ops.Node) {
	t.Helper()
	require.NoError(t, g.Err())
	for _, device := range []string{"", "none"} {
		t.Run("device "+device, func(t *testing.T) {
			rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
			require.NoError(t, err)
			defer rt.Close()
			exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outs})
			require.NoError(t, err)
			defer exe.Close()
			out, err := exe.Run(t.Context(), nil)
			require.NoError(t, err)
			check(t, out)
		})
	}
}

func drawn(n, d int) []float64 {
	r, v := rand.New(rand.NewPCG(1, uint64(n))), make([]float64, n*d)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func matrix(g *ops.Graph, v []float64, d int) *ops.Node {
	return g.Const(tensor.Must(tensor.FromSlice(v, len(v)/d, d)))
}

func distance(a, b []float64) (s float64) {
	for i := range a {
		s += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(s)
}

func TestNearestAreThoseOfASearchThroughAll(t *testing.T) {
	const n, m, d, k = 37, 60, 3, 4
	q, p := drawn(n, d), drawn(m, d)
	g := ops.NewGraph("nearest")
	near, at := cluster.Nearest(matrix(g, q, d), matrix(g, p, d), k)
	points := matrix(g, p, d)
	again, _ := cluster.Nearest(matrix(g, q, d), points, k)
	dp := ops.Gradients(ops.Sum(again), points)[0]
	each(t, g, func(t *testing.T, out []*tensor.Tensor) {
		want := make([]float64, m*d)
		for i := range n {
			order := make([]int, m)
			for j := range order {
				order[j] = j
			}
			slices.SortFunc(order, func(a, b int) int {
				if distance(q[i*d:][:d], p[a*d:][:d]) < distance(q[i*d:][:d], p[b*d:][:d]) {
					return -1
				}
				return 1
			})
			for j := range k {
				x, y := q[i*d:][:d], p[order[j]*d:][:d]
				require.Equal(t, float64(order[j]), out[1].Float64At(i*k+j))
				require.InDelta(t, distance(x, y), out[0].Float64At(i*k+j), 1e-14)
				for c := range d {
					want[order[j]*d+c] += (y[c] - x[c]) / distance(x, y)
				}
			}
		}
		require.InDeltaSlice(t, want, tensor.MustSlice[float64](out[2]), 1e-12)
	}, near, at, dp)
}

// Three clouds far apart, begun with a centre near each, and a centre too many that stays; and with seeds of our own.
func TestCloudsAreClusters(t *testing.T) {
	const n, d = 150, 2
	v := drawn(n, d)
	mean := [3][d]float64{}
	for i := range n {
		for c := range d {
			v[i*d+c] = v[i*d+c]*0.1 + 1000 + float64(10*(i%3)*(1-c)+7*(i%3/2)*c)
			mean[i%3][c] += v[i*d+c] / (n / 3)
		}
	}
	g := ops.NewGraph("clusters")
	points := matrix(g, v, d)
	c := cluster.KMeans(points, matrix(g, []float64{1003, 1001, 1008, 999, 1015, 1003, -1e6, 0}, d), 50)
	s := cluster.Seeds(points, 3)
	seeded := cluster.KMeans(points, s, 50)
	short := cluster.KMeans(points, matrix(g, []float64{1000, 1000, 1030, 1000}, d), 0)
	repeated := cluster.Seeds(matrix(g, []float64{5, 5, 5, 5}, 2), 3)
	each(t, g, func(t *testing.T, out []*tensor.Tensor) {
		inertia := 0.0
		for i := range n {
			inertia += math.Pow(distance(v[i*d:][:d], mean[i%3][:]), 2)
		}
		for k := range 2 {
			require.InDelta(t, inertia, out[3*k+2].Float64At(0), 1e-6)
			labels := map[int]float64{}
			for i := range n {
				at := out[3*k+1].Float64At(i)
				if i < 3 {
					labels[i] = at
				}
				require.Equal(t, labels[i%3], at)
				for c := range d {
					require.InDelta(t, mean[i%3][c], out[3*k].Float64At(int(at)*d+c), 1e-9)
				}
			}
			require.Len(t, labels, 3)
		}
		require.InDeltaSlice(t, []float64{-1e6, 0}, tensor.MustSlice[float64](out[0])[6:], 1e-9, "it has no points")
		require.Equal(t, 1.0, out[6].Float64At(0))
		require.Equal(t, 0.0, out[7].Float64At(0), "no iteration, so it is not known")
		require.InDelta(t, 1000, out[8].Float64At(0), 1e-9)
		require.Equal(t, []float64{5, 5, 5, 5, 5, 5}, tensor.MustSlice[float64](out[9]))
	}, c.Centres, c.Labels, c.Inertia, seeded.Centres, seeded.Labels, seeded.Inertia, c.Converged, short.Converged, short.Centres, repeated)
}

// flood numbers parts by filling them, one after the other.
func flood(mask []bool, h, w int, corners bool) (labels []int32, count int32) {
	labels = make([]int32, h*w)
	for start := range mask {
		if !mask[start] || labels[start] != 0 {
			continue
		}
		count++
		labels[start] = count
		for open := []int{start}; len(open) > 0; {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					y, x := at/w+dy, at%w+dx
					if y >= 0 && x >= 0 && y < h && x < w && (corners || dy == 0 || dx == 0) && mask[y*w+x] && labels[y*w+x] == 0 {
						labels[y*w+x] = count
						open = append(open, y*w+x)
					}
				}
			}
		}
	}
	return labels, count
}

func TestComponentsAreThoseOfAFlood(t *testing.T) {
	const images, h, w = 3, 23, 31
	r, mask := rand.New(rand.NewPCG(5, 5)), make([]bool, images*h*w)
	for i := range mask {
		y, x := i/w%h, i%w
		switch i / (h * w) {
		case 0:
			mask[i] = r.Float64() < 0.55
		case 1: // a winding path, one part
			mask[i] = y%2 == 0 || y%4 == 1 && x == w-1 || y%4 == 3 && x == 0
		}
	}
	g := ops.NewGraph("components")
	m := g.Const(tensor.Must(tensor.FromSlice(mask, images, h, w)))
	sides, count := cluster.Components(m, false)
	with, fewer := cluster.Components(m, true)
	nothing, none := cluster.Components(g.Const(tensor.Must(tensor.New(tensor.Bool, 2, 0, 3))), true)
	each(t, g, func(t *testing.T, out []*tensor.Tensor) {
		for k, corners := range []bool{false, true} {
			for i := range images {
				labels, count := flood(mask[i*h*w:][:h*w], h, w, corners)
				require.Equal(t, labels, tensor.MustSlice[int32](out[2*k])[i*h*w:][:h*w])
				require.Equal(t, count, tensor.MustSlice[int32](out[2*k+1])[i])
			}
		}
		require.Equal(t, int32(1), tensor.MustSlice[int32](out[1])[1])
		require.Equal(t, []int32{0, 0}, tensor.MustSlice[int32](out[5]))
	}, sides, count, with, fewer, nothing, none)
}

func TestMistakesAreErrors(t *testing.T) {
	for want, f := range map[string]func(x *ops.Node){
		"5 of 2 points":       func(x *ops.Node) { cluster.Nearest(x, x, 5) },
		"no vectors":          func(x *ops.Node) { cluster.KMeans(x, ops.Reshape(x, 1, 6), 3) },
		"-1 iterations":       func(x *ops.Node) { cluster.KMeans(x, x, -1) },
		"0 of 2 points":       func(x *ops.Node) { cluster.Seeds(x, 0) },
		"not images of bool":  func(x *ops.Node) { cluster.Components(x, false) },
		"float64 and float32": func(x *ops.Node) { cluster.Nearest(x, ops.Cast(x, tensor.Float32), 1) },
	} {
		g := ops.NewGraph("mistakes")
		f(matrix(g, drawn(2, 3), 3))
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "cluster_test.go")
	}
}
