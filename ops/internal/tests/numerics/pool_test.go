package numerics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// withStride is o with the stride that is meant where it has none.
func withStride(o PoolOptions) PoolOptions {
	for i := range 2 {
		if o.Stride[i] == 0 {
			o.Stride[i] = o.Size[i]
		}
	}
	return o
}

// poolGradient is the definition of MaxPool2D's derivative, followed literally:
// dy goes to the first largest element of its window, NaN being the largest.
func poolGradient(x, dy []float64, s [4]int, o PoolOptions) []float64 {
	o = withStride(o)
	out := make([]float64, len(x))
	at := func(p, i, j int) int { return (p*s[2]+i)*s[3] + j }
	h, w := (s[2]+2*o.Pad[0]-o.Size[0])/o.Stride[0]+1, (s[3]+2*o.Pad[1]-o.Size[1])/o.Stride[1]+1
	for p := range s[0] * s[1] {
		for k := range h * w {
			best := -1
			for tap := range o.Size[0] * o.Size[1] {
				i, j := k/w*o.Stride[0]-o.Pad[0]+tap/o.Size[1], k%w*o.Stride[1]-o.Pad[1]+tap%o.Size[1]
				if i < 0 || i >= s[2] || j < 0 || j >= s[3] {
					continue
				}
				v := x[at(p, i, j)]
				if best < 0 || v > x[best] || math.IsNaN(v) && !math.IsNaN(x[best]) {
					best = at(p, i, j)
				}
			}
			out[best] += dy[p*h*w+k]
		}
	}
	return out
}

func TestThePoolingGradientGoesToTheFirstLargest(t *testing.T) {
	opstest.NumbersOnly(t)
	t.Parallel()
	runtimes := map[string]*Runtime{"cpu": opstest.CPUOnly(t), "device": opstest.Device(t)}
	r := rand.New(rand.NewPCG(5, 6))
	for i, o := range []PoolOptions{
		{Size: [2]int{2, 2}}, {Size: [2]int{1, 3}}, {Size: [2]int{4, 1}}, {Size: [2]int{3, 3}}, {Size: [2]int{1, 1}},
		{Size: [2]int{2, 2}, Stride: [2]int{1, 2}, Pad: [2]int{1, 0}}, {Size: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}},
		{Size: [2]int{3, 2}, Stride: [2]int{4, 5}, Pad: [2]int{2, 1}}, {Size: [2]int{3, 3}, Pad: [2]int{2, 1}},
		{Size: [2]int{5, 4}, Stride: [2]int{3, 1}, Pad: [2]int{4, 2}},      // rows end within a stride
		{Size: [2]int{7, 6}, Stride: [2]int{1, 1}}, {Size: [2]int{19, 18}}, // many at each place, and the whole image
		{Size: [2]int{18, 17}}, // more taps than a byte counts
	} {
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float16} {
			s := [4]int{2, 19, 19, 18}
			xs := make([]float64, s[0]*s[1]*s[2]*s[3])
			for i := range xs { // few values, so that there are ties
				if xs[i] = float64(r.IntN(4)) - 1; r.IntN(9) == 0 {
					xs[i] = math.NaN()
				}
			}
			g := NewGraph("pool")
			x := g.Variable("x", tensor.Must(tensor.Cast(tensor.Must(tensor.Must(tensor.FromSlice(xs)).Reshape(s[:]...)), dt)))
			y := MaxPool2D(x, o)
			dys := make([]float64, y.Size())
			for i := range dys {
				dys[i] = float64(r.IntN(8))
			}
			dy := opstest.Number(t, g, dt, y.Shape(), dys...)
			grad := Gradients(Sum(Mul(y, dy)), x)[0]
			want := poolGradient(xs, dys, s, o)
			for name, rt := range runtimes {
				if name == "device" && dt == tensor.Float16 && i%4 != 0 {
					continue // a type changes loads and stores alone, and every shape is a program
				}
				got := runOn(t, rt, g, grad)
				require.Equal(t, want, got, fmt.Sprintf("%s %v %+v", name, dt, o))
			}
		}
	}
}

func TestTheGradientOfAMeanIsSharedByItsWindow(t *testing.T) {
	opstest.NumbersOnly(t)
	t.Parallel()
	runtimes := map[string]*Runtime{"cpu": opstest.CPUOnly(t), "device": opstest.Device(t)}
	r := rand.New(rand.NewPCG(7, 8))
	for _, o := range []PoolOptions{
		{Size: [2]int{2, 2}}, {Size: [2]int{11, 9}}, {Size: [2]int{3, 2}, Stride: [2]int{4, 5}, Pad: [2]int{2, 1}},
		{Size: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}}, {Size: [2]int{4, 3}, Pad: [2]int{3, 2}},
		{Size: [2]int{3, 2}, Stride: [2]int{3, 3}, Pad: [2]int{1, 1}, CountPad: true},
	} {
		o := withStride(o)
		s := [4]int{2, 3, 11, 9}
		g := NewGraph("pool")
		x := g.Variable("x", tensor.Must(tensor.New(tensor.Float64, s[:]...)))
		y := AvgPool2D(x, o)
		dys, h, w := make([]float64, y.Size()), y.Shape()[2], y.Shape()[3]
		for i := range dys {
			dys[i] = r.NormFloat64()
		}
		dys[0] = math.Inf(1) // goes to its own window only
		want := make([]float64, 2*3*11*9)
		for k := range dys {
			i0, j0 := k/w%h*o.Stride[0]-o.Pad[0], k%w*o.Stride[1]-o.Pad[1]
			var inside []int
			for i := max(i0, 0); i < min(i0+o.Size[0], 11); i++ {
				for j := max(j0, 0); j < min(j0+o.Size[1], 9); j++ {
					inside = append(inside, (k/(h*w)*11+i)*9+j)
				}
			}
			n := len(inside)
			if o.CountPad {
				n = o.Size[0] * o.Size[1]
			}
			for _, at := range inside {
				want[at] += dys[k] / float64(n)
			}
		}
		grad := Gradients(Sum(Mul(y, opstest.Number(t, g, tensor.Float64, y.Shape(), dys...))), x)[0]
		for name, rt := range runtimes {
			for i, v := range runOn(t, rt, g, grad) {
				if v != want[i] { // both infinite, too
					require.InDelta(t, want[i], v, 1e-12, "%s %+v at %d", name, o, i)
				}
			}
		}
	}
}

// runOn is y computed by rt.
func runOn(t *testing.T, rt *Runtime, g *Graph, y *Node) []float64 {
	t.Helper()
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	defer exe.Close()
	results, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	out := make([]float64, results[0].Len())
	for i := range out {
		out[i] = results[0].Float64At(i)
	}
	return out
}

func TestAPoolsGradientIsPositionsAndTheirShares(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	x := g.Input("x", tensor.Float32, 4, 3, 12, 12)
	w := g.Variable("w", tensor.Must(tensor.New(tensor.Float32, 16, 3, 3, 3)))
	y := MaxPool2D(ReLU(Conv2D(x, w, Conv2DOptions{Pad: [2]int{1, 1}})), PoolOptions{Size: [2]int{2, 2}})
	v := g.Variable("v", tensor.Must(tensor.New(tensor.Float32, 16*6*6, 10)))
	loss := Sum(Square(MatMul(Reshape(y, 4, 16*6*6), v)))
	names := opstest.TasksOf(t, g, Target{Outputs: Gradients(loss, w)})
	require.Contains(t, names, "reduce d(max_pool2d)", "positions are folds of windows")
	// What lies as it should is not copied.
	g = NewGraph("g")
	z := g.Variable("z", tensor.Must(tensor.New(tensor.Float32, 2, 3, 4, 4)))
	loss = Sum(Square(MaxPool2D(z, PoolOptions{Size: [2]int{2, 2}})))
	require.Len(t, opstest.TasksOf(t, g, Target{Outputs: Gradients(loss, z)}), 3)
}

// What is listed for each window must not be as long as a shape that was only declared.
func TestMeansOfMoreWindowsThanMemoryHolds(t *testing.T) {
	t.Parallel()
	for _, o := range []PoolingOptions{
		{Size: []int{3}, Stride: []int{1}, Pad: []int{1}, PadAfter: []int{1}}, {Size: []int{3}, Stride: []int{1}}, {Size: []int{1 << 38}, Stride: []int{1}},
		{Size: []int{5}, Stride: []int{1}, Dilation: []int{1 << 62}},
	} {
		g := NewGraph("many")
		y := AvgPool(g.Input("x", tensor.Float32, 1, 1, 1<<40), o)
		_, err := g.Compile(t.Context(), NewRuntime(fallback.New(nil)), Target{Outputs: []*Node{y}})
		require.Error(t, err, "%+v", o)
	}
}
